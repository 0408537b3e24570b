// Node-steps per second of bars, with the STREAM triad measured in the same run, and what contact adds.
#include <benchmark/benchmark.h>

#include <chrono>
#include <map>

#include "ricochet/bodies/bars.hpp"
#include "ricochet/bodies/bars/elastic.hpp"
#include "ricochet/principle/grid/massless_tips.hpp"
#include "ricochet/principle/strong.hpp"

namespace {

using namespace ricochet;

using Redistributed = principle::grid::MasslessTips<bodies::ElasticBars<double>>;

enum class Model { one, pressed, apart };

/// Bars of n elements in all with waves in them: one in free motion, or two halves, pressed together all the time or
/// too far apart to meet.
bodies::BarsSpec<double> model(long n, Model which) {
  bodies::BarsSpec<double> spec;
  const int bars = which == Model::one ? 1 : 2;
  for (int i = 0; i < bars; ++i) {
    bodies::BarSpec<double> bar;
    bar.elements = static_cast<int>(n / bars);
    bar.length = bar.elements;
    bar.modulus = 1;
    bar.position = i * (which == Model::apart ? 2 : 1) * bar.length;
    const double drift = which == Model::one ? 0.0 : i == 0 ? 0.01 : -0.01;
    bar.velocity_at = [drift](double s) { return drift + 1e-3 * std::sin(0.01 * s); };
    spec.bars.push_back(bar);
  }
  return spec;
}

/// STREAM's triad on arrays as long as q and p, 24 bytes per element by its own count; the best of some.
double triad_seconds(std::size_t n) {
  static std::map<std::size_t, double> known;
  if (const auto found = known.find(n); found != known.end()) return found->second;
  std::vector<double> a(n, 0), b(n, 1), c(n, 2);
  double best = 1e9;
  for (int k = 0; k < 20; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    double *x = a.data(), *y = b.data(), *z = c.data();
    for (std::size_t i = 0; i < n; ++i) x[i] = y[i] + 3.0 * z[i];
    benchmark::ClobberMemory();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return known[n] = best;
}
/// A step that reads and writes q and p once moves 32 bytes per node: the time of that, in nanoseconds.
double bound(std::size_t n) { return 1e9 * triad_seconds(n) / static_cast<double>(n) * 32 / 24; }

void report(benchmark::State& state, double node_steps) {
  state.counters["ns/node-step"] = benchmark::Counter(
      node_steps * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  // The same in units of the bound from the triad.
  state.counters["of bound"] =
      benchmark::Counter(node_steps * 1e-9 * bound(static_cast<std::size_t>(state.range(0))),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void triad(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  std::vector<double> a(n, 0), b(n, 1), c(n, 2);
  for (auto _ : state) {
    double *x = a.data(), *y = b.data(), *z = c.data();
    for (std::size_t i = 0; i < n; ++i) x[i] = y[i] + 3.0 * z[i];
    benchmark::ClobberMemory();
  }
  state.counters["GB/s"] =
      benchmark::Counter(24e-9 * static_cast<double>(n), benchmark::Counter::kIsIterationInvariantRate);
  state.counters["bound ns/node-step"] = bound(n);
}

/// The step is nine tenths of the limit.
void redistributed(benchmark::State& state) {
  Redistributed run(model(state.range(0), Model::one), {static_cast<int>(state.range(1))});
  const double h = 0.9 * run.stable_step();
  const int steps = 64;
  run.step(h, 2);
  for (auto _ : state) run.step(h, steps);
  report(state, static_cast<double>(state.range(0)) * steps);
}

/// The same two bars pressed together and apart, turn by turn, the best turns of both compared. Contact adds to a step
/// what does not depend on the number of nodes: seen with few of them, below the noise of the memory with many.
void contact_added(benchmark::State& state) {
  Redistributed pressed(model(state.range(0), Model::pressed)), apart(model(state.range(0), Model::apart));
  const double h = 0.9 * pressed.stable_step();
  auto seconds = [&](Redistributed& run) {
    const auto begin = std::chrono::steady_clock::now();
    run.step(h, 64);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  double with = 1e9, without = 1e9;
  pressed.step(h, 2), apart.step(h, 2);
  for (auto _ : state) {
    with = std::min(with, seconds(pressed));
    without = std::min(without, seconds(apart));
  }
  state.counters["added %"] = 100 * (with / without - 1);
  state.counters["added ns/step"] = 1e9 * (with - without) / 64;
  if (pressed.readings().contact_force(0) <= 0) state.SkipWithError("the bars are not in contact");
  if (apart.readings().contact_force(0) != 0) state.SkipWithError("the bars have met");
}

/// Free flight under the strong principle that nobody looks at: many steps per sweep over memory.
void strong(benchmark::State& state) {
  const bodies::Bars<double> body(model(state.range(0), Model::one), {static_cast<int>(state.range(1))});
  principle::Strong<bodies::Bars<double>> run(body, body.start());
  const double h = 0.9 * body.stable_step();
  for (auto _ : state) run.run(h, 64);
  report(state, static_cast<double>(state.range(0)) * 64);
}

/// Single steps of the strong principle, with the energy of every interval.
void strong_watched(benchmark::State& state) {
  const bodies::Bars<double> body(model(state.range(0), Model::one), {static_cast<int>(state.range(1))});
  principle::Strong<bodies::Bars<double>> run(body, body.start());
  const double h = 0.9 * body.stable_step();
  for (auto _ : state) run.step(h);
  report(state, static_cast<double>(state.range(0)));
}

BENCHMARK(triad)->Arg(1000000)->Arg(10000000)->UseRealTime();
BENCHMARK(redistributed)
    ->ArgNames({"nodes", "threads"})
    ->Args({1000000, 1})
    ->Args({10000000, 1})
    ->Args({1000000, 2})
    ->Args({10000000, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
// Short bars part again after the time of two crossings.
BENCHMARK(contact_added)->Arg(10000)->Iterations(100)->Unit(benchmark::kMillisecond);
BENCHMARK(contact_added)->Arg(100000)->Iterations(500)->Unit(benchmark::kMillisecond);
BENCHMARK(contact_added)->Arg(1000000)->Iterations(100)->Unit(benchmark::kMillisecond);
BENCHMARK(contact_added)->Arg(10000000)->Iterations(10)->Unit(benchmark::kMillisecond);
void sizes_and_threads(benchmark::internal::Benchmark* every) {
  every->ArgNames({"nodes", "threads"})->Args({1000000, 1})->Args({10000000, 1})->Args({10000000, 2});
  every->UseRealTime()->Unit(benchmark::kMillisecond);
}
BENCHMARK(strong)->Apply(sizes_and_threads);
BENCHMARK(strong_watched)->Apply(sizes_and_threads);

}  // namespace
