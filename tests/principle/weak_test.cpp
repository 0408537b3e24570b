// The weak principle against closed forms.
#include "ricochet/principle/weak.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <random>

#include "principle/weak_systems.hpp"
#include "ricochet/bodies/particles.hpp"
#include "ricochet/principle/strong.hpp"

namespace ricochet {
namespace {

using namespace test;
using discrete::Rule;
using principle::Activation;
using principle::Weak;

// Ballard 2001, counter-example 4 (errata B0): the impacts accumulate at t = 3. The last time with |v| > 1e-12 comes
// late by .31, .023, .0023 for h = 1e-2, 1e-3, 1e-4: first order. The strong principle passes the accumulation.
TEST(Weak, CounterExample4ComesToRestLateByFirstOrder) {
  const double expected[] = {0.31, 0.023, 0.0023};
  const double steps[] = {1e-2, 1e-3, 1e-4};
  const BodyOf<Ball> body(Ball{2.0}, Rule<double>::trapezoid());
  for (int n = 0; n < 3; ++n) {
    const double h = steps[n];
    Weak<BodyOf<Ball>> run(body, body.node(V1(1.0), V1(0.0)), restitution<BodyOf<Ball>>(0.5));
    double moving = 0;
    while (run.node().t < 4) {
      run.step(h);
      if (std::abs(run.node().p[0]) > 1e-12) moving = run.node().t;
    }
    EXPECT_NEAR(moving - 3, expected[n], h + 1e-9) << h;
    EXPECT_TRUE(run.rests(0));
  }
  struct {
    double t = 0;
    void accumulation(const principle::Accumulation<double>& a) { t = a.t; }
  } rest;
  principle::Strong<BodyOf<Ball>> strong(body, body.node(V1(1.0), V1(0.0)), {}, newton<BodyOf<Ball>>(0.5));
  strong.run(0.01, 400, rest);
  EXPECT_NEAR(rest.t, 3, 1e-9);
}

// q_{k+1} − q_k = ½h(v_k + v_{k+1}): under a constant force the energy is exact in every step without a percussion,
// and a percussion takes −½ r (φ̇_k + φ̇_{k+1}) from it: with e = 1 nothing.
TEST(Weak, ElasticBallKeepsItsEnergyToRounding) {
  const BodyOf<Particle> body(Particle{}, Rule<double>::trapezoid());
  Weak<BodyOf<Particle>> run(body, body.node({0, 1}, {-2, 0}), restitution<BodyOf<Particle>>(1));
  const double start = body.hamiltonian(run.node());
  double worst = 0, deepest = 0, fastest = 0;
  for (int k = 0; k < 100000; ++k) {
    run.step(1e-3);
    worst = std::max(worst, std::abs(body.hamiltonian(run.node()) - start));
    deepest = std::min(deepest, run.node().q[1]);
    fastest = std::max(fastest, std::abs(run.node().p[1]));
  }
  EXPECT_LT(worst, 1e-10 * start);  // 1e5 steps of rounding
  EXPECT_EQ(run.node().p[0], -2);   // no slip direction, no friction
  EXPECT_GT(run.impacts(), 100);
  EXPECT_GE(deepest, -1e-3 * fastest);  // the stated penetration: one step's way
}

// The same interval computed in three ways: explicit, by Newton (a force that vanishes makes it implicit), and as a
// system with M(q).
TEST(Weak, ImplicitAndExplicitAgree) {
  const BodyOf<Ball> plain(Ball{9.81}, Rule<double>::trapezoid()), middle(Ball{9.81}, Rule<double>::midpoint());
  const BodyOf<ForcedBall> forced(ForcedBall{}, Rule<double>::trapezoid());
  const BodyOf<LagrangianBall> general(LagrangianBall{}, Rule<double>::trapezoid());
  Weak<BodyOf<Ball>> a(plain, plain.node(V1(1.0), V1(0.0)), restitution<BodyOf<Ball>>(0.7));
  Weak<BodyOf<Ball>> b(middle, middle.node(V1(1.0), V1(0.0)), restitution<BodyOf<Ball>>(0.7));
  Weak<BodyOf<ForcedBall>> c(forced, forced.node(V1(1.0), V1(0.0)), restitution<BodyOf<ForcedBall>>(0.7));
  Weak<BodyOf<LagrangianBall>> d(general, general.node(V1(1.0), V1(0.0)), restitution<BodyOf<LagrangianBall>>(0.7));
  for (int k = 0; k < 2000; ++k) {
    a.step(1e-3), b.step(1e-3), c.step(1e-3), d.step(1e-3);
    ASSERT_NEAR(b.node().q[0], a.node().q[0], 1e-12) << k;
    ASSERT_NEAR(c.node().q[0], a.node().q[0], 1e-12) << k;
    ASSERT_NEAR(d.node().q[0], a.node().q[0], 1e-12) << k;
  }
  EXPECT_GT(a.impacts(), 2);
  EXPECT_EQ(a.impacts(), b.impacts());
}

// Without contacts both rules are second order: a pendulum as M(q) against its period.
TEST(Weak, FreeMotionIsSecondOrder) {
  const BodyOf<Pendulum> body(Pendulum{}, Rule<double>::midpoint());
  double error[3];
  for (int n = 0; n < 3; ++n) {
    const int steps = 100 << n;
    Weak<BodyOf<Pendulum>> run(body, body.node(V1(2.0), V1(0.0)));
    // 4K(sin 1), the period of the pendulum with amplitude 2 and g/l = 1
    const double period = 4 * std::comp_ellint_1(std::sin(1.0));
    run.run(period / steps, steps);
    error[n] = std::abs(run.node().q[0] - 2) + std::abs(run.node().p[0]);
  }
  EXPECT_NEAR(error[0] / error[1], 4, 0.2);
  EXPECT_NEAR(error[1] / error[2], 4, 0.1);
}

// A pendulum as a particle on a circle: c(x_{k+1}) = 0 at every node of the grid, second order, no drift.
TEST(Weak, BilateralConstraintsHoldAtTheNodes) {
  const BodyOf<Circle> body(Circle{}, Rule<double>::trapezoid());
  double error[2];
  for (int n = 0; n < 2; ++n) {
    const int steps = 200 << n;
    const double period = 4 * std::comp_ellint_1(std::sin(1.0)), h = period / steps;
    Weak<BodyOf<Circle>> run(body, body.node({std::sin(2.0), -std::cos(2.0)}, {0, 0}));
    double off = 0;
    for (int k = 0; k < steps; ++k) {
      run.step(h);
      const auto x = (run.node().q + h / 2 * run.node().p).eval();
      off = std::max(off, std::abs(x.squaredNorm() - 1));
    }
    EXPECT_LT(off, 1e-13);
    error[n] = (run.node().q - Eigen::Vector2d(std::sin(2.0), -std::cos(2.0))).norm() + run.node().p.norm();
  }
  EXPECT_NEAR(error[0] / error[1], 4, 0.4);
}

// The position where a step looks: the ball of the first step (at rest on the floor under gravity) is held by `start`
// and `middle` alike; falling, `start` sees the floor a step after `end`.
TEST(Weak, ActivationsDifferByHalfSteps) {
  const BodyOf<Ball> body(Ball{9.81}, Rule<double>::trapezoid());
  double t[3];
  for (int n = 0; n < 3; ++n) {
    Weak<BodyOf<Ball>> run(body, body.node(V1(1.0), V1(-1.0)), restitution<BodyOf<Ball>>(0.5),
                           {static_cast<Activation>(n)});
    while (run.impacts() == 0) run.step(1e-3);
    t[n] = run.node().t;
  }
  EXPECT_NEAR(t[0] - t[2], 1e-3, 1e-12);
  EXPECT_GE(t[0], t[1]);
  EXPECT_GE(t[1], t[2]);
}

// e = 1 and equal masses: the first ball of three stops, the last one leaves with its speed (Newton's cradle with small
// gaps between the balls), exactly.
TEST(Weak, ChainOfThreeBalls) {
  const BodyOf<ThreeBalls> body(ThreeBalls{}, Rule<double>::trapezoid());
  Weak<BodyOf<ThreeBalls>> run(body, body.node({0, 2, 4}, {1, 0, 0}), restitution<BodyOf<ThreeBalls>>(1));
  run.run(1.0 / 1024, 4096);
  EXPECT_EQ(run.node().p[0], 0);
  EXPECT_EQ(run.node().p[1], 0);
  EXPECT_EQ(run.node().p[2], 1);
  EXPECT_EQ(run.impacts(), 2);
}

// ---- friction
// --------------------------------------------------------------------------------------------------------

// On an incline of angle α a block sticks if μ > tan α, and otherwise slides with g(sin α − μ cos α). Both are exact on
// the grid: the percussion of a step is that of a constant force.
TEST(WeakFriction, BlockOnAnIncline) {
  const double g = 9.81, h = 1e-3, alpha = 0.4;
  for (const double mu : {0.2, 0.4, 0.42, 0.43, 0.6}) {  // tan 0.4 = 0.4228
    const BodyOf<Incline> body(Incline{alpha, mu}, Rule<double>::trapezoid());
    Weak<BodyOf<Incline>> run(body, body.node({0, 0}, {0, 0}), restitution<BodyOf<Incline>>(0));
    run.run(h, 1000);
    const double a = std::max(0.0, g * (std::sin(alpha) - mu * std::cos(alpha)));
    EXPECT_NEAR(run.node().p[0], a, 1e-12) << mu;
    EXPECT_NEAR(run.node().q[0], a / 2, 1e-12) << mu;
    EXPECT_NEAR(run.node().q[1], 0, 1e-15);
  }
}
// Pushed up the incline it comes to rest after v/(g(sin α + μ cos α)) and stays; the rest time is met to one step, the
// place to first order.
TEST(WeakFriction, BlockSlidesToRest) {
  const double g = 9.81, alpha = 0.4, mu = 0.6, v = 3;
  const double a = g * (std::sin(alpha) + mu * std::cos(alpha));
  const BodyOf<Incline> body(Incline{alpha, mu}, Rule<double>::trapezoid());
  double last = 0;
  for (const double h : {1e-2, 1e-3, 1e-4}) {
    Weak<BodyOf<Incline>> run(body, body.node({0, 0}, {-v, 0}), restitution<BodyOf<Incline>>(0));
    double moving = 0;
    while (run.node().t < 1) {
      run.step(h);
      if (std::abs(run.node().p[0]) > 1e-12) moving = run.node().t;
    }
    EXPECT_NEAR(moving, v / a, h);
    EXPECT_NEAR(run.node().q[0], -v * v / (2 * a), v * h);
    last = run.node().q[0] + v * v / (2 * a);
  }
  EXPECT_NEAR(last, 0, 1e-7);  // measured 1e-8: the step in which it stops has the area of a triangle, O(h²)
}

// A disc that lands with slip and grips (μ large): v + Jω is conserved about the point of contact, and rolling means
// v = ω, so v = (v⁻ + Jω⁻)/(1 + J).
TEST(WeakFriction, DiscThatGripsRolls) {
  const BodyOf<Disc> body(Disc{2.0}, Rule<double>::trapezoid());
  Weak<BodyOf<Disc>> run(body, body.node({0, 1, 0}, {3, 0, -4}), restitution<BodyOf<Disc>>(0));
  run.run(1e-3, 1000);
  const double J = 0.5, v = 3, w = -4, rolling = (v + J * w) / (1 + J);
  EXPECT_NEAR(run.node().p[0], rolling, 1e-12);
  EXPECT_NEAR(run.node().p[2] / J, rolling, 1e-12);
}

// A uniform rod of length 2 falls from the vertical with its foot sliding on a smooth floor: its centre falls straight
// down, and ½(θ̇²/3 + (sin θ θ̇)²) + g cos θ = g gives θ̇(θ). With friction, the foot sticks at first; smooth, it never
// leaves before θ = π/2. First order.
TEST(WeakFriction, SmoothSlidingRodAgainstItsEnergyIntegral) {
  const double g = 9.81, theta0 = 0.3;
  double error[2];
  for (int n = 0; n < 2; ++n) {
    const double h = n == 0 ? 1e-3 : 5e-4;
    const BodyOf<Rod> body(Rod{}, Rule<double>::trapezoid());
    Weak<BodyOf<Rod>> run(body, body.node({0, std::cos(theta0), theta0}, {0, 0, 0}), restitution<BodyOf<Rod>>(0));
    while (run.node().q[2] < 1.2) run.step(h);
    const double theta = run.node().q[2], s = std::sin(theta);
    const double rate = std::sqrt(2 * g * (std::cos(theta0) - std::cos(theta)) / (1.0 / 3 + s * s));
    error[n] = std::abs(run.node().p[2] * 3 - rate);
    EXPECT_EQ(run.node().q[0], 0);
    EXPECT_NEAR(run.node().q[1], std::cos(theta), 10 * h);
  }
  EXPECT_LT(error[0], 1e-2);
  EXPECT_GT(error[0] / error[1], 1.7);
}

// ---- gaps of another family ----------------------------------------------------------------------------------------

/// A particle in the plane that knows no floor, and a slope of angle α as a family of its own, which reads coordinates.
struct Free {
  static constexpr int dimension = 2;
  Eigen::Vector2d mass() const { return {1, 3}; }
  template <class T>
  T potential(Point<T> q) const {
    return 9.81 * q[1];
  }
};
struct OnSlope : Free {
  double sine = 0.6;
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    return -sine * q[0] + std::sqrt(1 - sine * sine) * q[1];
  }
};
class Slope final : public motion::Gaps<double> {
 public:
  explicit Slope(const motion::Body<double>& body) : body_(body) {}
  int count() const override { return 1; }
  std::string name(int) const override { return "slope"; }
  double value(int, const motion::Node<double>& x) const override {
    return n_[0] * body_.scalar(0, x).value + n_[1] * body_.scalar(1, x).value;
  }
  motion::Contact<double> at(int, const motion::Node<double>& x, double h, motion::Covector& normal) const override {
    const int which[] = {0, 1};
    body_.covector(x, which, n_, normal);
    motion::Contact<double> c;
    c.step = h;
    for (int k = 0; k < 2; ++k) {
      const auto y = body_.scalar(k, x);
      const double n = n_[k];
      c.value += n * y.value, c.rate += n * y.velocity, c.acceleration += n * y.acceleration;
      c.value_scale += std::abs(n * y.value), c.rate_scale += std::abs(n * y.velocity);
      c.acceleration_scale += std::abs(n * y.acceleration);
    }
    return c;
  }
  void candidates(motion::Trace&, motion::GapList& list) const override { list = {0}; }
  motion::Bound<double> bound(int, const motion::Trace& trace, double a, double b) const override {
    motion::Bound<double> sum = body_.scalar(0, trace, a, b);
    const auto y = body_.scalar(1, trace, a, b);
    const auto of = [&](auto part) {
      return numerics::Ball<double>(n_[0]) * sum.*part + numerics::Ball<double>(n_[1]) * y.*part;
    };
    using B = motion::Bound<double>;
    return {of(&B::value), of(&B::slope), of(&B::curvature)};
  }

