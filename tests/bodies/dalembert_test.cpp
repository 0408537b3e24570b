// The exact motion of two linear bars: closed forms, conservation laws, the equations themselves.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "bodies/cases.hpp"

namespace ricochet {
namespace {

using mechanics::LinearBar;
using mechanics::TwoBars;

TEST(DAlembert, IdenticalBarsExchangeTheirVelocities) {
  const TwoBars<double> x({10, 1, 1, 0, 0.1}, {10, 1, 1, 10.2, -0.1}, 40);
  ASSERT_EQ(x.contacts().size(), 1u);
  EXPECT_NEAR(x.contacts()[0].begin, 1, 1e-14);
  EXPECT_NEAR(x.contacts()[0].end, 21, 1e-13);  // 2L/c later
  EXPECT_NEAR(x.contact_force(5), 0.1, 1e-16);  // Z Δv / 2
  EXPECT_NEAR(x.tip_velocity(0, 5), 0, 1e-16);
  for (double s : {0.0, 3.0, 10.0}) {
    const auto a = x.state(0, s, 30);
    EXPECT_NEAR(a.velocity, -0.1, 1e-15);
    EXPECT_NEAR(a.strain, 0, 1e-15);
    // Centre of mass: 5.1 at t = 1 (contact), at rest until 21 on average.
    EXPECT_NEAR(a.position, s + 0.1 * 1 - 0.1 * (30 - 1) + 2 * 0.1 * 10, 1e-13);
  }
  // Behind the front that runs into A from the tip: v = 0, e − 1 = −v/c.
  EXPECT_NEAR(x.state(0, 8, 4).strain, -0.1, 1e-15);
  EXPECT_NEAR(x.state(0, 8, 4).velocity, 0, 1e-15);
  EXPECT_NEAR(x.state(0, 6, 4).velocity, 0.1, 1e-15);  // ahead of it
}

TEST(DAlembert, ImpedanceMismatch) {
  // Case 3: Z = 1, √5; c = 1, √5. First plateau 2 Z_A Z_B/(Z_A+Z_B) · 0.1, until the wave of B is back at 1 + 20/√5.
  const auto x = test::exact(test::bar_cases<double>[2]);
  const double r5 = std::sqrt(5.0), F = 2 * r5 / (1 + r5) * 0.1;
  EXPECT_NEAR(x.contact_force(1.01), F, 1e-15);
  EXPECT_NEAR(x.contact_force(1 + 20 / r5 - 1e-6), F, 1e-15);
  EXPECT_LT(x.contact_force(1 + 20 / r5 + 1e-6), F - 0.05);
  EXPECT_NEAR(x.tip_velocity(0, 2), 0.1 - F, 1e-15);        // v_A − F/Z_A
  EXPECT_NEAR(x.tip_velocity(1, 2), -0.1 + F / r5, 1e-15);  // v_B + F/Z_B
  ASSERT_EQ(x.contacts().size(), 1u);
  EXPECT_NEAR(x.contacts()[0].end, 21, 1e-12);
}

TEST(DAlembert, SeparatingBarsNeverMeetAndTouchingBarsStartAtOnce) {
  const TwoBars<double> apart({1, 1, 1, 0, -1}, {1, 1, 1, 1.5, 1}, 10);
  EXPECT_TRUE(apart.contacts().empty());
  EXPECT_NEAR(apart.gap(2), 4.5, 1e-14);
  const TwoBars<double> touching({1, 1, 1, 0, 1}, {1, 1, 1, 1, 0}, 10);
  ASSERT_EQ(touching.contacts().size(), 1u);
  EXPECT_EQ(touching.contacts()[0].begin, 0);
  EXPECT_NEAR(touching.contacts()[0].end, 2, 1e-14);
  EXPECT_NEAR(touching.state(1, 0.5, 5).velocity, 1, 1e-14);
  EXPECT_THROW((TwoBars<double>({1, 1, 1, 0, 1}, {1, 1, 1, 0.5, 0}, 10)), Error);
  EXPECT_THROW((TwoBars<double>({0, 1, 1, 0, 1}, {1, 1, 1, 2, 0}, 10)), Error);
}

/// Energy and momentum of the exact fields, by sums over a grid fine enough to resolve all fronts but a few cells.
struct Totals {
  double energy, momentum;
};
Totals totals(const TwoBars<double>& x, const LinearBar<double> bars[2], double t, int n) {
  Totals out{0, 0};
  for (int b : {0, 1}) {
    const double ds = bars[b].length / n;
    for (int i = 0; i < n; ++i) {
      const auto s = x.state(b, (i + 0.5) * ds, t);
      out.energy += ds * (bars[b].mass * s.velocity * s.velocity + bars[b].modulus * s.strain * s.strain) / 2;
      out.momentum += ds * bars[b].mass * s.velocity;
    }
  }
  return out;
}

RC_GTEST_PROP(DAlembert, ConservesEnergyAndMomentumForAnyBars, ()) {
  auto between = [](int lo, int hi) { return *rc::gen::inRange(lo, hi) / 10.0; };
  const LinearBar<double> bars[2] = {
      {between(5, 30), between(5, 50), between(5, 50), 0, between(-5, 10)},
      {between(5, 30), between(5, 50), between(5, 50), 3 + between(1, 5), between(-10, 5)}};
  const TwoBars<double> x(bars[0], bars[1], 30);
  const int n = 4000;
  const Totals start = totals(x, bars, 0, n);
  const double scale = (std::abs(bars[0].velocity) + std::abs(bars[1].velocity)) * 200;
  double worst_gap = 0;
  for (double t : {0.7, 3.3, 9.1, 17.0, 29.0}) {
    const Totals now = totals(x, bars, t, n);
    // Each front crosses one cell of each sum; there are at most some tens of fronts.
    RC_ASSERT(std::abs(now.energy - start.energy) <= 0.02 * start.energy + 1e-12);
    RC_ASSERT(std::abs(now.momentum - start.momentum) <= 0.01 * scale);
    const double gap = x.state(1, 0, t).position - x.state(0, bars[0].length, t).position;
    RC_ASSERT(std::abs(gap - x.gap(t)) <= 1e-11);
    worst_gap = std::min(worst_gap, gap);
    RC_ASSERT(x.contact_force(t) >= 0);
    RC_ASSERT(x.contact_force(t) == 0 || std::abs(x.gap(t)) <= 1e-11);  // Signorini
  }
  RC_ASSERT(worst_gap >= -1e-11);
}

RC_GTEST_PROP(DAlembert, FieldsSatisfyTheirEquations, ()) {
  // v = ∂φ/∂t and e = ∂φ/∂s away from fronts: difference quotients of an exactly piecewise linear field.
  const auto& c = test::bar_cases<double>[*rc::gen::inRange(0, 7)];
  const auto x = test::exact(c);
  const int bar = *rc::gen::inRange(0, 2);
  const double s = c.length[bar] * (*rc::gen::inRange(1, 1000)) / 1001.0, t = *rc::gen::inRange(1, 4000) / 100.03;
  const double d = 1e-5;
  const auto at = x.state(bar, s, t);
  const double v = (x.state(bar, s, t + d).position - x.state(bar, s, t - d).position) / (2 * d);
  const double e = (x.state(bar, s + d, t).position - x.state(bar, s - d, t).position) / (2 * d) - 1;
  const bool front = std::abs(x.state(bar, s, t + d).velocity - x.state(bar, s, t - d).velocity) > 1e-12 ||
                     std::abs(x.state(bar, s + d, t).velocity - x.state(bar, s - d, t).velocity) > 1e-12;
  RC_PRE(!front);
  RC_ASSERT(std::abs(v - at.velocity) <= 1e-9);
  RC_ASSERT(std::abs(e - at.strain) <= 1e-9);
}

}  // namespace
}  // namespace ricochet
