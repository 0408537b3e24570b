// What the strong principle promises: symplectic through impacts, reversible, momentum maps kept.
#include <gtest/gtest.h>

#include <cmath>

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/observe/momentum.hpp"
#include "ricochet/observe/symplectic.hpp"
#include "ricochet/principle/strong.hpp"
#include "support/systems.hpp"

namespace ricochet {
namespace {

using LD = long double;
using discrete::Rule;

std::vector<Rule<LD>> every_rule() {
  return {Rule<LD>::rectangle_left(), Rule<LD>::rectangle_right(),
          Rule<LD>::rectangle(0.3L),  Rule<LD>::midpoint(),
          Rule<LD>::trapezoid(),      Rule<LD>::yoshida4(),
          Rule<LD>::suzuki4(),        Rule<LD>::yoshida4(Rule<LD>::midpoint())};
}

template <class Body>
struct Run {
  long long impacts = 0, fallbacks = 0;
  int most_in_a_step = 0;
};

template <class Closure = closure::Variational, class Body>
Run<Body> advance(const Body& body, typename Body::Node& node, typename Body::Real h, int steps) {
  principle::Strong<Body, Closure> run(body, node);
  Run<Body> result;
  for (int k = 0; k < steps; ++k) {
    const long long before = run.impacts();
    run.step(h);
    result.most_in_a_step = std::max(result.most_in_a_step, static_cast<int>(run.impacts() - before));
  }
  result.impacts = run.impacts();
  result.fallbacks = run.fallbacks();
  node = run.node();
  return result;
}

/// Residual of JᵀΩJ = Ω over the run, with the number of impacts checked to be the expected one.
template <class Closure = closure::Variational, class Body>
double residual(const Body& body, const typename Body::Node& start, LD h, int steps, int impacts, int in_one_step,
                LD delta = 1e-4L) {
  typename Body::Node end = start;
  const auto run = advance<Closure>(body, end, h, steps);
  EXPECT_EQ(run.impacts, impacts) << body.rule().name();
  EXPECT_EQ(run.fallbacks, 0) << body.rule().name();
  EXPECT_GE(run.most_in_a_step, in_one_step) << body.rule().name();
  return static_cast<double>(observe::symplectic_residual(
      body, start, [&](typename Body::Node& node) { advance<Closure>(body, node, h, steps); }, delta));
}

TEST(StrongSymplectic, StarInNonlinearGravityThroughOneImpact) {
  using Body = bodies::Generalized<test::Star, LD>;
  for (const auto& rule : every_rule()) {
    const Body body(test::Star{9.81, 0.1}, rule);
    EXPECT_LE(residual(body, body.node({0, 1.2L, 0.3L}, {-0.5L, -1, 2}), 0.02L, 16, 1, 1), 1e-12) << rule.name();
  }
}

/// A particle falling into a narrow wedge around the vertical: several impacts within one large step.
struct Funnel {
  static constexpr int dimension = 2;
  Eigen::Vector2d mass() const { return {1.0, 1.3}; }
  template <class T>
  T potential(Point<T> q) const {
    return 2.0 * q[1] + 0.3 * q[0] * q[0] + 0.1 * q[1] * q[1] * q[1];
  }
  int gaps() const { return 2; }
  template <class T>
  T gap(int i, Point<T> q) const {
    return 0.2 + 0.1 * q[1] + (i == 0 ? -1.0 : 1.0) * q[0] - 0.05 * q[0] * q[0];
  }
};

TEST(StrongSymplectic, SeveralImpactsInOneStep) {
  using Body = bodies::Generalized<Funnel, LD>;
  for (const auto& rule : every_rule()) {
    const Body body({}, rule);
    const auto start = body.node({0.01L, 0.5L}, {2.5L, 0.1L});
    typename Body::Node end = start;
    const auto run = advance(body, end, 0.4L, 1);
    EXPECT_GE(run.impacts, 2) << rule.name();
    EXPECT_LE(residual(body, start, 0.4L, 1, static_cast<int>(run.impacts), 2), 1e-12) << rule.name();
  }
}

/// A double pendulum between walls: M(q), two gaps on the lower bob.
struct DoublePendulum {
  static constexpr int dimension = 2;
  template <class T>
  T lagrangian(Point<T> q, Point<T> v) const {
    using std::cos;
    const T kinetic = v[0] * v[0] + T(0.5) * v[1] * v[1] + v[0] * v[1] * cos(q[0] - q[1]);
    return kinetic + 2.0 * 9.81 * cos(q[0]) + 9.81 * cos(q[1]);
  }
  int gaps() const { return 2; }
  template <class T>
  T gap(int i, Point<T> q) const {
    using std::sin;
    return 0.6 + (i == 0 ? -1.0 : 1.0) * (sin(q[0]) + sin(q[1]));
  }
};

/// The same system as a mass matrix and a potential.
struct DoublePendulumByMass {
  static constexpr int dimension = 2;
  template <class T>
  T mass(int i, int j, Point<T> q) const {
    using std::cos;
    if (i != j) return cos(q[0] - q[1]);
    return T(i == 0 ? 2 : 1);
  }
  template <class T>
  T potential(Point<T> q) const {
    using std::cos;
    return -2.0 * 9.81 * cos(q[0]) - 9.81 * cos(q[1]);
  }
  int gaps() const { return 2; }
  template <class T>
  T gap(int i, Point<T> q) const {
    return DoublePendulum{}.gap(i, q);
  }
};

TEST(StrongSymplectic, MassDependingOnTheConfiguration) {
  using Body = bodies::Generalized<DoublePendulum, LD>;
  for (const auto& rule : every_rule()) {
    const Body body({}, rule);
    const auto start = body.node({0.1L, -0.2L}, {1.5L, 1});
    typename Body::Node end = start;
    const auto run = advance(body, end, 0.02L, 30);
    EXPECT_GE(run.impacts, 1) << rule.name();
    EXPECT_LE(residual(body, start, 0.02L, 30, static_cast<int>(run.impacts), 1), 1e-12) << rule.name();
  }
}

TEST(StrongSystem, MassAndPotentialEqualTheirLagrangian) {
  const bodies::Generalized<DoublePendulum, LD> one({}, Rule<LD>::trapezoid());
  const bodies::Generalized<DoublePendulumByMass, LD> two({}, Rule<LD>::trapezoid());
  auto a = one.node({0.1L, -0.2L}, {1.5L, 1});
  auto b = two.node({0.1L, -0.2L}, {1.5L, 1});
  advance(one, a, 0.02L, 100);
  advance(two, b, 0.02L, 100);
  EXPECT_LE(static_cast<double>((a.q - b.q).norm() + (a.p - b.p).norm()), 1e-13);
}

TEST(StrongSymplectic, ReflectionIsNot) {
  // The number errata F11 gives for kinetic reflection in nonlinear V: of the order 1e-6…1e-5, far from rounding.
  using Body = bodies::Generalized<test::Star, LD>;
  const Body body(test::Star{9.81, 0.1}, Rule<LD>::trapezoid());
  const double r = residual<closure::Reflection>(body, body.node({0, 1.2L, 0.3L}, {-0.5L, -1, 2}), 0.02L, 16, 1, 1);
  EXPECT_GT(r, 1e-8);
}

TEST(StrongReversal, SymmetricRulesReturnThroughTwoImpacts) {
  using Body = bodies::Generalized<test::Star>;
  for (const auto& rule :
       {Rule<double>::trapezoid(), Rule<double>::midpoint(), Rule<double>::yoshida4(), Rule<double>::suzuki4()}) {
    ASSERT_TRUE(rule.symmetric());
    const Body body(test::Star{9.81, 0.1}, rule);
    const auto start = body.node({0, 1.2, 0.3}, {-0.5, -1, 2});
    principle::Strong<Body> there(body, start);
    int steps = 0;
    while (there.impacts() < 2) there.step(0.01), ++steps;
    for (int k = 0; k < 5; ++k) there.step(0.01), ++steps;
    const long long impacts = there.impacts();
    principle::Strong<Body> back(body, there.node().reversed());
    back.run(0.01, steps);
    EXPECT_EQ(back.impacts(), impacts);
    EXPECT_LE((back.node().q - start.q).norm(), 1e-9) << rule.name();
    EXPECT_LE((back.node().p + start.p).norm(), 1e-9) << rule.name();
  }
}

TEST(StrongReversal, RectangleLeftIsInvertedByRectangleRight) {  // errata F15
  using Body = bodies::Generalized<test::Star>;
  const Body left(test::Star{9.81, 0.1}, Rule<double>::rectangle_left());
  const Body right(test::Star{9.81, 0.1}, Rule<double>::rectangle_right());
  const auto start = left.node({0, 1.2, 0.3}, {-0.5, -1, 2});
  principle::Strong<Body> there(left, start);
  there.run(0.01, 40);
  ASSERT_EQ(there.impacts(), 1);
  principle::Strong<Body> back(right, there.node().reversed());
  back.run(0.01, 40);
  EXPECT_LE((back.node().q - start.q).norm(), 1e-10);
  EXPECT_LE((back.node().p + start.p).norm(), 1e-10);
}

/// Two spinning discs bouncing off each other in the plane: translations and rotation are symmetries of L and C.
struct TwoDiscs {
  static constexpr int dimension = 4;
  Eigen::Vector4d mass() const { return {1, 1, 2, 2}; }
  template <class T>
  T potential(Point<T> q) const {
    const T x = q[0] - q[2], y = q[1] - q[3];
    return 0.5 * (x * x + y * y);
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    const T x = q[0] - q[2], y = q[1] - q[3];
    return x * x + y * y - 0.25;
  }
};
struct Translation {
  template <class T>
  void operator()(Point<T>, std::span<T> xi) const {
    xi[0] = xi[2] = T(1);
    xi[1] = xi[3] = T(0);
  }
};
struct Rotation {
  template <class T>
  void operator()(Point<T> q, std::span<T> xi) const {
    xi[0] = -q[1];
    xi[1] = q[0];
    xi[2] = -q[3];
    xi[3] = q[2];
  }
};
struct OneSided {  // moves the first disc only: no symmetry
  template <class T>
  void operator()(Point<T>, std::span<T> xi) const {
    xi[0] = T(1);
    xi[1] = xi[2] = xi[3] = T(0);
  }
};

TEST(StrongMomentum, MapsAreKeptToRounding) {
  using Body = bodies::Generalized<TwoDiscs>;
  for (const auto& rule : {Rule<double>::trapezoid(), Rule<double>::midpoint(), Rule<double>::yoshida4()}) {
    const Body body({}, rule);
    principle::Strong<Body> run(body, body.node({-1, 0.1, 1, 0}, {1, 0.3, -0.2, 0.1}));
    const double P0 = observe::momentum_map(body, Translation{}, run.node());
    const double J0 = observe::momentum_map(body, Rotation{}, run.node());
    run.run(0.02, 20000);
    EXPECT_GT(run.impacts(), 100);
    EXPECT_NEAR(observe::momentum_map(body, Translation{}, run.node()), P0, 1e-13) << rule.name();
    // Rounding of ~1e-16 per step, 2e4 steps at |q| growing to 50.
    EXPECT_NEAR(observe::momentum_map(body, Rotation{}, run.node()), J0, 2e-11) << rule.name();
  }
}

TEST(StrongMomentum, SymmetriesAreRecognised) {
  using Body = bodies::Generalized<TwoDiscs>;
  const Body body({}, Rule<double>::trapezoid());
  const auto node = body.node({-1, 0.1, 1, 0}, {1, 0.3, -0.2, 0.1});
  EXPECT_TRUE(observe::symmetry_defect(body, Translation{}, node).holds());
  EXPECT_TRUE(observe::symmetry_defect(body, Rotation{}, node).holds());
  const auto defect = observe::symmetry_defect(body, OneSided{}, node);
  EXPECT_FALSE(defect.holds());
  EXPECT_GT(defect.lagrangian, 1e-3);
  EXPECT_GT(defect.boundary, 1e-3);
}

}  // namespace
}  // namespace ricochet
