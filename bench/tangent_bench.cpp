// What a tangent costs: a run with its full tangent over the run alone, against one more run per direction.
#include <benchmark/benchmark.h>

#include "../tests/impact/systems.hpp"
#include "../tests/support/systems.hpp"
#include "ricochet/bodies/generalized.hpp"
#include "ricochet/tangent/run.hpp"

namespace {

using namespace ricochet;

template <class System, class Closure>
struct Case {
  using Body = bodies::Generalized<System>;
  Body body;
  typename Body::Node start;
  double h;
  static constexpr int steps = 2000;

  void alone(benchmark::State& state) const {
    long long impacts = 0;
    for (auto _ : state) {
      principle::Strong<Body, Closure> run(body, start);
      run.run(h, steps);
      impacts = run.impacts();
      benchmark::DoNotOptimize(run.node().q.data());
    }
    state.counters["impacts"] = static_cast<double>(impacts);
    state.SetItemsProcessed(state.iterations() * steps);
  }
  void tangent(benchmark::State& state) const {
    for (auto _ : state) {
      tangent::DifferentiatedRun run(body, start, tangent::Fixed<System>(body.mechanics().system()), Closure{});
      run.run(h, steps);
      benchmark::DoNotOptimize(run.derivative().data());
    }
    state.counters["directions"] = 2.0 * body.dimension();
    state.SetItemsProcessed(state.iterations() * steps);
  }
};

template <class Closure>
Case<test::Star, Closure> star() {
  bodies::Generalized<test::Star> body(test::Star{9.81, 0.1}, discrete::Rule<double>::trapezoid());
  return {body, body.node({0, 1.2, 0.3}, {-0.5, -1, 2}), 0.01};
}
template <class Closure>
Case<test::Table, Closure> table() {
  bodies::Generalized<test::Table> body(test::Table{}, discrete::Rule<double>::trapezoid());
  return {body, body.node({0.3, 0.1}, {1.1, 1.37}), 0.005};
}
template <class Closure>
Case<test::DoublePendulum, Closure> pendulum() {
  bodies::Generalized<test::DoublePendulum> body(test::DoublePendulum{}, discrete::Rule<double>::midpoint());
  return {body, body.node({0.1, 0.2}, {1.1, -0.4}), 0.02};
}

#define RICOCHET_PAIR(name, make, Closure)                                         \
  void name##_run(benchmark::State& state) { make<Closure>().alone(state); }       \
  void name##_tangent(benchmark::State& state) { make<Closure>().tangent(state); } \
  BENCHMARK(name##_run)->Unit(benchmark::kMicrosecond);                            \
  BENCHMARK(name##_tangent)->Unit(benchmark::kMicrosecond)

RICOCHET_PAIR(star_variational, star, impact::Variational);
RICOCHET_PAIR(table_variational, table, impact::Variational);
RICOCHET_PAIR(table_shadow4, table, impact::Shadow4);
RICOCHET_PAIR(double_pendulum_variational, pendulum, impact::Variational);
RICOCHET_PAIR(double_pendulum_interpolated, pendulum, impact::Interpolated);

}  // namespace
