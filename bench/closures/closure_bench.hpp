// What a closure costs: an impact step and a free step relative to `variational`, on the table and on the star. One
// closure per translation unit, as in a program that uses it: the compiler inlines less the more there are.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/impact/interpolated.hpp"
#include "ricochet/impact/shadow.hpp"
#include "ricochet/principle/strong.hpp"

namespace {

using namespace ricochet;

/// The bundled table (docs/shadow.md).
struct Table {
  static constexpr int dimension = 2;
  static constexpr double h = 0.05;
  static Eigen::Vector2d q0() { return {0.3, 0.1}; }
  static Eigen::Vector2d v0() { return {1.1, 1.37}; }
  Eigen::Vector2d mass() const { return {1, 1}; }
  template <class T>
  T potential(Point<T> q) const {
    const T x2 = q[0] * q[0], y2 = q[1] * q[1];
    return 0.5 * (x2 + 1.7 * y2) + 0.25 * x2 * x2 + 0.6 * x2 * y2;
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    const T x2 = q[0] * q[0], y2 = q[1] * q[1], r2 = x2 + y2;
    return 1.0 - r2 * r2 - 0.6 * q[0] * x2 + 1.8 * q[0] * y2;
  }
};

/// Fetecau 2003, section 4.3.
struct Star {
  static constexpr int dimension = 3;
  static constexpr double h = 0.005;
  static Eigen::Vector3d q0() { return {0, 3.5, 0}; }
  static Eigen::Vector3d v0() { return {-2, 0, 5}; }
  Eigen::Vector3d mass() const { return {1, 1, 29.0 / 192.0}; }
  template <class T>
  T potential(Point<T> q) const {
    return 9.81 * q[1];
  }
  int gaps() const { return 4; }
  template <class T>
  T gap(int i, Point<T> q) const {
    using std::cos;
    using std::sin;
    const double a = (i & 1) != 0 ? -0.5 : 0.5, b = (i & 2) != 0 ? -0.5 : 0.5;
    return q[1] - a * sin(q[2]) - b * cos(q[2]);
  }
};

/// States before steps with exactly one impact, or with none, along a run of shadow4 (its energy does not walk).
template <class System, class Body>
std::vector<typename Body::Node> nodes(const Body& body, bool impact) {
  constexpr std::size_t wanted = 200;
  std::vector<typename Body::Node> kept;
  principle::Strong<Body, impact::Shadow4> run(body, body.node(System::q0(), System::v0()));
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
template <class System, class Closure>
void closure(benchmark::State& state, bool impact) {
  using Body = bodies::Generalized<System>;
  const Body body(System{}, discrete::Rule<double>::trapezoid());
  const auto steps = nodes<System>(body, impact);
  principle::Strong<Body, impact::Variational> reference(body, steps.front());
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
bool announce(const std::string& name) {
  for (const bool impact : {true, false})
    benchmark::RegisterBenchmark((name + (impact ? "/impact_step" : "/free_step")).c_str(),
                                 [](benchmark::State& state, bool with) { closure<System, Closure>(state, with); },
                                 impact)
        ->UseManualTime();
  return true;
}

}  // namespace
