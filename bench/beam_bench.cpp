// Node-steps per second of beams: nodes one by one and in packs, without and with a plane to look out for.
#include <benchmark/benchmark.h>

#include "ricochet/bodies/beam.hpp"
#include "ricochet/principle/strong.hpp"

namespace {

using namespace ricochet;
using Beams = bodies::Beams<double>;

/// A helix of n nodes that twists, bends and stretches as it flies; its lowest node is `height` above the plane.
bodies::BeamsSpec<double> model(long nodes, bool plane, double height) {
  bodies::BeamSpec<double> b;
  b.elements = static_cast<int>(nodes) - 1;
  b.length = 0.05 * b.elements;
  b.density = 1e3;
  b.section = bodies::BeamSection<double>::rectangle(0.05, 0.04);
  b.young = 1e3;
  b.poisson = 0.35;
  lie::Vec6<double> strain;
  strain << 0.3, -0.2, 0.1, 0, 0, 1.01;
  b.nodes = bodies::poses_of_strain<double>({}, strain, b.length, b.elements);
  double lowest = 0;
  for (const auto& g : b.nodes) lowest = std::min(lowest, g.r[2]);
  for (auto& g : b.nodes) g.r[2] += height - lowest;
  for (int a = 0; a <= b.elements; ++a)
    b.velocities.push_back({{0.2 * std::sin(a), 0.1, 0.3}, {0.1, 0.1 * std::cos(0.3 * a), 0}});
  bodies::BeamsSpec<double> spec;
  spec.beams = {b};
  if (plane) spec.planes.push_back({"plane", {0, 0, 0}, {0, 0, 1}});
  return spec;
}

void run(benchmark::State& state, bool packs, bool plane, bodies::TimeGroup group) {
  Beams body(model(state.range(0), plane, 1e6), group);
  body.use_packs(packs);
  principle::Strong<Beams> strong(body, body.start());
  for (auto _ : state) strong.step(5e-3);
  state.counters["node-step"] = benchmark::Counter(
      static_cast<double>(state.range(0)), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
void single(benchmark::State& state) { run(state, false, false, bodies::TimeGroup::SO3xR3); }
void packs(benchmark::State& state) { run(state, true, false, bodies::TimeGroup::SO3xR3); }
void packs_with_plane(benchmark::State& state) { run(state, true, true, bodies::TimeGroup::SO3xR3); }
void papers_group(benchmark::State& state) { run(state, false, false, bodies::TimeGroup::SE3); }

/// The same step again and again, with the plane so near that some nodes have to be looked at closely every time.
void near_plane(benchmark::State& state) {
  Beams body(model(state.range(0), true, 1e-6));
  principle::Strong<Beams> strong(body, body.start());
  const auto state0 = strong.state();
  strong.step(1e-5);
  for (auto _ : state) {
    strong.restore(state0);
    strong.step(1e-5);
  }
  state.counters["impacts"] = static_cast<double>(strong.impacts());
  state.counters["node-step"] = benchmark::Counter(
      static_cast<double>(state.range(0)), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK(single)->Arg(100)->Arg(1000);
BENCHMARK(packs)->Arg(100)->Arg(1000)->Arg(1024)->Arg(10000);
BENCHMARK(packs_with_plane)->Arg(100)->Arg(1000)->Arg(10000);
BENCHMARK(near_plane)->Arg(1000);
BENCHMARK(papers_group)->Arg(100);

}  // namespace
