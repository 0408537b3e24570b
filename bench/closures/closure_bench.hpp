// What a closure costs: an impact step and a free step relative to `variational`, on the table and on the star. One
// closure per translation unit, as in a program that uses it: the compiler inlines less the more there are.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "../../tests/closure/systems.hpp"
#include "../../tests/support/systems.hpp"
#include "ricochet/bodies/generalized.hpp"
#include "ricochet/closure/interpolated.hpp"
#include "ricochet/closure/shadow.hpp"
#include "ricochet/principle/strong.hpp"

namespace {

using namespace ricochet;

/// Step and start of scenes/table.toml.
struct Table : test::Table {
  static constexpr double h = 0.05;
  static Eigen::Vector2d q0() { return {0.3, 0.1}; }
  static Eigen::Vector2d v0() { return {1.1, 1.37}; }
};

/// Step and start of scenes/star.toml.
struct Star : test::Star {
  static constexpr double h = 0.005;
  static Eigen::Vector3d q0() { return {0, 3.5, 0}; }
  static Eigen::Vector3d v0() { return {-2, 0, 5}; }
};

/// States before steps with exactly one impact, or with none, along a run of shadow4 (its energy does not walk).
template <class System, class Body>
std::vector<typename Body::Node> nodes(const Body& body, bool impact) {
  constexpr std::size_t wanted = 200;
  std::vector<typename Body::Node> kept;
  principle::Strong<Body, closure::Shadow4> run(body, body.node(System::q0(), System::v0()));
  while (kept.size() < wanted) {
    const auto node = run.node();
    const long long before = run.impacts();
    run.step(System::h);
    if (run.impacts() - before == (impact ? 1 : 0)) kept.push_back(node);
  }
  return kept;
}

/// One pass over all states; seconds.
template <class Run, class Nodes>
double pass(Run& run, const Nodes& nodes, double h) {
  auto state = run.state();
  const auto start = std::chrono::steady_clock::now();
  for (const auto& node : nodes) {
    state.node = node;
    run.restore(state);
    run.step(h);
  }
  benchmark::DoNotOptimize(run.node());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Both closures take turns, so that whatever else the machine does meets both; `ratio` is that of their best passes.
/// The reference flies the trapezoid rule, whatever the rule of the closure.
template <class System, class Closure>
void closure(benchmark::State& state, bool impact, const discrete::Rule<double>& rule) {
  using Body = bodies::Generalized<System>;
  const Body plain(System{}, discrete::Rule<double>::trapezoid()), body(System{}, rule);
  const auto steps = nodes<System>(plain, impact);
  principle::Strong<Body, closure::Variational> reference(plain, steps.front());
  principle::Strong<Body, Closure> run(body, steps.front());
  double best_reference = std::numeric_limits<double>::infinity(), best = best_reference;
  for (auto _ : state) {
    best_reference = std::min(best_reference, pass(reference, steps, System::h));
    const double seconds = pass(run, steps, System::h);
    best = std::min(best, seconds);
    state.SetIterationTime(seconds);
  }
  state.counters["ns_per_step"] = 1e9 * best / static_cast<double>(steps.size());
  state.counters["ratio"] = best / best_reference;
  state.SetItemsProcessed(state.iterations() * static_cast<long>(steps.size()));
}

template <class System, class Closure>
bool announce(const std::string& name, const discrete::Rule<double>& rule = discrete::Rule<double>::trapezoid()) {
  for (const bool impact : {true, false})
    benchmark::RegisterBenchmark(
        (name + (impact ? "/impact_step" : "/free_step")).c_str(),
        [rule](benchmark::State& state, bool with) { closure<System, Closure>(state, with, rule); }, impact)
        ->UseManualTime();
  return true;
}

}  // namespace
