// The three contact schemes of bars on the cases of Demoures 2016, against the exact waves: the tables of docs/bars.md.
#include <benchmark/benchmark.h>

#include "ricochet/bodies/bars/elastic.hpp"
#include "ricochet/mechanics/dalembert.hpp"
#include "ricochet/observe/space_time.hpp"
#include "ricochet/principle/grid/massless_tips.hpp"
#include "ricochet/principle/grid/virtual_tip.hpp"
#include "ricochet/principle/strong.hpp"

namespace {

using namespace ricochet;

struct Case {
  double length[2], mass[2], modulus[2];
  int elements[2];
  double velocity[2];
};
const Case cases[] = {
    {{10, 10}, {1, 1}, {1, 1}, {50, 50}, {0.1, -0.1}}, {{10, 10}, {1, 5}, {1, 1}, {50, 50}, {0.1, -0.1}},
    {{10, 10}, {1, 1}, {1, 5}, {50, 50}, {0.1, -0.1}}, {{10, 5}, {1, 1}, {1, 1}, {50, 25}, {0.1, -0.1}},
    {{10, 10}, {1, 1}, {1, 1}, {50, 25}, {0.1, -0.1}}, {{10, 10}, {1, 1}, {1, 1}, {50, 50}, {1, 0}},
};

bodies::BarsSpec<double> spec_of(const Case& c, int refinement) {
  bodies::BarsSpec<double> spec;
  for (int i : {0, 1}) {
    bodies::BarSpec<double> bar;
    bar.length = c.length[i], bar.mass = c.mass[i], bar.modulus = c.modulus[i];
    bar.elements = c.elements[i] * refinement, bar.velocity = c.velocity[i];
    bar.position = i == 0 ? 0 : c.length[0] + 0.2;
    spec.bars.push_back(bar);
  }
  return spec;
}

/// One face for the three schemes.
struct Located {
  bodies::Bars<double> body;
  principle::Strong<bodies::Bars<double>> run;
  observe::ImpulseRecorder<double> impulses;
  explicit Located(const bodies::BarsSpec<double>& spec) : body(spec), run(body, body.start()) {}
  void step(double h) { run.step(h, impulses); }
  double t() const { return run.node().t; }
  double energy() const { return body.hamiltonian(run.node()); }
  bodies::Readings<double> readings() const { return body.readings(run.node()); }
  double impulse() const { return impulses.total(0); }
  double events() const { return static_cast<double>(run.impacts()); }
};
struct Redistributed : principle::grid::MasslessTips<bodies::ElasticBars<double>> {
  using MasslessTips::MasslessTips;
  double energy() const { return hamiltonian(); }
  double impulse() const { return contact(0).impulse(); }
  double events() const { return 2 * static_cast<double>(contact(0).phases().size()); }
};
struct VirtualTip : principle::grid::VirtualTip<bodies::ElasticBars<double>> {
  using principle::grid::VirtualTip<bodies::ElasticBars<double>>::VirtualTip;
  double energy() const { return hamiltonian(); }
  double impulse() const { return contact(0).impulse(); }
  double events() const { return static_cast<double>(crossings()); }
};

/// Impulse of the exact contact force up to t.
double exact_impulse(const mechanics::TwoBars<double>& x, double t) {
  double sum = 0;
  const auto& p = x.pieces();
  for (std::size_t i = 0; i < p.size() && p[i].t < t; ++i)
    sum += p[i].force * ((i + 1 < p.size() ? std::min(p[i + 1].t, t) : t) - p[i].t);
  return sum;
}

/// Case (from 1), refinement of ℓ = 0.2 and Δt = 0.015. T = 40.
template <class Scheme>
void accuracy(benchmark::State& state) {
  const Case& c = cases[state.range(0) - 1];
  const int refinement = static_cast<int>(state.range(1));
  const double h = 0.015 / refinement;
  const int steps = 2667 * refinement, window = 32 * refinement;
  const mechanics::TwoBars<double> exact({c.length[0], c.mass[0], c.modulus[0], 0, c.velocity[0]},
                                         {c.length[1], c.mass[1], c.modulus[1], c.length[0] + 0.2, c.velocity[1]}, 45);
  double energy = 0, force = 0, velocity = 0, events = 0;
  for (auto _ : state) {
    Scheme run(spec_of(c, refinement));
    const double E0 = run.energy();
    double last = 0;
    energy = force = velocity = 0;
    for (int k = 1; k <= steps; ++k) {
      run.step(h);
      energy = std::max(energy, std::abs(run.energy() - E0) / E0);
      velocity += h * std::abs(run.readings().tip_velocity(0, 1) - exact.tip_velocity(0, run.t()));
      if (k % window != 0) continue;
      const double error = run.impulse() - exact_impulse(exact, run.t());
      force += std::abs(error - last);
      last = error;
    }
    events = run.events();
  }
  state.counters["energy"] = energy;
  state.counters["force L1"] = force;
  state.counters["tip velocity L1"] = velocity;
  state.counters["events"] = events;
}

#define RICOCHET_ACCURACY(scheme)                       \
  BENCHMARK_TEMPLATE(accuracy, scheme)                  \
      ->ArgNames({"case", "refinement"})                \
      ->ArgsProduct({{1, 2, 3, 4, 5, 6}, {1, 2, 4, 8}}) \
      ->Iterations(1)                                   \
      ->Unit(benchmark::kMillisecond)
RICOCHET_ACCURACY(Located);
RICOCHET_ACCURACY(VirtualTip);
RICOCHET_ACCURACY(Redistributed);

}  // namespace
