// Boundary value problems of both principles (Leine 2009, section 8; errata L1, L2).
#include "ricochet/principle/boundary.hpp"

#include <gtest/gtest.h>

namespace ricochet {
namespace {

/// A particle on the half line q ≥ 0, free or under a constant force −g.
struct HalfLine {
  double g = 0, m = 1;
  int dimension() const { return 1; }
  Eigen::VectorXd mass() const { return Eigen::VectorXd::Constant(1, m); }
  template <class T>
  T potential(Point<T> q) const {
    return T(m * g) * q[0];
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    return q[0];
  }
};
using Problem = principle::BoundaryProblem<HalfLine>;
Eigen::VectorXd one(double x) { return Eigen::VectorXd::Constant(1, x); }

// The motion that arrives at node a, rests until node b and leaves has, with spacing d, the action
// ½(q0²/(a d) + qf²/((N + 1 − b) d)); with N = 3, d = ¾ the seven of errata L2.
TEST(Boundary, FigureSevenHasSevenWeakSolutions) {
  const Problem problem(HalfLine{}, one(1), one(2), 0, 3, 3);
  const auto weak = problem.weak();
  const double actions[] = {1.0 / 6, 14.0 / 9, 5.0 / 3, 2, 26.0 / 9, 3, 10.0 / 3};
  ASSERT_EQ(weak.size(), 7u);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(weak[i].action, actions[i], 1e-12);
    EXPECT_TRUE(weak[i].first);
    EXPECT_EQ(weak[i].second, i == 0);  // no percussion at t_c = 1 on this grid: only the free motion keeps E
  }
}
TEST(Boundary, CountsOfErrataL2) {
  for (int N = 1; N <= 9; ++N)
    EXPECT_EQ(Problem(HalfLine{}, one(1), one(2), 0, 3, N).weak().size(), static_cast<std::size_t>(1 + N * (N + 1) / 2))
        << N;
}
// (119): t_c = (q0 tf + qf t0)/(q0 + qf) = 1 and the action ½·1 + ½·4/2 = 1.5; and the free motion, ½(1/3)²·3 = 1/6.
TEST(Boundary, StrongSolutions) {
  for (const int N : {1, 2, 3, 5, 8}) {
    const auto strong = Problem(HalfLine{}, one(1), one(2), 0, 3, N).strong();
    ASSERT_EQ(strong.size(), 2u) << N;
    EXPECT_NEAR(strong[0].action, 1.0 / 6, 1e-12);
    EXPECT_TRUE(strong[0].percussions.empty());
    EXPECT_NEAR(strong[1].action, 1.5, 1e-12);
    ASSERT_EQ(strong[1].percussions.size(), 1u);
    EXPECT_NEAR(strong[1].t[static_cast<std::size_t>(strong[1].percussions[0].node)], 1, 1e-12);
    EXPECT_NEAR(strong[1].percussions[0].impulse, 2, 1e-12);  // from −1 to +1
    EXPECT_TRUE(strong[1].first && strong[1].second);
  }
}
// On a grid with t_2 = 1 (N = 5) the reflecting weak solution is the strong one: the second condition tells it apart.
TEST(Boundary, SecondConditionSinglesOutTheStrongOne) {
  int both = 0;
  for (const auto& s : Problem(HalfLine{}, one(1), one(2), 0, 3, 5).weak())
    if (s.second && !s.percussions.empty()) {
      ++both;
      EXPECT_NEAR(s.action, 1.5, 1e-12);
    }
  EXPECT_EQ(both, 1);
}
// Under gravity the rest needs percussions all along, λ = h m g, and every motion must be met by a force ≥ 0: the
// discrete motion of a thrown ball is the parabola itself, whatever N.
TEST(Boundary, ThrownBallIsTheParabola) {
  const double g = 2;
  const auto weak = Problem(HalfLine{g, 3}, one(1), one(1), 0, 1, 4).weak();
  // q = 1 + ½g t(1 − t): never below 1, so it is the only motion without percussion
  std::size_t free = 0;
  for (const auto& s : weak) {
    if (!s.percussions.empty()) continue;
    ++free;
    for (std::size_t i = 0; i < s.q.size(); ++i) EXPECT_NEAR(s.q[i][0], 1 + g / 2 * s.t[i] * (1 - s.t[i]), 1e-12);
  }
  EXPECT_EQ(free, 1u);
}
TEST(Boundary, RefusesWhatCannotBeEnumerated) {
  EXPECT_THROW(Problem(HalfLine{}, one(1), one(2), 0, 3, 17), Error);
  EXPECT_THROW(Problem(HalfLine{}, one(-1), one(2), 0, 3, 3), Error);
  EXPECT_THROW(Problem(HalfLine{}, one(1), one(2), 3, 3, 3), Error);
  try {
    const Problem refused(HalfLine{}, one(1), one(2), 0, 3, 40);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("at most 16 points"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace ricochet
