// Steps per second of the star: with the floor in play and with the same four gaps out of reach, and allocations.
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "../tests/support/systems.hpp"
#include "ricochet/bodies/generalized.hpp"
#include "ricochet/principle/strong.hpp"

// g++ 12 takes the inlined replacement for a mismatch of malloc and delete.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace {
std::atomic<long> allocations{0};
}
void* operator new(std::size_t n) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* p = std::malloc(n)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace {

using namespace ricochet;

/// A floor far below keeps all four gaps but lets none close.
void star(benchmark::State& state, double floor) {
  using Body = bodies::Generalized<test::Star>;
  const Body body(test::Star{9.81, 0, floor}, discrete::Rule<double>::trapezoid());
  principle::Strong<Body> run(body, body.node({0, 3.5, 0}, {-2, 0, 5}));
  run.run(0.005, 1000);
  const long before = allocations;
  const long long impacts = run.impacts();
  for (auto _ : state) run.step(0.005);
  state.counters["allocations"] = static_cast<double>(allocations - before);
  state.counters["impacts"] = static_cast<double>(run.impacts() - impacts);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(star, floor_in_play, 0.0);
BENCHMARK_CAPTURE(star, floor_out_of_reach, -1e9);

}  // namespace
