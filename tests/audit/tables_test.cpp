// Tables by independent means: closed forms and hand-written methods, with few digits, noise and wrong forces.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numbers>

#include "audit/support.hpp"

using namespace audit_test;
using audit::Grade;

namespace {

/// x'' = −1.69 x with a wall at x = −1/2.
const scene::Model& spring() {
  static const auto model = compiled(spring_scene("x + 0.5"));
  return *model;
}

/// Elastic: x = cos φ with the phase running from −2π/3 to 2π/3, again and again.
std::string bouncing_spring(double h, int samples, bool velocities, int digits, double w = 1.3) {
  constexpr double third = 2 * std::numbers::pi / 3;
  std::string text = velocities ? "t,x,vx\n" : "t,x\n";
  for (int k = 0; k < samples; ++k) {
    const double t = k * h, phase = std::fmod(w * t + third, 2 * third) - third;
    text += fmt::format("{:.{}g},{:.{}g}", t, digits, std::cos(phase), digits);
    if (velocities) text += fmt::format(",{:.{}g}", -w * std::sin(phase), digits);
    text += '\n';
  }
  return text;
}

/// Uniform in (−1, 1), the same everywhere: 1103515245 and 12345 of the C standard's example.
struct Dice {
  std::uint32_t x = 1;
  double operator()() {
    x = x * 1103515245u + 12345u;
    return 2 * static_cast<double>((x >> 16) & 0x7fffu) / 32767 - 1;
  }
};

std::string noisy_ball(double noise, bool velocities, std::size_t moved = 0) {
  auto rows = ball(1, 0.013, 385);
  Dice dice;
  for (Row& r : rows) r.x += noise * dice(), r.y += noise * dice(), r.vx += noise * dice(), r.vy += noise * dice();
  if (moved > 0) rows[moved].y += 1e-6;
  return csv(rows, velocities);
}

const scene::Model& falling() {
  static const auto model = compiled(floor_scene());
  return *model;
}

bool noted(const audit::Findings& f, const std::string& words) {
  return std::any_of(f.notes.begin(), f.notes.end(),
                     [&](const std::string& note) { return note.find(words) != note.npos; });
}

/// x'' = −x from (1, 0.3) with steps of alternating length; f makes one step.
template <class Step>
audit::Trajectory stepped(const Step& step, double even, double odd, bool momenta = true) {
  constexpr int rows = 80;
  audit::Trajectory out;
  double q = 1, v = 0.3, t = 0;
  out.q.resize(1, rows);
  if (momenta) out.p.resize(1, rows);
  for (int k = 0; k < rows; ++k) {
    out.t.push_back(t);
    out.step.push_back(k);
    out.q(0, k) = q;
    if (momenta) out.p(0, k) = v;
    const double h = k % 2 == 0 ? even : odd;
    step(q, v, h);
    t += h;
  }
  return out;
}

const scene::Model& oscillator() {
  static const auto model = compiled(
      "[time]\nstep = 0.1\nend = 1\n[system]\ncoordinates = [\"x\"]\nmass = [1]\npotential = \"x^2/2\"\nposition = "
      "[1]\n");
  return *model;
}

/// Taylor's polynomial of the exact motion: what a Runge–Kutta method of as many stages as its order does to x'' = −x.
template <int order>
void taylor(double& q, double& v, double h) {
  double a = q, b = v, factor = 1, dq = 0, dv = 0;
  for (int k = 1; k <= order; ++k) {
    const double c = b;
    b = -a, a = c;
    factor *= h / k;
    dq += factor * a, dv += factor * b;
  }
  q += dq, v += dv;
}

}  // namespace

TEST(AuditTables, FewDigitsOfATrueMotion) {
  for (const double h : {0.005, 0.02, 0.05})
    for (const bool velocities : {true, false})
      for (const int digits : {5, 7, 9, 10, 12, 17}) {
        const auto f = findings(spring(), bouncing_spring(h, 400, velocities, digits));
        EXPECT_TRUE(f.verdict == Grade::strong || (f.verdict == Grade::not_judged && digits < 10))
            << h << ' ' << velocities << ' ' << digits << '\n'
            << audit::to_text(f);
      }
}

TEST(AuditTables, WrongForcesAreNotTheErrorOfAMethod) {
  // A spring of k(1 ± 0.2 %): ω(1 ± 0.1 %). The error of a method of first order in samples 0.05 apart is larger.
  for (const double h : {0.01, 0.05})
    for (const double factor : {0.999, 1.001}) {
      auto f = findings(spring(), bouncing_spring(h, 400, true, 17, 1.3 * factor));
      EXPECT_EQ(f.verdict, Grade::neither) << h << ' ' << factor << '\n' << audit::to_text(f);
      EXPECT_NE(check(f, "motion").offenders.front().where.find("a force acts"), std::string::npos)
          << audit::to_text(f);
      f = findings(spring(), bouncing_spring(h, 400, false, 17, 1.3 * factor));
      EXPECT_TRUE(f.verdict == Grade::not_judged || f.verdict == Grade::neither) << audit::to_text(f);
    }
}

TEST(AuditTables, NoiseIsFoundAndSaid) {
  for (const bool velocities : {true, false}) {
    auto f = findings(falling(), noisy_ball(1e-12, velocities));
    EXPECT_EQ(f.verdict, Grade::strong) << audit::to_text(f);
    EXPECT_TRUE(noted(f, "the numbers carry noise")) << audit::to_text(f);
    EXPECT_EQ(f.impacts, 6u);
    // It does not hide what is larger.
    f = findings(falling(), noisy_ball(1e-12, velocities, 77));
    EXPECT_EQ(f.verdict, Grade::neither) << audit::to_text(f);
    EXPECT_EQ(check(f, "motion").offenders.front().step, 77);
    // Random pushes look the same: they are not passed.
    f = findings(falling(), noisy_ball(1e-4, velocities));
    EXPECT_NE(f.verdict, Grade::strong) << audit::to_text(f);
  }
  EXPECT_FALSE(noted(findings(falling(), csv(ball(1, 0.013, 385))), "noise"));
}

TEST(AuditTables, TheOrderOfKnownMethods) {
  const auto order = [](const audit::Trajectory& motion) { return audit::judge(oscillator(), motion).order_words; };
  EXPECT_EQ(order(stepped(taylor<1>, 0.1, 0.1)), "1 (explicit Euler)");
  EXPECT_EQ(order(stepped(taylor<4>, 0.1, 0.1)), "4 (the classical Runge-Kutta method)");
  const auto verlet = [](double& q, double& v, double h) { v -= h / 2 * q, q += h * v, v -= h / 2 * q; };
  EXPECT_EQ(order(stepped(verlet, 0.1, 0.1)), "2 (the rule trapezoid)");
  EXPECT_EQ(order(stepped(verlet, 0.1, 0.1, false)), "2 (the trapezoid rule, Verlet's, in the positions)");
  EXPECT_EQ(audit::judge(oscillator(), stepped(verlet, 0.1, 0.1, false)).verdict, Grade::strong);
}

TEST(AuditTables, UnevenTimesShowTheOrderOfAnyMethod) {
  auto f = audit::judge(oscillator(), stepped(taylor<3>, 0.1, 0.06));
  ASSERT_TRUE(f.order.has_value()) << f.order_words;
  EXPECT_NEAR(*f.order, 3, 0.1);
  f = audit::judge(oscillator(), stepped(taylor<5>, 0.2, 0.12));
  ASSERT_TRUE(f.order.has_value()) << f.order_words;
  EXPECT_NEAR(*f.order, 5, 0.1);
}
