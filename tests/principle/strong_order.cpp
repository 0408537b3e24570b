// Order of accuracy through a collision in V = 9.81y + 0.1y³, in state and impact time, by least squares.
#include <gtest/gtest.h>

#include <cmath>

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/principle/strong.hpp"
#include "support/systems.hpp"

namespace ricochet {
namespace {

using Real = long double;
using Body = bodies::Generalized<test::Star, Real>;
using discrete::Rule;

struct Result {
  Real t_impact = 0;
  Eigen::Matrix<Real, 6, 1> state;
};

struct FirstImpact {
  Real t = -1;
  void impact(const principle::ImpactEvent<Body>& e) {
    if (t < 0) t = e.t;
  }
};

Result fly_through(const Rule<Real>& rule, int steps) {
  const Body body(test::Star{9.81, 0.1}, rule);
  principle::Strong<Body> run(body, body.node({0, 1.2L, 0.3L}, {-0.5L, -1, 2}));
  FirstImpact first;
  run.run(Real(0.5L) / steps, steps, first);
  EXPECT_EQ(run.impacts(), 1);
  EXPECT_EQ(run.fallbacks(), 0);
  Result r;
  r.t_impact = first.t;
  r.state << run.node().q, run.node().p;
  return r;
}

struct Slope {
  double state, time;
};

/// Least squares over eight step sizes from 0.5/first on. The constant of the error depends on the phase α of the
/// impact within its step (by a factor of ten for the trapezoid), so each size stands for the RMS over 24
/// incommensurate neighbours.
Slope observed_order(const Rule<Real>& rule, double first, double ratio) {
  // The reference is another method (Suzuki's composition) with far smaller steps: independent of the rule under test.
  static const Result reference = fly_through(Rule<Real>::suzuki4(), 20011);
  double sx = 0, sxx = 0, sy = 0, sxy = 0, sz = 0, sxz = 0;
  const int levels = 8;
  for (int level = 0; level < levels; ++level) {
    const double size = first * std::pow(ratio, level);
    double x = 0, state = 0, time = 0;
    for (int k = 0; k < 24; ++k) {
      const int n = static_cast<int>(size * (1 + k / 48.0));
      const Result r = fly_through(rule, n);
      x += std::log(0.5 / n) / 24;
      state += static_cast<double>((r.state - reference.state).squaredNorm());
      time += static_cast<double>((r.t_impact - reference.t_impact) * (r.t_impact - reference.t_impact));
    }
    const double y = std::log(state) / 2, z = std::log(time) / 2;
    sx += x, sxx += x * x, sy += y, sxy += x * y, sz += z, sxz += x * z;
  }
  return {(levels * sxy - sx * sy) / (levels * sxx - sx * sx), (levels * sxz - sx * sz) / (levels * sxx - sx * sx)};
}

TEST(StrongOrder, TrapezoidIsTwo) {
  const Slope s = observed_order(Rule<Real>::trapezoid(), 100, 1.4);
  EXPECT_NEAR(s.state, 2, 0.1);
  EXPECT_NEAR(s.time, 2, 0.1);
}
TEST(StrongOrder, MidpointIsTwo) {
  const Slope s = observed_order(Rule<Real>::midpoint(), 100, 1.4);
  EXPECT_NEAR(s.state, 2, 0.1);
  EXPECT_NEAR(s.time, 2, 0.1);
}
TEST(StrongOrder, RectangleIsOne) {
  for (const auto& rule : {Rule<Real>::rectangle_left(), Rule<Real>::rectangle_right()}) {
    const Slope s = observed_order(rule, 100, 1.4);
    EXPECT_NEAR(s.state, 1, 0.1) << rule.name();
    EXPECT_NEAR(s.time, 1, 0.1) << rule.name();
  }
}
TEST(StrongOrder, YoshidaAndSuzukiAreFour) {
  for (const auto& rule : {Rule<Real>::yoshida4(), Rule<Real>::suzuki4()}) {
    const Slope s = observed_order(rule, 60, 1.25);
    EXPECT_NEAR(s.state, 4, 0.25) << rule.name();
    EXPECT_NEAR(s.time, 4, 0.25) << rule.name();
  }
}

}  // namespace
}  // namespace ricochet
