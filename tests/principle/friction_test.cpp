// Friction with the strong principle: persistent contact and impacts, against closed forms and independent integrals.
#include <gtest/gtest.h>

#include <cmath>

#include "principle/rough_systems.hpp"
#include "ricochet/observe/monitor.hpp"

namespace ricochet {
namespace {

using namespace test;
using discrete::Rule;
using mechanics::Law;

constexpr double g = 9.81;

// ---- the block on an incline ----

// It sticks if μ > tan α, and slides with g(sin α − μ cos α) otherwise; under constant forces the scheme is exact.
TEST(Friction, BlockOnAnIncline) {
  for (const auto& rule : {Rule<double>::trapezoid(), Rule<double>::midpoint()})
    for (const double mu : {0.2, 0.4, 0.42, 0.43, 0.6}) {  // tan 0.4 = 0.4228
      const double alpha = 0.4;
      const RoughBody<Incline> body(Incline{alpha, mu}, rule);
      RoughRun<Incline> run(body, body.node({0, 0}, {0, 0}), {}, rough_law<Incline>("newton", 0));
      run.run(0.01, 100);
      const double a = std::max(0.0, g * (std::sin(alpha) - mu * std::cos(alpha)));
      EXPECT_NEAR(run.node().p[0], a, 1e-13) << mu;
      EXPECT_NEAR(run.node().q[0], a / 2, 1e-13) << mu;
      EXPECT_LE(std::abs(run.node().q[1]), 1e-15);
      EXPECT_EQ(run.impacts(), 0);
    }
}

// Pushed up it stops after v/(g(sin α + μ cos α)), in the middle of a step, and stays for good, or comes down again.
TEST(Friction, BlockPushedUpStopsAndStaysOrComesDown) {
  const double alpha = 0.4, v = 3;
  for (const double mu : {0.6, 0.3}) {
    const RoughBody<Incline> body(Incline{alpha, mu}, Rule<double>::trapezoid());
    RoughRun<Incline> run(body, body.node({0, 0}, {-v, 0}), {}, rough_law<Incline>("newton", 0));
    observe::Monitor<RoughBody<Incline>> monitor(body);
    monitor.start(run.node());
    const double up = g * (std::sin(alpha) + mu * std::cos(alpha)), stops = v / up, place = -v * v / (2 * up);
    run.run(0.01, 1000, monitor);
    const double down = std::max(0.0, g * (std::sin(alpha) - mu * std::cos(alpha))), left = 10 - stops;
    EXPECT_NEAR(run.node().q[0], place + down * left * left / 2, 1e-11) << mu;
    EXPECT_NEAR(run.node().p[0], down * left, 1e-12) << mu;
    if (mu == 0.6) {
      EXPECT_EQ(run.node().p[0], 0);
    }
    EXPECT_NEAR(monitor.balance_error(), 0, 1e-11);
    // Friction took μ g cos α times the way.
    const double way = -place + down * left * left / 2;
    EXPECT_NEAR(monitor.dissipated, mu * g * std::cos(alpha) * way, 1e-11 * (1 + way));
  }
}

// A coefficient without a meaning is refused before the first step.
TEST(Friction, CoefficientsWithoutAMeaningAreRefused) {
  for (const double mu : {-0.1, std::nan(""), 1e9}) {
    const RoughBody<Incline> body(Incline{0.4, mu}, Rule<double>::trapezoid());
    try {
      RoughRun<Incline> run(body, body.node({0, 0}, {0, 0}), {}, rough_law<Incline>("newton", 0));
      FAIL() << mu;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_model);
      EXPECT_NE(std::string(error.what()).find("friction must lie between 0 and"), std::string::npos) << error.what();
    }
  }
}

// Held by friction for 1e5 steps it does not creep.
TEST(Friction, StuckBlockDoesNotCreep) {
  const RoughBody<Incline> body(Incline{0.4, 0.43}, Rule<double>::trapezoid());
  RoughRun<Incline> run(body, body.node({0.7, 0}, {0, 0}), {}, rough_law<Incline>("newton", 0));
  run.run(0.01, 100000);
  EXPECT_NEAR(run.node().q[0], 0.7, 1e-15);
  EXPECT_LE(run.node().p.norm(), 1e-15);
}

// ---- curved contact: a particle in a rough bowl ----

// With y = v² as a function of the angle θ from the bottom, y' + 2sμy = −2g(sin θ + sμ cos θ), s the direction of
// motion: y = C e^(−2sμθ) + A cos θ + B sin θ, A = 2g(1 − 2μ²)/(1 + 4μ²), B = −6gsμ/(1 + 4μ²).
struct BowlMotion {
  double mu;
  double particular(double theta, double s) const {
    const double k = 1 + 4 * mu * mu;
    return 2 * g * (1 - 2 * mu * mu) / k * std::cos(theta) - 6 * g * s * mu / k * std::sin(theta);
  }
  double squared_speed(double theta, double theta0, double y0, double s) const {
    return (y0 - particular(theta0, s)) * std::exp(-2 * s * mu * (theta - theta0)) + particular(theta, s);
  }
  /// Where a motion that starts at rest at θ0 stops.
  double stop(double theta0) const {
    const double s = theta0 > 0 ? -1 : 1;
    double a = theta0 + s * 1e-3, b = theta0 + s * 3;  // y > 0 at a, < 0 at b
    for (int n = 0; n < 200; ++n) {
      const double m = (a + b) / 2;
      (squared_speed(m, theta0, 0, s) > 0 ? a : b) = m;
    }
    return a;
  }
};

TEST(Friction, ParticleInARoughBowlIsSecondOrder) {
  const double mu = 0.2, theta0 = 1.2;
  const BowlMotion exact{mu};
  double last = 0;
  for (const double h : {0.02, 0.01, 0.005, 0.0025}) {
    const RoughBody<Bowl> body(Bowl{mu}, Rule<double>::trapezoid());
    RoughRun<Bowl> run(body, body.node({std::sin(theta0), -std::cos(theta0)}, {0, 0}), {},
                       rough_law<Bowl>("newton", 0));
    while (run.node().t < 0.5 - 1e-9) run.step(h);
    const auto& q = run.node().q;
    const double theta = std::atan2(q[0], -q[1]);
    EXPECT_LE(std::abs(q.squaredNorm() - 1), 1e-14);
    const double error = run.node().p.squaredNorm() - exact.squared_speed(theta, theta0, 0, -1);
    if (last != 0) {
      EXPECT_NEAR(last / error, 4, 0.4) << h;
    }
    last = error;
  }
  EXPECT_LT(std::abs(last), 2e-4);  // of v² ≈ 10; measured 1.4e-4
}

// Back and forth, each turn a slip that comes to rest, until it stays: the last angle, second order.
TEST(Friction, ParticleInARoughBowlComesToRest) {
  const double mu = 0.2;
  const BowlMotion exact{mu};
  double theta = 1.2;
  int swings = 0;
  while (std::abs(std::tan(theta)) > mu) theta = exact.stop(theta), ++swings;
  ASSERT_GE(swings, 2);
  double last = 0;
  for (const double h : {0.01, 0.005, 0.0025}) {
    const RoughBody<Bowl> body(Bowl{mu}, Rule<double>::trapezoid());
    RoughRun<Bowl> run(body, body.node({std::sin(1.2), -std::cos(1.2)}, {0, 0}), {}, rough_law<Bowl>("newton", 0));
    run.run(h, static_cast<long long>(10 / h));
    EXPECT_LE(run.node().p.norm(), 1e-14);
    const double error = std::abs(std::atan2(run.node().q[0], -run.node().q[1]) - theta);
    if (last != 0) {
      EXPECT_NEAR(last / error, 4, 0.6) << h;
    }
    last = error;
  }
  EXPECT_LT(last, 1e-5);
}

// ---- the rod on its foot ----

/// A rod of length 2 whose foot slides with the sign σ on a floor with friction μ, from θ0 at rest:
///   N = g − sin θ θ̈ − cos θ θ̇²,  θ̈/3 = N (sin θ − σμ... ) ; integrated with small steps of a fourth-order method.
struct RodMotion {
  double mu, sigma;
  /// θ̈ and N from (θ, θ̇): foot x − sin θ, centre height cos θ.
  std::array<double, 2> at(double theta, double rate) const {
    // θ̈/3 = N sin θ + F·(−∂/∂θ of the foot's slip: x − sin θ gives −cos θ), F = −σμN along x
    const double lever = std::sin(theta) + sigma * mu * std::cos(theta);
    const double N = (g - std::cos(theta) * rate * rate) / (1 + 3 * std::sin(theta) * lever);
    return {3 * N * lever, N};
  }
  std::array<double, 2> after(double theta, double rate, double t, int steps) const {
    const double h = t / steps;
    for (int k = 0; k < steps; ++k) {
      const double k1 = rate, l1 = at(theta, rate)[0];
      const double k2 = rate + h / 2 * l1, l2 = at(theta + h / 2 * k1, k2)[0];
      const double k3 = rate + h / 2 * l2, l3 = at(theta + h / 2 * k2, k3)[0];
      const double k4 = rate + h * l3, l4 = at(theta + h * k3, k4)[0];
      theta += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
      rate += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    return {theta, rate};
  }
};

TEST(Friction, SlidingRodIsSecondOrder) {
  const double mu = 0.3, theta0 = 0.8, v = 5;  // fast to the right: the foot slides forwards all the time
  const auto exact = RodMotion{mu, 1}.after(theta0, 0, 0.3, 20000);
  ASSERT_GT((RodMotion{mu, 1}.at(exact[0], exact[1])[1]), 0) << "the reference has let go";
  double last = 0;
  for (const double h : {0.02, 0.01, 0.005, 0.0025}) {
    const RoughBody<Rod> body(Rod{mu}, Rule<double>::trapezoid());
    RoughRun<Rod> run(body, body.node({0, std::cos(theta0), theta0}, {v, 0, 0}), {}, rough_law<Rod>("newton", 0));
    run.run(h, std::llround(0.3 / h));
    EXPECT_EQ(run.held().size(), 1u);
    const double error = std::hypot(run.node().q[2] - exact[0], run.node().p[2] * 3 - exact[1]);
    if (last != 0) {
      EXPECT_NEAR(last / error, 4, 0.5) << h;
    }
    last = error;
  }
  EXPECT_LT(last, 1e-4);
}

// The same motion without time: with Y = θ̇² the equation above is linear in Y(θ),
//   (D E Y)' = 6g (sin θ + σμ cos θ) E,   D = 1 + 3 sin θ (sin θ + σμ cos θ),   E = exp(3σμ ∫dθ/D),
// and ∫dθ/D = atan((T + 3σμ/2)/k)/k with T = 4 tan θ, k² = 4 − 9μ²/4: a closed form up to one quadrature.
TEST(Friction, SlidingRodAgainstItsFirstIntegral) {
  const double mu = 0.3, theta0 = 0.8;
  const double k = std::sqrt(4 - 9 * mu * mu / 4);
  const auto D = [&](double x) { return 1 + 3 * std::sin(x) * (std::sin(x) + mu * std::cos(x)); };
  const auto E = [&](double x) { return std::exp(3 * mu / k * std::atan((4 * std::tan(x) + 1.5 * mu) / k)); };
  const auto squared_rate = [&](double theta) {
    const int n = 2000;
    double sum = 0;
    for (int i = 0; i <= n; ++i) {
      const double x = theta0 + (theta - theta0) * i / n;
      sum += (i == 0 || i == n ? 1 : i % 2 == 1 ? 4 : 2) * (std::sin(x) + mu * std::cos(x)) * E(x);
    }
    return 6 * g * sum * (theta - theta0) / n / 3 / (D(theta) * E(theta));
  };
  // The integral of dθ/D in the closed form has its derivative.
  for (const double x : {0.2, 0.8, 1.3}) {
    const double d = 1e-5, slope = std::log(E(x + d) / E(x - d)) / (2 * d);
    ASSERT_NEAR(slope, 3 * mu / D(x), 1e-8);
  }
  double last = 0;
  for (const double h : {0.02, 0.01, 0.005, 0.0025}) {
    const RoughBody<Rod> body(Rod{mu}, Rule<double>::trapezoid());
    RoughRun<Rod> run(body, body.node({0, std::cos(theta0), theta0}, {5, 0, 0}), {}, rough_law<Rod>("newton", 0));
    run.run(h, std::llround(0.3 / h));
    ASSERT_EQ(run.held().size(), 1u);
    const double rate = run.node().p[2] * 3, error = rate * rate - squared_rate(run.node().q[2]);
    if (last != 0) {
      EXPECT_NEAR(last / error, 4, 0.4) << h;
    }
    last = error;
  }
  EXPECT_LT(std::abs(last), 2e-4);
}

// From 0.2 rad at rest the foot sticks: θ̇² = (3g/2)(cos θ0 − cos θ), θ̈ = (3g/4) sin θ, until the friction
// F = cos θ θ̈ − sin θ θ̇² reaches μN, N = g − sin θ θ̈ − cos θ θ̇². The angle where it breaks away, second order; until
// then the foot has not moved by a bit.
TEST(Friction, FootOfARodBreaksAwayAtTheRightAngle) {
  const double mu = 0.3, theta0 = 0.2;
  const auto left = [&](double theta) {
    const double a = 0.75 * g * std::sin(theta), y = 1.5 * g * (std::cos(theta0) - std::cos(theta));
    return mu * (g - std::sin(theta) * a - std::cos(theta) * y) - (std::cos(theta) * a - std::sin(theta) * y);
  };
  double low = theta0, high = 0.6;
  ASSERT_GT(left(low), 0);
  ASSERT_LT(left(high), 0);
  for (int n = 0; n < 100; ++n) (left((low + high) / 2) > 0 ? low : high) = (low + high) / 2;
  double last = 0;
  for (const double h : {0.02, 0.01, 0.005}) {
    const RoughBody<Rod> body(Rod{mu}, Rule<double>::trapezoid());
    RoughRun<Rod> run(body, body.node({std::sin(theta0), std::cos(theta0), theta0}, {0, 0, 0}), {},
                      rough_law<Rod>("poisson", 0));
    struct {
      double theta = 0, foot = 1;
      void arrive(long long, const RoughBody<Rod>::Node& node) {
        if (theta == 0) theta = node.q[2], foot = node.q[0] - std::sin(node.q[2]);
      }
    } breaks;
    while (breaks.theta == 0 && run.node().t < 2) run.step(h, breaks);
    EXPECT_NEAR(breaks.foot, 0, 1e-15);
    const double error = std::abs(breaks.theta - low);
    if (last != 0) {
      EXPECT_NEAR(last / error, 4, 0.6) << h;
    }
    last = error;
    run.step(h);
    EXPECT_LT(run.node().p[0] - std::cos(run.node().q[2]) * run.node().p[2] * 3, 0);  // it slips backwards
  }
  EXPECT_LT(last, 1e-4);
}

// Painlevé: the rod is pushed along with its foot ahead, μ so large that friction turns it into the floor:
// W_NN − μW_NT = 1 + 3s² − 3μ s c < 0 (s = sin θ, c = cos θ of a rod that leans back). No force holds it; the run says
// so.
TEST(Friction, PainleveIsNamed) {
  const double mu = 2, theta = -0.5;
  ASSERT_LT(1 + 3 * std::sin(theta) * std::sin(theta) + 3 * mu * std::sin(theta) * std::cos(theta), 0);
  const RoughBody<Rod> body(Rod{mu}, Rule<double>::trapezoid());
  RoughRun<Rod> run(body, body.node({0, std::cos(theta), theta}, {5, 0, 0}), {}, rough_law<Rod>("newton", 0));
  try {
    run.step(0.01);
    FAIL() << "held";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("Painlev"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("-9.81"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("\"gap 0\""), std::string::npos) << error.what();
  }
  // Turning fast (θ̇² cos θ > g) it has two ways to go on, held or not; it lets go, and that is counted.
  const double fast = 2 * std::sqrt(g / std::cos(theta));
  RoughRun<Rod> turning(body, body.node({0, std::cos(theta), theta}, {10, -std::sin(theta) * fast, fast}), {},
                        rough_law<Rod>("newton", 0));
  turning.step(0.001);
  EXPECT_TRUE(turning.held().empty());
  EXPECT_GT(body.gap(0, turning.node()), 0);
  EXPECT_EQ(turning.fallbacks(principle::Fallback::ambiguous), 1);
}

// ---- impacts ----

// A disc that bounces and grips (μ large, e = 1): v + Jω about the point of contact is kept, the slip is gone, the
// normal velocity returned. With e = 0 it lands, rolls and keeps rolling.
TEST(Friction, DiscGripsAndRolls) {
  const double J = 0.5, v = 3, w = -4, rolling = (v + J * w) / (1 + J);
  for (const char* name : {"newton", "poisson", "stronge"}) {
    const RoughBody<Disc> body(Disc{2.0}, Rule<double>::trapezoid());
    RoughRun<Disc> bounce(body, body.node({0, 2, 0}, {v, 0, w}), {}, rough_law<Disc>(name, 1));
    while (bounce.impacts() == 0) bounce.step(0.01);
    EXPECT_NEAR(bounce.node().p[0], rolling, 1e-13) << name;
    EXPECT_NEAR(bounce.node().p[2] / J, rolling, 1e-13) << name;
    const double t = bounce.node().t, impact = std::sqrt(2 / g);
    EXPECT_NEAR(bounce.node().p[1], g * impact - g * (t - impact), 1e-12) << name;
    RoughRun<Disc> land(body, body.node({0, 2, 0}, {v, 0, w}), {}, rough_law<Disc>(name, 0));
    land.run(0.01, 200);
    EXPECT_NEAR(land.node().p[0], rolling, 1e-13);
    EXPECT_NEAR(land.node().q[0], v * impact + rolling * (2 - impact), 1e-11);
    EXPECT_EQ(land.impacts(), 1);
  }
}

// With back spin the superball returns: v⁺ = (v + Jω)/(1 + J) < 0 where it came with v > 0.
TEST(Friction, BackSpinReturns) {
  const RoughBody<Disc> body(Disc{2.0}, Rule<double>::trapezoid());
  RoughRun<Disc> run(body, body.node({0, 2, 0}, {1, 0, -8}), {}, rough_law<Disc>("poisson", 0.8));
  while (run.impacts() == 0) run.step(0.01);
  EXPECT_NEAR(run.node().p[0], (1 + 0.5 * -8) / 1.5, 1e-13);
}

// e = ½: the impacts accumulate at √(2/g)·(1 + e)/(1 − e) whatever friction does to the spin; then the disc slides on
// until it rolls. About the point of contact p_x + p_θ never changes; slip ends after a normal impulse of |slip|/(μ(1 +
// 1/J)).
TEST(Friction, AccumulationWithFriction) {
  const double J = 0.5, mu = 0.1, v = 6, w = 0, e = 0.5;
  const RoughBody<Disc> body(Disc{mu}, Rule<double>::trapezoid());
  for (const char* name : {"newton", "poisson", "stronge"}) {
    RoughRun<Disc> run(body, body.node({0, 2, 0}, {v, 0, w}), {}, rough_law<Disc>(name, e));
    struct Log {
      double rest = 0;
      std::vector<double> begin, end;
      void accumulation(const principle::Accumulation<double>& a) { rest = a.t; }
    } log;
    const double rest = std::sqrt(2 / g) * (1 + e) / (1 - e);
    run.run(0.01, 140, log);
    EXPECT_NEAR(log.rest, rest, 1e-8) << name;
    // All impulses since the start: mg t as soon as it rests; the disc still slides then.
    EXPECT_NEAR(run.node().p[0], v - mu * g * 1.4, 1e-9) << name;
    EXPECT_NEAR(run.node().p[0] + run.node().p[2], v + J * w, 1e-12) << name;
    run.run(0.01, 360, log);
    EXPECT_NEAR(run.node().p[0], (v + J * w) / (1 + J), 1e-12) << name;
    EXPECT_NEAR(run.node().p[2] / J, (v + J * w) / (1 + J), 1e-12) << name;
    EXPECT_LE(std::abs(run.node().q[1] - 1), 1e-14);
  }
}

// A rod that hits with its foot, slipping all the time: r_T = −μ r_N, and with the stiffness k = W_NN − μσW_NT all
// three laws give r_N = −(1 + e) v_N/k. The kinetic energy falls by what the law says.
TEST(Friction, RodThatSlipsThroughItsImpact) {
  const double mu = 0.2, theta = 0.6, e = 0.5, v = 20;
  for (const char* name : {"newton", "poisson", "stronge"}) {
    const RoughBody<Rod> body(Rod{mu}, Rule<double>::trapezoid());
    const auto start = body.node({0, std::cos(theta), theta}, {v, -1, 0});
    RoughRun<Rod> run(body, start, {}, rough_law<Rod>(name, e));
    observe::Monitor<RoughBody<Rod>> monitor(body);
    monitor.start(start);
    run.step(1e-12, monitor);  // the impact is at the very start
    const double s = std::sin(theta), c = std::cos(theta);
    // normal ∇φ = (0, 1, s), slip ∇ψ = (1, 0, −c), M⁻¹ = (1, 1, 3)
    const double k = 1 + 3 * s * s - mu * (-3 * s * c), r = (1 + e) * 1 / k;
    EXPECT_NEAR(run.node().p[0], v - mu * r, 1e-10) << name;
    EXPECT_NEAR(run.node().p[1], -1 + r, 1e-10) << name;
    EXPECT_NEAR(run.node().p[2], s * r + c * mu * r, 1e-10) << name;
    EXPECT_NEAR(monitor.dissipated, body.kinetic(start) - body.kinetic(run.node()), 1e-9);
  }
}

// Without friction (μ = 0) the rough body does bit for bit what the smooth one does.
TEST(Friction, NoFrictionIsTheSmoothMotion) {
  const RoughBody<Rod> rough(Rod{0}, Rule<double>::trapezoid());
  const BodyOf<Rod> smooth(Rod{0}, Rule<double>::trapezoid());
  RoughRun<Rod> a(rough, rough.node({0, 1.2, 0.5}, {0.3, 0, 1}), {}, rough_law<Rod>("newton", 0.4));
  principle::Strong<BodyOf<Rod>> b(smooth, smooth.node({0, 1.2, 0.5}, {0.3, 0, 1}), {}, newton<BodyOf<Rod>>(0.4));
  for (int k = 0; k < 100; ++k) {
    a.step(0.01);
    b.step(0.01);
    ASSERT_LT((a.node().q - b.node().q).norm() + (a.node().p - b.node().p).norm(), 1e-12) << k;
  }
  EXPECT_EQ(a.impacts(), b.impacts());
}

}  // namespace
}  // namespace ricochet
