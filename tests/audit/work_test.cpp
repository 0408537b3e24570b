// Energy that comes in between impacts: forces, potentials that change with time, walls that carry. Closed forms.
#include <gtest/gtest.h>

#include <functional>

#include "audit/support.hpp"

using namespace audit_test;
using audit::Grade;

namespace {

struct Point1 {
  double x, v;
};

std::string table(const std::function<Point1(double)>& motion, double h, int samples, bool velocities = true) {
  std::string text = velocities ? "t,x,v_x\n" : "t,x\n";
  for (int k = 0; k < samples; ++k) {
    const Point1 at = motion(k * h);
    text += fmt::format("{:.17g},{:.17g}", k * h, at.x) + (velocities ? fmt::format(",{:.17g}\n", at.v) : "\n");
  }
  return text;
}

std::string oscillator(const std::string& potential, const std::string& force, const std::string& gap) {
  return fmt::format(R"([time]
step = 0.05
end = 10
[system]
coordinates = ["x"]
mass = [1]
potential = "{}"
position = [1]
velocity = [0]
{}
[[gap]]
name = "wall"
expression = "{}"
)",
                     potential, force.empty() ? "" : "[[force]]\ncomponents = [\"" + force + "\"]", gap);
}

/// x'' + 2cx' + x = 0 from x = 1 at rest.
Point1 damped(double t, double c) {
  const double w = std::sqrt(1 - c * c), e = std::exp(-c * t);
  return {e * (std::cos(w * t) + c / w * std::sin(w * t)), -e / w * std::sin(w * t)};
}

/// x'' + x = cos 2t from the origin at rest.
Point1 driven(double t) { return {(std::cos(t) - std::cos(2 * t)) / 3, (2 * std::sin(2 * t) - std::sin(t)) / 3}; }

double number(const audit::Findings& f, const std::string& key) {
  for (const auto& [name, value] : f.numbers)
    if (name == key) return value;
  throw std::runtime_error("no number " + key);
}

}  // namespace

TEST(AuditWork, DampedOscillatorIsStrongAtEveryStep) {
  const auto model = compiled(oscillator("x^2/2", "-0.2*v_x", "x+2"));
  for (const double h : {0.5, 0.1, 0.05, 0.002})
    for (const bool velocities : {true, false}) {
      const int samples = static_cast<int>(std::lround(10 / h)) + 1;
      const auto f = findings(*model, table([](double t) { return damped(t, 0.1); }, h, samples, velocities));
      EXPECT_EQ(f.verdict, Grade::strong) << h << velocities << audit::to_text(f);
      // What the force took is what is missing: H(10) − H(0).
      const Point1 end = damped((samples - 1) * h, 0.1);
      EXPECT_NEAR(number(f, "energy supplied by forces"), (end.x * end.x + end.v * end.v - 1) / 2,
                  velocities ? 1e-14 : 1e-12);
    }
}

TEST(AuditWork, PotentialThatChangesWithTime) {
  const auto model = compiled(oscillator("x^2/2 - x*cos(2*t)", "", "x+2"));
  for (const double h : {0.1, 0.05, 0.001}) {
    const int samples = static_cast<int>(std::lround(10 / h)) + 1;
    const auto f = findings(*model, table(driven, h, samples));
    EXPECT_EQ(f.verdict, Grade::strong) << h << audit::to_text(f);
    const double t = (samples - 1) * h;
    const Point1 end = driven(t);
    EXPECT_NEAR(number(f, "energy supplied by forces"), (end.v * end.v + end.x * end.x) / 2 - end.x * std::cos(2 * t),
                1e-13);
  }
}

TEST(AuditWork, ImpactsAmidTheWorkAreSteppedOver) {
  // x'' + 0.2x' + x = 0 is the same for −x: elastic impacts at x = 0 make |x| of it. The power jumps at none of them,
  // but the motion from sample to sample does.
  const auto model = compiled(oscillator("x^2/2", "-0.2*v_x", "x"));
  const auto motion = [](double t) {
    const Point1 at = damped(t, 0.1);
    return at.x < 0 ? Point1{-at.x, -at.v} : at;
  };
  for (const bool velocities : {true, false}) {
    const auto f = findings(*model, table(motion, 0.07, 140, velocities));
    EXPECT_EQ(f.verdict, Grade::strong) << velocities << audit::to_text(f);
    EXPECT_EQ(f.impacts, 3u);
    const Point1 end = motion(139 * 0.07);
    EXPECT_NEAR(number(f, "energy supplied by forces"), (end.x * end.x + end.v * end.v - 1) / 2,
                velocities ? 1e-13 : 1e-11);
  }
}

