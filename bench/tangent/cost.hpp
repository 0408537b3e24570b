// What a tangent costs: a run with its full tangent over the same run alone, against one more run per coordinate and
// parameter. One closure per translation unit, as in a program that uses it: the compiler inlines less the more there
// are.
#pragma once

#include <benchmark/benchmark.h>

#include <ctime>
#include <limits>
#include <string>

#include "../../tests/closure/systems.hpp"
#include "../../tests/support/systems.hpp"
#include "ricochet/bodies/generalized.hpp"
#include "ricochet/tangent/run.hpp"

namespace {

using namespace ricochet;

inline double processor_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

/// Both in turn, in one process; the least of the times of either, as whatever else the machine does only adds to them.
template <class Closure, class System, class Family>
void cost(benchmark::State& state, const bodies::Generalized<System>& body,
          const typename bodies::Generalized<System>::Node& start, double h, const Family& family) {
  using Body = bodies::Generalized<System>;
  constexpr int steps = 2000;
  double run_time = std::numeric_limits<double>::infinity(), tangent_time = run_time;
  long long impacts = 0;
  for (auto _ : state) {
    principle::Strong<Body, Closure> run(body, start);
    tangent::DifferentiatedRun both(body, start, family, Closure{});
    const double t0 = processor_microseconds();
    run.run(h, steps);
    const double t1 = processor_microseconds();
    both.run(h, steps);
    const double t2 = processor_microseconds();
    run_time = std::min(run_time, t1 - t0);
    tangent_time = std::min(tangent_time, t2 - t1);
    impacts = run.impacts();
    benchmark::DoNotOptimize(run.node().q.data());
    benchmark::DoNotOptimize(both.derivative().data());
  }
  state.counters["impacts"] = static_cast<double>(impacts);
  state.counters["run_us"] = run_time;
  state.counters["tangent_us"] = tangent_time;
  state.counters["ratio"] = tangent_time / run_time;
  state.counters["goal"] = 1.0 + body.dimension() + family.parameters();
}
template <class System, class Closure>
void cost(benchmark::State& state, const bodies::Generalized<System>& body,
          const typename bodies::Generalized<System>::Node& start, double h) {
  cost<Closure>(state, body, start, h, tangent::Fixed<System>(body.mechanics().system()));
}

/// Two measurements: at the step given, and at one ten times as long, where impacts make up much of the run.
template <class Make>
bool announce(const std::string& name, Make make, double h) {
  const auto add = [&](const std::string& what, double step) {
    benchmark::RegisterBenchmark(what.c_str(), [=](benchmark::State& state) { make(state, step); })
        ->Unit(benchmark::kMicrosecond)
        ->MinTime(0.5);
  };
  add(name, h);
  add(name + "/long_steps", 10 * h);
  return true;
}

template <class Closure>
bool star(const std::string& closure) {
  return announce(
      "star/" + closure,
      [](benchmark::State& state, double h) {
        const bodies::Generalized<test::Star> body(test::Star{9.81, 0.1}, discrete::Rule<double>::trapezoid());
        cost<test::Star, Closure>(state, body, body.node({0, 1.2, 0.3}, {-0.5, -1, 2}), h);
      },
      0.005);
}
/// Start and step of scenes/table.toml.
template <class Closure>
bool table(const std::string& closure) {
  return announce(
      "table/" + closure,
      [](benchmark::State& state, double h) {
        const bodies::Generalized<test::Table> body(test::Table{}, discrete::Rule<double>::trapezoid());
        cost<test::Table, Closure>(state, body, body.node({0.3, 0.1}, {1.1, 1.37}), h);
      },
      0.005);
}
template <class Closure>
bool pendulum(const std::string& closure) {
  return announce(
      "double_pendulum/" + closure,
      [](benchmark::State& state, double h) {
        const bodies::Generalized<test::DoublePendulum> body(test::DoublePendulum{},
                                                             discrete::Rule<double>::midpoint());
        cost<test::DoublePendulum, Closure>(state, body, body.node({0.1, 0.2}, {1.1, -0.4}), h);
      },
      0.01);
}

}  // namespace
