// The tangent of a plain step allocates nothing.
#include <gtest/gtest.h>

#include "impact/systems.hpp"
#include "ricochet/bodies/generalized.hpp"
#include "ricochet/tangent/run.hpp"

// counted_malloc.cpp; a call, as compilers take it for granted that malloc changes no variable
long allocations();

namespace ricochet {
namespace {

TEST(AllocationsOfTangents, PlainStepsMakeNone) {
  for (const char* rule : {"trapezoid", "rectangle-left", "midpoint", "yoshida4"}) {
    const bodies::Generalized<test::Table> body(test::Table{}, discrete::Rule<double>::named(rule));
    tangent::DifferentiatedRun run(body, body.node({0.3, 0.1}, {1.1, 1.37}), tangent::Fixed<test::Table>({}),
                                   impact::Variational{});
    int plain = 0;
    for (int k = 0; k < 400; ++k) {
      const long before = allocations();
      const long long impacts = run.impacts();
      run.step(0.01);
      const long made = allocations() - before;
      // The first steps and the first impact make what is then kept.
      if (run.impacts() == 0 || run.impacts() > impacts) continue;
      EXPECT_EQ(made, 0) << rule << ", step " << k;
      ++plain;
    }
    EXPECT_GT(plain, 100) << rule;
  }
}

TEST(AllocationsOfTangents, AreCounted) {
  long before = allocations();
  Eigen::VectorXd x(100);
  x.setLinSpaced(1, 100);
  EXPECT_GT(allocations(), before) << x.sum();
  before = allocations();
  std::vector<double> y(x.begin(), x.end());
  EXPECT_GT(allocations(), before) << y.back();
}

}  // namespace
}  // namespace ricochet
