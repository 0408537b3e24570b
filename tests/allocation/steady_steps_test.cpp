// Steps allocate nothing once their buffers have grown, impacts or none. tangent/counted_malloc.cpp counts.
#include <gtest/gtest.h>

#include <cmath>

#include "closure/systems.hpp"
#include "ricochet/bodies/generalized.hpp"
#include "ricochet/closure/any.hpp"
#include "ricochet/principle/strong.hpp"
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
/// The same with the closures whose work has a size of its own; interpolated keeps orbits on the heap.
template <class System, class Vec>
void expect_none_of_any(const System& system, const char* rule, Vec q, Vec v, Span span) {
  using Body = bodies::Generalized<System>;
  const Body body(system, Rule<double>::named(rule));
  for (const char* name : {"variational", "reflection", "shadow2", "shadow4"}) {
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
  expect_none_of_any(test::Table{}, "trapezoid", Vector2d(0.3, 0.1), Vector2d(1.1, 1.37), {0.05, 2000, 2000, 50});
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
