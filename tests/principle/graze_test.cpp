// Orbits that only just touch a wall. The curve of a flight and the momentum at its end agree to the order of the rule,
// and what meets the wall slower than that can be an impact by the one and none by the other.
#include <gtest/gtest.h>

#include <cmath>

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/closure/interpolated.hpp"
#include "ricochet/closure/shadow.hpp"
#include "ricochet/principle/strong.hpp"

namespace ricochet {
namespace {

using discrete::Rule;

/// Two springs along the diagonals and a straight wall x ≤ 1. Beside the wall p/m − dq/ds of a flight of length s is
/// ½s² c y' (trapezoid): for c y' > 0 curves still enter where their momentum leaves.
struct Diagonal {
  static constexpr int dimension = 2;
  static constexpr double k = 3, c = 1.4;
  Eigen::Vector2d mass() const { return {1, 1}; }
  template <class T>
  T potential(Point<T> q) const {
    return 0.5 * k * (q[0] * q[0] + q[1] * q[1]) + c * q[0] * q[1];
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    return 1.0 - q[0];
  }
};
using Body = bodies::Generalized<Diagonal>;
using V2 = Eigen::Vector2d;

/// The motion through x = A, x' = 0, y, y' at time 0, in its normal modes.
Body::Node touching(const Body& body, double A, double y, double dy, double t) {
  const double root = std::sqrt(0.5);
  V2 q = V2::Zero(), v = V2::Zero();
  for (const double sign : {1.0, -1.0}) {
    const double omega = std::sqrt(Diagonal::k + sign * Diagonal::c);
    const double a = root * (A + sign * y), b = root * sign * dy / omega;
    const double u = a * std::cos(omega * t) + b * std::sin(omega * t);
    const double du = omega * (b * std::cos(omega * t) - a * std::sin(omega * t));
    q += V2(root * u, sign * root * u);
    v += V2(root * du, sign * root * du);
  }
  return body.node(q, v);
}

struct Counter {
  long long begun_anew = 0, impacts = 0;
  void graze(int, const Body::Node&) { ++begun_anew; }
  void impact(const principle::ImpactEvent<Body>&) { ++impacts; }
};
struct Tally {
  long long begun_anew = 0, entered = 0, impacts = 0;
};

/// Twenty steps over the touch, A − 1 on a fine mesh over ±width: finer than the band in which curve and momentum
/// disagree, wider than the rule's own error in A.
template <class Closure>
Tally scan(const Rule<double>& rule, Closure closure, double h, double width, int mesh, double dy) {
  const Body body({}, rule);
  Tally tally;
  for (int i = 0; i < mesh; ++i) {
    const auto start = touching(body, 1 + width * (2.0 * i / mesh - 1), 0.3, dy, -9.63 * h);
    principle::Strong<Body, Closure> run(body, start, closure);
    Counter counter;
    run.run(h, 20, counter);
    tally.impacts += counter.impacts;
    tally.begun_anew += counter.begun_anew;
    tally.entered += run.fallbacks(principle::Fallback::graze) - counter.begun_anew;
    // The H that a rule keeps differs from H by ½h p·∇V at first order, here less than 10h at either end, or by its h²
    // terms; nothing that is done at the touch may add more.
    const double order = rule.order() == 1 ? 20 * h : 6 * h * h;
    EXPECT_NEAR(body.hamiltonian(run.node()), body.hamiltonian(start), order) << rule.name();
    EXPECT_GE(body.gap(0, run.node()), 0) << rule.name();
  }
  return tally;
}

constexpr double h = 0.15, y_rate = 2.5, width = 1.5 * h * h;

TEST(Graze, AFlightBeginsAnewWhereItsMomentumLeaves) {
  const auto rule = Rule<double>::trapezoid();
  const Tally variational = scan(rule, closure::Variational{}, h, width, 20000, y_rate);
  EXPECT_GT(variational.impacts, 5000);
  EXPECT_LT(variational.impacts, 15000);
  EXPECT_GE(variational.begun_anew, 5);
  EXPECT_EQ(variational.entered, 0);  // a plain curve starts along its momentum
  // With y' < 0 the momentum enters first: an impact like any other.
  EXPECT_EQ(scan(rule, closure::Variational{}, h, width, 5000, -y_rate).begun_anew, 0);
}

TEST(Graze, RulesOfFirstOrder) {
  const auto rule = Rule<double>::rectangle_right();
  EXPECT_GE(scan(rule, closure::Variational{}, h, 2 * h, 2000, y_rate).begun_anew, 20);
  EXPECT_GE(scan(rule, closure::Reflection{}, h, 2 * h, 2000, -y_rate).begun_anew, 20);
}

/// The curve of these closures is a flow: it goes on as it came, and turning round its own rate is the impact.
TEST(Graze, ACurveThatEntersAtItsStartIsTurnedRound) {
  const auto rule = Rule<double>::trapezoid();
  EXPECT_GE(scan(rule, closure::Shadow2{}, h, width, 20000, y_rate).entered, 1);
  EXPECT_GE(scan(rule, closure::Shadow4{}, h, width, 20000, y_rate).entered, 1);
  EXPECT_GE(scan(rule, closure::Interpolated(4), h, width, 5000, y_rate).entered, 2);
}

}  // namespace
}  // namespace ricochet
