// Steps allocate nothing once their buffers have grown, impacts or none. tangent/counted_malloc.cpp counts.
#include <gtest/gtest.h>

#include <cmath>

#include "bodies/beam_cases.hpp"
#include "closure/systems.hpp"
#include "principle/grid/bars.hpp"
#include "ricochet/bodies/bars.hpp"
#include "ricochet/bodies/beam.hpp"
#include "ricochet/bodies/generalized.hpp"
#include "ricochet/closure/any.hpp"
#include "ricochet/principle/strong.hpp"
#include "ricochet/principle/weak.hpp"
#include "support/row.hpp"
#include "support/systems.hpp"

// A call, as compilers take it for granted that malloc changes no variable.
long allocations();

namespace ricochet {
namespace {

using discrete::Rule;
using Eigen::Vector2d;
using Eigen::Vector3d;

/// How often buffers grow is decided by the rarest event so far: the first `warm` steps may, the `steady` ones that
/// follow may not, and have at least `impacts` impacts among them.
struct Span {
  double h;
  long long warm, steady, impacts;
};
template <class Run>
void expect_none(Run& run, Span span, const std::string& what) {
  for (long long k = 0; k < span.warm; ++k) run.step(span.h);
  const long long impacts = run.impacts();
  const long before = allocations();
  for (long long k = 0; k < span.steady; ++k) run.step(span.h);
  EXPECT_EQ(allocations() - before, 0) << what;
  EXPECT_GE(run.impacts() - impacts, span.impacts) << what;
}
/// The same with every closure.
template <class System, class Vec>
void expect_none_of_any(const System& system, const char* rule, Vec q, Vec v, Span span) {
  using Body = bodies::Generalized<System>;
  const Body body(system, Rule<double>::named(rule));
  for (const char* name : {"variational", "reflection", "shadow2", "shadow4", "interpolated"}) {
    principle::Strong<Body, closure::AnyClosure> run(body, body.node(q, v), closure::named_closure(name, body));
    expect_none(run, span, std::string(rule) + ", " + name);
  }
}

TEST(Allocations, OfTheStar) {
  expect_none_of_any(test::Star{}, "trapezoid", Vector3d(0, 3.5, 0), Vector3d(-2, 0, 5), {0.005, 4000, 4000, 10});
}
TEST(Allocations, OfAParticle) {
  expect_none_of_any(test::Particle{}, "trapezoid", Vector2d(0, 1), Vector2d(1, 0), {0.01, 1000, 4000, 40});
}
TEST(Allocations, OfTheTable) {
  for (const char* rule : {"trapezoid", "midpoint"})
    expect_none_of_any(test::Table{}, rule, Vector2d(0.3, 0.1), Vector2d(1.1, 1.37), {0.05, 2000, 2000, 400});
}

/// Dimensions that are known when the program runs only: every vector is on the heap.
TEST(Allocations, OfARowOfMasses) {
  using Body = bodies::Generalized<test::Row>;
  const test::Row row{40};
  const Body body(row, Rule<double>::trapezoid());
  const auto start = body.node(row.positions(), row.velocities());
  principle::Strong<Body> variational(body, start);
  expect_none(variational, {0.05, 2000, 2000, 2000}, "variational");
  principle::Strong<Body, closure::Reflection> reflection(body, start);
  expect_none(reflection, {0.05, 2000, 2000, 2000}, "reflection");
}

/// A chain under the weak principle: springs, and gaps that close on a grid.
struct Chain : test::Row {
  template <class T>
  T potential(Point<T> q) const {
    T sum(0);
    for (std::size_t k = 0; k + 1 < q.size(); ++k) sum += (q[k + 1] - q[k] - 1.0) * (q[k + 1] - q[k] - 1.0);
    return sum;
  }
};
TEST(Allocations, OfAWeakChain) {
  using Body = bodies::Generalized<Chain>;
  const Chain chain{{10}};
  const Body body(chain, Rule<double>::trapezoid());
  principle::Weak<Body> run(body, body.node(chain.positions(), 2 * chain.velocities()));
  expect_none(run, {0.005, 20000, 20000, 1000}, "weak");
}

/// Two bars between two walls.
bodies::BarsSpec<double> bars() {
  bodies::BarsSpec<double> spec;
  for (const int i : {0, 1}) {
    bodies::BarSpec<double> bar;
    bar.length = 2, bar.elements = 10, bar.modulus = 1;
    bar.position = 2.1 * i + 0.1;
    bar.velocity = i == 0 ? 0.2 : -0.15;
    spec.bars.push_back(bar);
  }
  spec.walls = {{"left", 0}, {"right", 4.3}};
  return spec;
}
TEST(Allocations, OfBars) {
  using Bars = bodies::Bars<double>;
  const Bars body(bars());
  principle::Strong<Bars> run(body, body.start());
  expect_none(run, {0.02, 4000, 4000, 100}, "located");
}
/// Contact on the grid, without events.
template <class Run>
void expect_none_on_grid(Run run) {
  run.step(0.02, 20000);
  const long before = allocations();
  run.step(0.02, 20000);
  EXPECT_EQ(allocations() - before, 0);
}
TEST(Allocations, OfBarsOnTheGrid) {
  expect_none_on_grid(test::MasslessTips<double>(bars()));
  expect_none_on_grid(test::VirtualTip<double>(bars()));
}

TEST(Allocations, OfABeam) {
  using Beams = bodies::Beams<double>;
  const Beams body(test::paper_beam<double>(10, 4e-5));
  principle::Strong<Beams> run(body, body.start());
  expect_none(run, {1e-5, 3000, 10000, 10}, "beam");
}

TEST(Allocations, AreCounted) {
  long before = allocations();
  Eigen::VectorXd x(100);
  x.setLinSpaced(1, 100);
  EXPECT_GT(allocations(), before) << x.sum();
  before = allocations();
  const std::vector<double> y(x.begin(), x.end());
  EXPECT_GT(allocations(), before) << y.back();
}

}  // namespace
}  // namespace ricochet
