// The size of an impulse: which root of the surplus is found, and that the search for it ends.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "ricochet/contact/jump.hpp"

namespace ricochet::contact {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// impulse_size of an elastic law between energies of this size, with a count of the trials.
struct Search {
  double energy = 1;
  int trials = 0;
  std::optional<double> operator()(numerics::FunctionRef<double(double)> surplus) {
    auto counted = [&](double mu) {
      if (++trials > 10000) throw std::runtime_error("no end");
      return surplus(mu);
    };
    return impulse_size<double>(counted, 0.5, energy);
  }
};

TEST(ImpulseSize, IsTheRootThatSeparates) {
  for (const double root : {0.6, 0.99, 1.0, 1.3, 40.0, 1e5}) {
    Search search{root * root};
    const auto mu = search([&](double x) { return x * (x - root); });
    ASSERT_TRUE(mu) << root;
    EXPECT_NEAR(*mu, root, 4e-16 * root);
  }
}

TEST(ImpulseSize, IsFoundBeforeTrialsThatCannotBeFlown) {
  // The root stands a millionth before the place from which on nothing can be flown.
  for (const double root : {1.3, 40.0, 397.0, 1e5}) {
    Search search{root * root};
    const auto mu = search([&](double x) { return x > root * (1 + 1e-6) ? nan : x * (x - root); });
    ASSERT_TRUE(mu) << root;
    EXPECT_NEAR(*mu, root, 4e-16 * root);
    EXPECT_LT(search.trials, 150) << root;
  }
}

TEST(ImpulseSize, IsGivenUpWhereNothingCanBeFlown) {
  for (const double end : {1.01, 1.3, 40.0, 397.26848054418309, 1e5}) {
    Search search;
    EXPECT_FALSE(search([&](double x) { return x > end ? nan : -1; })) << end;
    EXPECT_LT(search.trials, 200) << end;
  }
  // Places that cannot be flown come and go: strips of 1e-7, the first of them beyond 2.
  Search search;
  EXPECT_FALSE(search([&](double x) { return x > 2 && std::fmod(x * 1e6, 1.0) < 0.1 ? nan : -1; }));
  EXPECT_LT(search.trials, 200);
  Search everywhere;
  EXPECT_FALSE(everywhere([](double) { return nan; }));
  EXPECT_LT(everywhere.trials, 200);
}

}  // namespace
}  // namespace ricochet::contact