 private:
  const motion::Body<double>& body_;
  std::array<double, 2> n_{-0.6, 0.8};
};

// A family beside the body gives the motion that the same gap gives as the body's own, under both principles.
TEST(Families, AreToldFromOwnGapsByNothing) {
  const BodyOf<Free> free(Free{}, Rule<double>::trapezoid());
  const BodyOf<OnSlope> own(OnSlope{}, Rule<double>::trapezoid());
  const auto slope = [](const motion::Body<double>& body) { return std::make_unique<Slope>(body); };
  Weak<BodyOf<Free>> a(free, free.node({0, 1}, {1, 0}), restitution<BodyOf<Free>>(0.6), {}, {slope});
  Weak<BodyOf<OnSlope>> b(own, own.node({0, 1}, {1, 0}), restitution<BodyOf<OnSlope>>(0.6));
  principle::Strong<BodyOf<Free>> c(free, free.node({0, 1}, {1, 0}), {}, newton<BodyOf<Free>>(0.6), {}, {slope});
  principle::Strong<BodyOf<OnSlope>> d(own, own.node({0, 1}, {1, 0}), {}, newton<BodyOf<OnSlope>>(0.6));
  ASSERT_EQ(a.gaps(), 1);
  EXPECT_EQ(a.gap_name(0), "slope");
  for (int k = 0; k < 600; ++k) {
    a.step(0.005), b.step(0.005), c.step(0.005), d.step(0.005);
    ASSERT_LT((a.node().q - b.node().q).norm() + (a.node().p - b.node().p).norm(), 1e-12) << k;
    ASSERT_LT((c.node().q - d.node().q).norm() + (c.node().p - d.node().p).norm(), 1e-10) << k;
  }
  EXPECT_GT(a.impacts(), 0);
  EXPECT_EQ(a.impacts(), b.impacts());
  EXPECT_GT(c.impacts(), 1);
  EXPECT_EQ(c.impacts(), d.impacts());
}

// ---- many contacts -------------------------------------------------------------------------------------------------

/// n particles at different heights over a rough floor.
struct Rain {
  using Body = bodies::Particles<>;
  Body body;
  Body::Node start;
  explicit Rain(int n)
      : body(std::vector<double>(static_cast<std::size_t>(n), 1.0), {0, 0, -9.81}, {{{0, 0, 1}, 0, 0.3, "floor"}}) {
    Body::Vec q(3 * n), v(3 * n);
    for (int i = 0; i < n; ++i) {
      q.segment<3>(3 * i) << i, 0, 0.05 + 0.1 * ((i * 7) % 10);
      v.segment<3>(3 * i) << 0.3, 0.4, 0;
    }
    start = body.node(q, v);
  }
};

// Each particle falls, bounces (e = ½), slides and stops. Penetration is at most one step's way at the fastest fall;
// the friction of the whole motion is that of the momentum the floor gave: |Δp_T| = μ ∫ p_N until it sticks.
TEST(WeakMany, ThousandParticlesComeToRest) {
  const Rain rain(1000);
  Weak<Rain::Body> run(rain.body, rain.start, restitution<Rain::Body>(0.5));
  const double h = 1e-3, fastest = std::sqrt(2 * 9.81 * 0.95);
  double deepest = 0;
  for (int k = 0; k < 3000; ++k) {
    run.step(h);
    for (int i = 0; i < 1000; ++i) deepest = std::min(deepest, run.node().q[3 * i + 2]);
  }
  EXPECT_GE(deepest, -h * fastest);
  EXPECT_LT(run.node().p.cwiseAbs().maxCoeff(), 1e-15);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(run.rests(i));
  // Particles that start alike end alike: i and i + 10.
  for (int i = 0; i + 10 < 1000; ++i) ASSERT_EQ(run.node().q[3 * i + 2], run.node().q[3 * (i + 10) + 2]);
  // The slip direction is kept and the particle moved forwards.
  EXPECT_NEAR((run.node().q[1]) * 3, (run.node().q[0]) * 4, 1e-12);
}

// Parabolas are flown exactly: a particle dropped from H is back at H after √(8H/g), whatever the step, and the energy
// stays what it was through a thousand impacts.
TEST(ManyParticles, FlyParabolasUnderTheStrongPrinciple) {
  const double g = 9.81, height[] = {1, 0.25};
  const bodies::Particles<> body({1.0, 2.0}, {0, 0, -g}, {{{0, 0, 1}, 0, 0, "floor"}});
  bodies::Particles<>::Vec q(6), v = bodies::Particles<>::Vec::Zero(6);
  q << 0, 0, height[0], 1, 0, height[1];
  v[0] = 1;
  principle::Strong<bodies::Particles<>> run(body, body.node(q, v));
  const double period = std::sqrt(8 * height[0] / g), h = period / 7;  // the other one bounces twice in that time
  const double energy = body.hamiltonian(run.node());
  run.run(h, 7 * 400);
  EXPECT_EQ(run.impacts(), 1200);
  EXPECT_NEAR(body.hamiltonian(run.node()) / energy, 1, 1e-12);
  EXPECT_NEAR(run.node().q[2], height[0], 1e-9);
  EXPECT_NEAR(run.node().q[5], height[1], 1e-9);
  EXPECT_NEAR(run.node().q[0], 400 * period, 1e-9);
}

// Four times as many particles take about four times as long. Timing is loose: quadratic cost would be sixteen times.
TEST(LongWeakMany, TimePerStepIsLinear) {
  const auto seconds = [](int n) {
    const Rain rain(n);
    Weak<Rain::Body> run(rain.body, rain.start, restitution<Rain::Body>(0.5));
    run.run(1e-3, 500);
    const auto start = std::chrono::steady_clock::now();
    run.run(1e-3, 500);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  seconds(1000);
  EXPECT_LT(seconds(8000) / seconds(2000), 8);
}

// The spatial solver of one contact against the planar one: a particle with one slip coordinate along its velocity.
TEST(WeakMany, SpatialFrictionReducesToPlanar) {
  const Rain rain(1);
  Weak<Rain::Body> run(rain.body, rain.start, restitution<Rain::Body>(0.5));
  const BodyOf<Incline> body(Incline{0.0, 0.3}, Rule<double>::trapezoid());
  Weak<BodyOf<Incline>> planar(body, body.node({0, 0.05}, {0.5, 0}), restitution<BodyOf<Incline>>(0.5));
  for (int k = 0; k < 1000; ++k) {
    run.step(1e-3);
    planar.step(1e-3);
    ASSERT_NEAR(std::hypot(run.node().q[0], run.node().q[1]), planar.node().q[0], 1e-12) << k;
    ASSERT_NEAR(run.node().q[2], planar.node().q[1], 1e-12) << k;
  }
  EXPECT_EQ(planar.node().p[0], 0);
}

}  // namespace
}  // namespace ricochet
