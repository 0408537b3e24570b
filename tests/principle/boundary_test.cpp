// Boundary value problems of both principles (Leine 2009, section 8; errata L1, L2).
#include "ricochet/principle/boundary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "support/effort.hpp"

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
/// Times of an impact between heights y0 and y1 in time T under gravity: where both parabolas meet the floor equally
/// fast.
std::vector<double> impact_times(double g, double y0, double y1, double T) {
  const auto difference = [&](double t) {
    return y0 / t + g * t / 2 - y1 / (T - t) - g * (T - t) / 2;  // |v⁻| − |v⁺|, both positive
  };
  std::vector<double> times;
  const int scan = 20000;
  for (int k = 1; k + 1 < scan; ++k) {
    double a = T * k / scan, b = T * (k + 1) / scan;
    if ((difference(a) < 0) == (difference(b) < 0)) continue;
    for (int n = 0; n < 60; ++n) {
      const double middle = (a + b) / 2;
      ((difference(middle) < 0) == (difference(a) < 0) ? a : b) = middle;
    }
    times.push_back(a);
  }
  return times;
}
// Every strong motion once: each is a root for many nodes, at times that differ by O(h²), and none of these need be the
// node its time is nearest to (5 points: node 2 at 0.519, node 3 at 0.474, grid times 0.4 and 0.6).
TEST(Boundary, StrongSolutionsUnderGravityAreThoseOfTheParabolas) {
  struct Ends {
    double y0, y1, T;
    std::size_t impacts;
  };
  for (const auto& [y0, y1, T, impacts] :
       {Ends{1, 0.7, 1.2, 3}, Ends{1, 1, 1.2, 3}, Ends{0.4, 0.9, 1, 1}, Ends{1, 0.7, 0.5, 1}, Ends{2, 0.1, 1.5, 1}}) {
    const auto times = impact_times(9.81, y0, y1, T);
    ASSERT_EQ(times.size(), impacts) << y0 << " " << y1;
    for (const int N : {3, 4, 5, 6, 8, 12, 16}) {
      const auto strong = Problem(HalfLine{9.81, 2}, one(y0), one(y1), 0, T, N).strong();
      std::vector<double> found;
      for (const auto& s : strong) {
        EXPECT_TRUE(s.first && s.second);
        if (!s.percussions.empty()) found.push_back(s.t[static_cast<std::size_t>(s.percussions[0].node)]);
      }
      std::sort(found.begin(), found.end());
      EXPECT_EQ(strong.size(), found.size() + 1) << N;  // and the throw without an impact
      ASSERT_EQ(found.size(), impacts) << N << " points from " << y0 << " to " << y1 << " in " << T;
      const double h = T / (N + 1);
      for (std::size_t i = 0; i < impacts; ++i) EXPECT_NEAR(found[i], times[i], 1.5 * h * h) << N;
    }
  }
}
TEST(Boundary, StrongSolutionsBetweenAnyTwoHeights) {
  std::mt19937_64 engine(2);  // three impact times in the first trial, one in the second
  std::uniform_real_distribution<double> uniform;
  int several = 0;
  for (int trial = 0; trial < test::effort(40); ++trial) {
    const double y0 = 0.05 + 2 * uniform(engine), y1 = 0.05 + 2 * uniform(engine), T = 0.3 + 1.5 * uniform(engine);
    const int N = 6 + trial % 5;
    std::size_t impacts = 0;
    for (const auto& s : Problem(HalfLine{9.81, 2}, one(y0), one(y1), 0, T, N).strong())
      impacts += s.percussions.size();
    const std::size_t want = impact_times(9.81, y0, y1, T).size();
    EXPECT_EQ(impacts, want) << N << " points from " << y0 << " to " << y1 << " in " << T;
    several += want > 1;
  }
  EXPECT_GT(several, 0);
}
// Under gravity every set of closed gaps has a motion of its own: as many as sets.
TEST(Boundary, AsManyMotionsAsSets) {
  for (const int N : {4, 12, 14})
    EXPECT_EQ(Problem(HalfLine{9.81, 2}, one(1), one(0.7), 0, 1.2, N).weak().size(), std::size_t(1) << N);
}
/// q ≥ floor.
struct Raised : HalfLine {
  double floor = 0;
  template <class T>
  T gap(int, Point<T> q) const {
    return q[0] - T(floor);
  }
};
// From the floor to the floor, wherever the origin is: the motions between contacts, and the one that rests throughout.
TEST(Boundary, MotionsAtTheOriginAreCountedToo) {
  for (const double floor : {0.0, 1e-3, 1.0, 100.0}) {
    const principle::BoundaryProblem<Raised> problem({{9.81, 2}, floor}, one(floor), one(floor), 0, 1, 5);
    const auto weak = problem.weak();
    EXPECT_EQ(weak.size(), 32u) << floor;
    for (const auto& s : weak) EXPECT_TRUE(s.first) << floor << ", defect " << s.first_defect;
  }
}
/// Two gaps that are the same one: what touches one touches both.
struct Twice : HalfLine {
  int gaps() const { return 2; }
};
TEST(Boundary, AMotionCountsOnceWhicheverGapItTouches) {
  const principle::BoundaryProblem<Twice> problem(Twice{}, one(1), one(2), 0, 3, 3);
  EXPECT_EQ(problem.weak().size(), 7u);
  EXPECT_EQ(problem.strong().size(), 2u);
}
/// V = log(q − 1), which is no number left of 1.
struct Logarithm : HalfLine {
  template <class T>
  T potential(Point<T> q) const {
    using std::log;
    return log(q[0] - 1.0);
  }
};
TEST(Boundary, RefusesWhatIsNoNumber) {
  using Undefined = principle::BoundaryProblem<Logarithm>;
  EXPECT_THROW(Undefined(Logarithm{}, one(0.5), one(2), 0, 3, 3), Error);
  EXPECT_THROW(Undefined(Logarithm{}, one(2), one(1), 0, 3, 3), Error);
  const auto defined = Undefined(Logarithm{}, one(2), one(2), 0, 0.1, 3).weak();
  EXPECT_FALSE(defined.empty());
  for (const auto& s : defined) EXPECT_TRUE(std::isfinite(s.action));
  EXPECT_THROW(Problem(HalfLine{}, one(1), one(2), 0, 1e-300, 3).weak(), Error);
  EXPECT_THROW(Problem(HalfLine{}, one(1), one(2), 0, 1e-300, 3).strong(), Error);
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