TEST(AuditWork, AnotherForceIsFound) {
  // Damped by 1e-8 more than the scene says, driven with a frequency 1e-8 beside it, one sample off by 1e-13 where
  // cancellation leaves 1e-16: none of them is passed.
  const auto model = compiled(oscillator("x^2/2", "-0.2*v_x", "x+2"));
  const auto more = findings(*model, table([](double t) { return damped(t, 0.1 + 1e-8); }, 0.05, 201));
  EXPECT_EQ(more.verdict, Grade::neither) << audit::to_text(more);
  const auto forced = compiled(oscillator("x^2/2 - x*cos(2.00000001*t)", "", "x+2"));
  EXPECT_EQ(findings(*forced, table(driven, 0.05, 201)).verdict, Grade::neither);
  const auto exact = compiled(oscillator("x^2/2 - x*cos(2*t)", "", "x+2"));
  const auto moved = [](double t) {
    Point1 at = driven(t);
    if (std::abs(t - 0.02) < 1e-9) at.x += 1e-13;
    return at;
  };
  EXPECT_EQ(findings(*exact, table(moved, 0.001, 1001)).verdict, Grade::neither);
}

TEST(AuditWork, EnergyFromNowhereIsFound) {
  // The damped motion that at each of its impacts comes back with 1 + 1e-9 of its speed: the work of the force is known
  // well enough to see it.
  const auto model = compiled(oscillator("x^2/2", "-0.2*v_x", "x"));
  const double w = std::sqrt(0.99), first = (std::acos(-1) / 2 + std::asin(0.1)) / w;
  const auto motion = [&](double t) {
    const Point1 at = damped(t, 0.1);
    const double grown = std::pow(1 + 1e-9, t < first ? 0 : 1 + std::floor((t - first) * w / std::acos(-1)));
    return at.x < 0 ? Point1{-grown * at.x, -grown * at.v} : Point1{grown * at.x, grown * at.v};
  };
  const auto f = findings(*model, table(motion, 0.07, 140));
  EXPECT_EQ(f.verdict, Grade::neither) << audit::to_text(f);
  EXPECT_EQ(check(f, "dissipation").above_weak, 3u);
}

TEST(AuditWork, ImpactsThatCannotBeToldApartLeaveTheWorkUnsure) {
  // The ball that bounces once or twice in every interval, slowed down along the floor: x = −2(1 − e^(−ct))/c. Elastic
  // impacts are told apart, others are not: then the work is known from the ends of the intervals only, 0.05 J in each.
  // A gain of 0.2 J at every impact is more than that.
  const auto model = compiled(floor_scene("[[force]]\ncomponents = [\"-0.01*v_x\", \"0\"]\n"));
  for (const double e : {1.0, 0.99, 1.01}) {
    auto rows = ball(e, 1.3, 40);
    for (Row& r : rows) {
      r.vx = -2 * std::exp(-0.01 * r.t);
      r.x = 200 * std::expm1(-0.01 * r.t);
    }
    const auto f = findings(*model, csv(rows));
    EXPECT_EQ(f.verdict, e == 1 ? Grade::strong : e < 1 ? Grade::weak : Grade::neither) << e << audit::to_text(f);
    if (e == 1) {
      EXPECT_NEAR(number(f, "energy supplied by forces"), 2 * std::expm1(-0.02 * 39 * 1.3), 1e-12);
    }
  }
}

TEST(AuditWork, RelativisticMotionHasRoundingOfItsOwn) {
  // L = −√(1 − v²) − x/2: p = −t/2, x = 2(1 − √(1 + t²/4)) + 3.
  const auto model = compiled(R"([time]
step = 0.01
end = 2
[system]
coordinates = ["x"]
lagrangian = "-sqrt(1 - v_x^2) - x/2"
position = [3]
velocity = [0]
[[gap]]
name = "floor"
expression = "x"
)");
  for (const double push : {0.0, 1e-9}) {
    const auto motion = [&](double t) {
      const double root = std::sqrt(1 + t * t / 4);
      return Point1{5 - 2 * root + (t > 1.005 ? push * (t - 1.005) : 0), -t / 2 / root + (t > 1.005 ? push : 0)};
    };
    for (const bool velocities : {true, false}) {
      const auto f = findings(*model, table(motion, 0.01, 201, velocities));
      EXPECT_EQ(f.verdict, push > 0 ? Grade::neither : Grade::strong) << velocities << audit::to_text(f);
    }
  }
}
