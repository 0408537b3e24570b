// The sequential law where pairs strike without end: with e < 1 their impacts collapse, and end at rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <utility>

#include "ricochet/mechanics/law.hpp"
#include "ricochet/mechanics/law_check.hpp"
#include "support/chain.hpp"
#include "support/effort.hpp"

namespace ricochet::mechanics {
namespace {

/// A touching chain as a law sees it.
struct Touching {
  Touching(test::Chain c, const Eigen::VectorXd& velocity, double restitution)
      : chain(std::move(c)), u(velocity), G(Eigen::MatrixXd::Zero(chain.gaps(), chain.dimension())) {
    for (int i = 0; i < chain.gaps(); ++i) {
      G(i, i) = -1;
      if (i + 1 < chain.dimension()) G(i, i + 1) = 1;
    }
    W = G * chain.masses.cwiseInverse().asDiagonal() * G.transpose();
    v = G * u;
    e = Eigen::VectorXd::Constant(chain.gaps(), restitution);
    lambda = Eigen::VectorXd::Zero(chain.gaps());
  }
  Outcome<double> strike(const Law<double>& law) {
    const auto A = contacts<double>(W, v, e);
    const auto outcome = law(A, lambda);
    check = check_law(A, lambda, outcome, speed(u));
    return outcome;
  }
  Eigen::VectorXd after() const { return u + chain.masses.cwiseInverse().asDiagonal() * (G.transpose() * lambda); }
  double speed(const Eigen::VectorXd& w) const { return std::sqrt(chain.masses.dot(w.cwiseAbs2())); }

  test::Chain chain;
  Eigen::VectorXd u;
  Eigen::MatrixXd G, W;
  Eigen::VectorXd v, e, lambda;
  LawCheck<double> check;
};

// Two equal masses meet in a third, e = 0: the pairs pass λ on for ever, 1 = ½ + ¼ + ⅛ + …, and all three stop.
TEST(Sequential, ThreeMassesStop) {
  Touching a({Eigen::Vector3d::Ones()}, Eigen::Vector3d(1, 0, -1), 0);
  EXPECT_EQ(a.strike(Law<double>::sequential()).status, LawStatus::solved);
  EXPECT_TRUE(a.check) << a.check.sentence();
  EXPECT_LE((a.lambda - Eigen::Vector2d(1, 1)).norm(), 1e-15);
  EXPECT_LE(a.after().norm(), 1e-15);
}

// Masses between 1/10 and 10 and every e: each sequence ends, as the same pairs in long double end.
TEST(Sequential, EveryChainEnds) {
  std::mt19937_64 engine(21);
  std::uniform_real_distribution<double> uniform;
  int compared = 0;
  const int trials = test::effort(20000);
  for (int trial = 0; trial < trials; ++trial) {
    const int n = 2 + static_cast<int>(engine() % 4);
    test::Chain chain{Eigen::VectorXd(n), engine() % 2 == 0};
    Eigen::VectorXd u(n);
    for (int i = 0; i < n; ++i) {
      chain.masses[i] = std::pow(10, 2 * uniform(engine) - 1);
      u[i] = 2 * uniform(engine) - 1;
    }
    std::sort(u.data(), u.data() + n, std::greater<>());  // every gap closes
    if (chain.wall) u.array() -= std::min(0.0, u[n - 1]);
    const double e = trial % 4 == 0 ? 0 : trial % 4 == 1 ? 0.2 * uniform(engine) : trial % 4 == 2 ? uniform(engine) : 1;
    for (const auto order : {SequentialOrder::gap_index, SequentialOrder::most_approaching}) {
      Touching a(chain, u, e);
      const auto outcome = a.strike(Law<double>::sequential(order));
      ASSERT_EQ(outcome.status, LawStatus::solved) << trial << " e " << e;
      ASSERT_FALSE(outcome.cut) << trial;
      ASSERT_TRUE(a.check) << trial << " e " << e << ": " << a.check.sentence();
      const Eigen::VectorXd after = a.after();
      // λ is rounded, and heavy masses round it more than light ones can bear: 5 gaps, λ/m up to 10·10.
      const double rounding = 1e-14 * (1 + a.lambda.maxCoeff() / chain.masses.minCoeff());
      ASSERT_GE((a.G * after).minCoeff(), -rounding) << trial << " e " << e;
      if (e < 1) {
        ASSERT_LE(a.speed(after), a.speed(u) * (1 + 1e-14)) << trial;
      } else {
        ASSERT_NEAR(a.speed(after), a.speed(u), 1e-12 * a.speed(u)) << trial;
      }
      if (!chain.wall) {
        ASSERT_NEAR(chain.masses.dot(after), chain.masses.dot(u), 1e-14 * chain.masses.sum()) << trial;
      }
      if (order != SequentialOrder::gap_index) continue;
      const auto want = test::strike_in_pairs(chain, u, e);
      if (want.empty()) continue;
      ++compared;
      for (int i = 0; i < n; ++i)
        ASSERT_NEAR(after[i], static_cast<double>(want[static_cast<std::size_t>(i)]), 1e-12) << trial << " e " << e;
    }
  }
  EXPECT_EQ(compared, trials);
}

// A light mass between heavy ones needs more pairs than the bound: the limit is one velocity, and is said to be cut.
TEST(Sequential, BeyondTheBoundWhatIsLeftCloses) {
  Touching a({Eigen::Vector3d(1, 1e-6, 1)}, Eigen::Vector3d(1, 0, -1), 0);
  const auto outcome = a.strike(Law<double>::sequential());
  EXPECT_EQ(outcome.status, LawStatus::solved);
  EXPECT_TRUE(outcome.cut);
  EXPECT_TRUE(a.check) << a.check.sentence();
  EXPECT_LE(a.after().norm(), 1e-9);  // ε λ/m with m = 1e-6
  // elastic, the same masses part in the end: ⌈π/(2 atan √(m/M))⌉ or so pairs each
  Touching b({Eigen::Vector3d(1, 1e-6, 1)}, Eigen::Vector3d(1, 0, -1), 1);
  const auto elastic = b.strike(Law<double>::sequential());
  EXPECT_EQ(elastic.status, LawStatus::solved);
  EXPECT_FALSE(elastic.cut);
  EXPECT_NEAR(b.after()[0], -1, 1e-2);
  EXPECT_NEAR(b.after()[2], 1, 1e-2);
}

// Rates below the normal numbers round absolutely: no impact is to blame for it.
TEST(Sequential, TheSmallestNumbers) {
  for (const double size : {1e-300, 1e-310, 5e-324}) {
    Touching a({Eigen::Vector3d(1, 2, 3), true}, Eigen::Vector3d(size, 0, 0), 0.1);
    EXPECT_EQ(a.strike(Law<double>::sequential()).status, LawStatus::solved) << size;
    EXPECT_TRUE(a.check) << size << ": " << a.check.sentence();
  }
}

}  // namespace
}  // namespace ricochet::mechanics
