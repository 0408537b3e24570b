// The instruments of the judge one by one: rules, cones, orders.
#include <gtest/gtest.h>

#include "audit/support.hpp"
#include "ricochet/audit/cone.hpp"
#include "ricochet/audit/find.hpp"
#include "ricochet/audit/order.hpp"

using namespace audit_test;

namespace {

/// x'' = −x, h = 0.1, 60 steps of a hand-written scheme.
template <class Step>
audit::Trajectory oscillator(const Step& step) {
  audit::Trajectory out;
  double q = 1, v = 0.3;
  out.q.resize(1, 61);
  out.p.resize(1, 61);
  for (int k = 0; k <= 60; ++k) {
    out.t.push_back(0.1 * k);
    out.step.push_back(k);
    out.q(0, k) = q;
    out.p(0, k) = v;
    step(q, v, 0.1);
  }
  return out;
}

std::shared_ptr<scene::Model> spring() {
  return compiled(
      "[time]\nstep = 0.1\nend = 1\n[system]\ncoordinates = [\"x\"]\nmass = [1]\npotential = \"x^2/2\"\nposition = "
      "[1]\n");
}

std::string recognised(const audit::Trajectory& motion) {
  const auto found = audit::search(*audit::dynamics_of(*spring()), motion);
  return found.rule ? found.rule->name : "";
}

}  // namespace

TEST(AuditRules, RecognisesSchemesWrittenByHand) {
  EXPECT_EQ(recognised(oscillator([](double& q, double& v, double h) { v -= h * q, q += h * v; })), "rectangle-left");
  EXPECT_EQ(recognised(oscillator([](double& q, double& v, double h) { q += h * v, v -= h * q; })), "rectangle-right");
  EXPECT_EQ(recognised(oscillator([](double& q, double& v, double h) { v -= h / 2 * q, q += h * v, v -= h / 2 * q; })),
            "trapezoid");
  EXPECT_EQ(recognised(oscillator([](double& q, double& v, double h) { q += h / 2 * v, v -= h * q, q += h / 2 * v; })),
            "drift-kick-drift");
  // Implicit midpoint of a linear system: Cayley's transform.
  EXPECT_EQ(recognised(oscillator([](double& q, double& v, double h) {
              const double c = h * h / 4, a = ((1 - c) * q + h * v) / (1 + c), b = ((1 - c) * v - h * q) / (1 + c);
              q = a, v = b;
            })),
            "midpoint");
  // Explicit Euler comes from no discrete Lagrangian of the list.
  EXPECT_EQ(recognised(oscillator([](double& q, double& v, double h) {
              const double a = q + h * v;
              v -= h * q, q = a;
            })),
            "");
}

TEST(AuditRules, SymplecticEulerIsVerletWithMomentaBeside) {
  const auto motion = oscillator([](double& q, double& v, double h) { v -= h * q, q += h * v; });
  const auto moved = audit::synchronised(*audit::dynamics_of(*spring()), motion);
  ASSERT_TRUE(moved.has_value());
  EXPECT_EQ(recognised(*moved), "trapezoid");
  EXPECT_NEAR(moved->p(0, 0), 0.3 - 0.05 * 1, 1e-16);
  EXPECT_FALSE(audit::synchronised(*audit::dynamics_of(*spring()), *moved).has_value());
}

TEST(AuditCone, NearestPointOfTheCone) {
  const audit::Mat identity = audit::Mat::Identity(2, 2);
  audit::Mat normals(2, 2), none(2, 0), line(2, 1);
  normals << 1, 0, 0, 1;
  line << 1, 0;
  audit::Vec jump(2);
  jump << 3, -4;
  auto e = audit::explain(jump, normals, none, identity);
  EXPECT_NEAR(e.lambda[0], 3, 1e-15);
  EXPECT_EQ(e.lambda[1], 0);
  EXPECT_NEAR(e.size, 4, 1e-15);
  jump << -3, 4;
  e = audit::explain(jump, normals.rightCols(1), line, identity);
  EXPECT_NEAR(e.free[0], -3, 1e-15);
  EXPECT_NEAR(e.size, 0, 1e-15);
  // In the kinetic metric: mass 4 along y makes a rest of 2 a speed of 1.
  audit::Mat inverse(2, 2);
  inverse << 1, 0, 0, 0.25;
  jump << 3, -2;
  EXPECT_NEAR(audit::explain(jump, normals, none, inverse).size, 1, 1e-15);
}

TEST(AuditCone, GapsOpenOrPush) {
  // Two bodies of mass 1 on each other and on a floor: φ̈ = (a, b − a).
  audit::Mat normals(2, 2);
  normals << 1, -1, 0, 1;
  const audit::Mat identity = audit::Mat::Identity(2, 2), none(2, 0);
  const auto with = [&](double floor, double between) {
    return *audit::opening(audit::Vec{{floor, between}}, normals, none, identity);
  };
  EXPECT_NEAR(with(-9.81, 0).norm(), 0, 1e-14);                             // both push, though only one would close
  EXPECT_NEAR((with(3, 0) - audit::Vec{{3, 0}}).norm(), 0, 1e-14);          // thrown up together: nothing pulls
  EXPECT_NEAR((with(-9.81, 12) - audit::Vec{{0, 2.19}}).norm(), 0, 1e-14);  // the upper one leaves, less the push
  // Pressed together with 2 they push with 1: the lower one presses on the floor, or leaves it more slowly.
  EXPECT_NEAR(with(0.5, -2).norm(), 0, 1e-14);
  EXPECT_NEAR((with(1.5, -2) - audit::Vec{{0.5, 0}}).norm(), 0, 1e-14);
  // A line along the upper body keeps it: the lower one feels the floor alone.
  const audit::Mat line{{0.0}, {1.0}};
  const auto kept = audit::opening(audit::Vec{{-1, 1, -4}}, normals, line, identity);
  EXPECT_NEAR((*kept - audit::Vec{{0, 4}}).norm(), 0, 1e-14);
}

TEST(AuditOrder, SlopeOfPairs) {
  std::vector<audit::OrderPair> pairs;
  for (int i = 1; i <= 20; ++i) {
    const double ratio = 1 + 0.5 * i, noise = 1 + (i % 2 == 0 ? 0.05 : -0.05);
    pairs.push_back({ratio, std::pow(ratio, 5) * noise});  // order 4
  }
  const auto fit = audit::fit_order(pairs);
  ASSERT_TRUE(fit.order.has_value());
  EXPECT_NEAR(*fit.order, 4, 0.05);
  pairs.resize(7);
  EXPECT_FALSE(audit::fit_order(pairs).order.has_value());
}
