// Contacts that act together are few: up to eight of them no solver and no law may touch the heap.
#include <gtest/gtest.h>

#include "complementarity/problems.hpp"
#include "ricochet/complementarity/nonnegative.hpp"
#include "ricochet/mechanics/law.hpp"
#include "ricochet/mechanics/law_check.hpp"

extern long allocations;  // counted_new.cpp

namespace ricochet {
namespace {

TEST(Allocation, UpToEightContactsUseNoHeap) {
  std::mt19937_64 engine(21);
  for (int k = 1; k <= complementarity::small_size; ++k)
    for (const int dimension : {2, 12}) {
      auto cone = testing::random_cone<double>(engine, k, dimension, true);
      for (int i = 0; i < k; ++i)
        if (cone.v[i] > 0) cone.G.row(i) *= -1;
      cone.v = cone.G * cone.u;
      cone.W = cone.G * cone.G.transpose();
      Eigen::VectorXd lambda(k), e = Eigen::VectorXd::Constant(k, 0.5);
      const auto A = mechanics::contacts<double>(cone.W, cone.v, e);
      for (const char* name : {"elastic", "newton", "poisson", "canonical", "sequential"}) {
        const auto law = *mechanics::Law<double>::named(name);
        const long before = allocations;
        const auto outcome = law(A, lambda);
        const bool admissible = static_cast<bool>(mechanics::check_law(A, lambda, outcome));
        EXPECT_EQ(allocations, before) << name << " with " << k;
        EXPECT_EQ(outcome.status, mechanics::LawStatus::solved);
        EXPECT_TRUE(admissible);
      }
    }
  // the counter counts: nine contacts may allocate, and do
  auto cone = testing::random_cone<double>(engine, 9, 12);
  Eigen::VectorXd lambda(9);
  const long before = allocations;
  ASSERT_EQ(complementarity::project_on_cone(cone.W, cone.v, lambda), complementarity::Status::solved);
  EXPECT_GT(allocations, before);
}

}  // namespace
}  // namespace ricochet
