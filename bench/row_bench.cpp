// Microseconds per impact of n free masses in a row between two walls: an impact concerns two neighbours, so what it
// costs should hardly depend on how many others there are. `ratio` compares 300 masses with 10.
#include <benchmark/benchmark.h>

#include <ctime>
#include <map>

#include "../tests/support/row.hpp"
#include "ricochet/bodies/generalized.hpp"
#include "ricochet/principle/strong.hpp"

namespace {

using namespace ricochet;

/// All that lies between two impacts counts: sixteen steps for ten masses, half a step for three hundred.
void row(benchmark::State& state) {
  static std::map<int, double> found;
  const int n = static_cast<int>(state.range(0));
  using Body = bodies::Generalized<test::Row>;
  const test::Row masses{n};
  const Body body(masses, discrete::Rule<double>::trapezoid());
  principle::Strong<Body, closure::Reflection> run(body, body.node(masses.positions(), masses.velocities()));
  constexpr double h = 0.01;
  run.run(h, 1000);
  const long long before = run.impacts(), steps_before = run.steps();
  const std::clock_t start = std::clock();  // of the processor: the machine may be busy
  for (auto _ : state) run.step(h);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const auto impacts = static_cast<double>(run.impacts() - before);
  found[n] = 1e6 * seconds / impacts;
  state.counters["us_per_impact"] = found[n];
  state.counters["impacts_per_step"] = impacts / static_cast<double>(run.steps() - steps_before);
  if (n == 300 && found.contains(10)) state.counters["ratio"] = found[300] / found[10];
}
BENCHMARK(row)->Arg(10)->Arg(30)->Arg(100)->Arg(300);

}  // namespace
