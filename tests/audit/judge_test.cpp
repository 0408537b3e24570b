// Verdicts on motions in closed form, clean and corrupted.
#include <gtest/gtest.h>

#include "audit/support.hpp"

using namespace audit_test;
using audit::Grade;

namespace {

const scene::Model& falling() {
  static const auto model = compiled(floor_scene());
  return *model;
}

}  // namespace

TEST(AuditJudge, ExactElasticBallIsStrong) {
  for (const bool velocities : {true, false}) {
    const auto f = findings(falling(), csv(ball(1, 0.013, 385), velocities));
    EXPECT_EQ(f.verdict, Grade::strong) << audit::to_text(f);
    ASSERT_EQ(f.impacts, 6u);
    // t_k = (2k − 1)√(2/g); positions alone lose the digits of Δq/h.
    for (std::size_t k = 0; k < 6; ++k)
      EXPECT_NEAR(f.lines[k].t, (2.0 * static_cast<double>(k) + 1) * std::sqrt(2 / 9.81), velocities ? 1e-13 : 1e-12);
    for (const auto& line : f.lines) EXPECT_NEAR(line.restitution, 1, velocities ? 1e-13 : 1e-11);
  }
}

TEST(AuditJudge, RestitutionIsWeakAndMeasured) {
  for (const bool velocities : {true, false}) {
    const auto f = findings(falling(), csv(ball(0.8, 0.013, 150), velocities));
    EXPECT_EQ(f.verdict, Grade::weak) << audit::to_text(f);
    EXPECT_EQ(check(f, "second_condition").grade, Grade::weak);
    EXPECT_EQ(check(f, "dissipation").grade, Grade::strong);
    ASSERT_EQ(f.impacts, 3u);
    for (const auto& line : f.lines) EXPECT_NEAR(line.restitution, 0.8, velocities ? 1e-13 : 1e-11);
    EXPECT_NEAR(f.lines[0].energy, -0.36 * 9.81, 1e-10);  // (1 − e²) m g y
  }
}

TEST(AuditJudge, EnergyGainIsNeither) {
  const auto f = findings(falling(), csv(ball(1.005, 0.013, 200)));  // 1 % of the energy of the fall
  EXPECT_EQ(f.verdict, Grade::neither) << audit::to_text(f);
  const auto& gain = check(f, "dissipation");
  EXPECT_EQ(gain.grade, Grade::neither);
  EXPECT_NEAR(gain.offenders.front().value, (1.005 * 1.005 - 1) * 9.81 * (1.005 * 1.005), 2e-3);
  EXPECT_EQ(gain.above_weak, 3u);
}

TEST(AuditJudge, MovedPositionIsFound) {
  for (const bool velocities : {true, false}) {
    auto rows = ball(1, 0.013, 385);
    rows[77].y += 1e-6;
    const auto f = findings(falling(), csv(rows, velocities));
    EXPECT_EQ(f.verdict, Grade::neither);
    EXPECT_EQ(check(f, "motion").offenders.front().step, 77);
    EXPECT_EQ(check(f, "motion").above_weak, 1u);
    EXPECT_EQ(f.impacts, 6u);
  }
}

TEST(AuditJudge, TiltedImpulseIsFound) {
  auto rows = ball(1, 0.013, 200);
  const double t1 = 3 * std::sqrt(2 / 9.81), push = 2 * std::sqrt(2 * 9.81);
  // From the second impact on the ball moves on with an impulse tilted by 1e-4.
  for (Row& r : rows)
    if (r.t > t1) r.vx += 1e-4 * push, r.x += 1e-4 * push * (r.t - t1);
  const auto f = findings(falling(), csv(rows));
  EXPECT_EQ(f.verdict, Grade::neither) << audit::to_text(f);
  const auto& first = check(f, "first_condition");
  EXPECT_EQ(first.above_weak, 1u);
  EXPECT_NEAR(first.offenders.front().t, t1, 1e-9);
  EXPECT_NEAR(first.offenders.front().value, 1e-4, 1e-8);
  EXPECT_EQ(check(f, "momentum_maps").grade, Grade::neither);
}

TEST(AuditJudge, PenetrationWithinAStepIsWeakBeyondItIsNeither) {
  // Reflected 0.4 steps late, and five steps late.
  for (const double late : {0.004, 0.05}) {
    std::vector<Row> rows;
    const double g = 9.81, hit = std::sqrt(2 / g) + late, y1 = 1 - g * hit * hit / 2, v1 = g * hit;
    for (int k = 0; k < 80; ++k) {
      const double t = 0.01 * k, s = t - hit;
      rows.push_back(t < hit ? Row{t, -2 * t, 1 - g * t * t / 2, -2, -g * t}
                             : Row{t, -2 * t, y1 + v1 * s - g * s * s / 2, -2, v1 - g * s});
    }
    const auto f = findings(falling(), csv(rows));
    EXPECT_EQ(f.verdict, late < 0.01 ? Grade::weak : Grade::neither) << audit::to_text(f);
    EXPECT_EQ(check(f, "complementarity").grade, late < 0.01 ? Grade::weak : Grade::neither);
    EXPECT_NEAR(check(f, "complementarity").largest, -y1, 1e-12);
  }
}

TEST(AuditJudge, PushWithoutAGapIsNeither) {
  auto rows = ball(1, 0.01, 40);
  for (std::size_t k = 20; k < 40; ++k) rows[k].vx += 1e-3, rows[k].x += 1e-3 * (rows[k].t - rows[20].t);
  const auto f = findings(falling(), csv(rows));
  EXPECT_EQ(f.verdict, Grade::neither);
  EXPECT_EQ(check(f, "motion").offenders.front().where, "no gap is near");
}

TEST(AuditJudge, CircleBilliardFromGeometry) {
  const auto model = compiled(R"([time]
step = 0.05
end = 1
[system]
coordinates = ["x", "y"]
mass = [1, 1]
position = [0.2, 0]
velocity = [0.6, 0.8]
[[gap]]
name = "circle"
expression = "1 - x^2 - y^2"
[[symmetry]]
name = "rotation"
generator = ["-y", "x"]
)");
  // Chords: the point of impact and the reflected direction by geometry.
  std::string text = "t,x,y,v_x,v_y\n";
  double x = 0.2, y = 0, vx = 0.6, vy = 0.8, begin = 0;
  int impacts = 0;
  for (int k = 0; k < 400; ++k) {
    const double t = 0.03 * k;
    for (;;) {
      const double b = x * vx + y * vy, s = -b + std::sqrt(b * b + 1 - x * x - y * y);
      if (t < begin + s) break;
      x += s * vx, y += s * vy, begin += s;
      const double r = std::hypot(x, y), n = (x * vx + y * vy) / (r * r);
      vx -= 2 * n * x, vy -= 2 * n * y, x /= r, y /= r;
      ++impacts;
    }
    text +=
        fmt::format("{:.17g},{:.17g},{:.17g},{:.17g},{:.17g}\n", t, x + vx * (t - begin), y + vy * (t - begin), vx, vy);
  }
  const auto f = findings(*model, text);
  EXPECT_EQ(f.verdict, Grade::strong) << audit::to_text(f);
  EXPECT_EQ(f.impacts, static_cast<std::size_t>(impacts));
  EXPECT_LT(check(f, "momentum_maps").largest, 1e-13);
  EXPECT_LT(check(f, "first_condition").largest, 1e-11);
}

TEST(AuditJudge, SlidingBlockStaysInTheFrictionCone) {
  const auto scene = [](double mu) {
    return fmt::format(R"([time]
step = 0.01
end = 1
[system]
coordinates = ["x", "y"]
mass = [1, 1]
potential = "9.81*y"
position = [0, 0]
velocity = [3, 0]
[[gap]]
name = "ground"
expression = "y"
tangent = ["x"]
friction = {}
[impact]
law = "newton"
restitution = 0
[integrator]
principle = "weak"
)",
                       mu);
  };
  // x'' = −0.3 g until rest at t = 3/(0.3 g) > 1.
  std::string text = "t,x,y,v_x,v_y\n";
  for (int k = 0; k <= 90; ++k) {
    const double t = 0.01 * k, a = 0.3 * 9.81;
    text += fmt::format("{:.17g},{:.17g},0,{:.17g},0\n", t, 3 * t - a * t * t / 2, 3 - a * t);
  }
  const auto rough = findings(*compiled(scene(0.3)), text), smooth = findings(*compiled(scene(0.2)), text);
  EXPECT_EQ(rough.verdict, Grade::weak) << audit::to_text(rough);
  EXPECT_EQ(check(rough, "friction_cone").grade, Grade::strong);
  EXPECT_EQ(smooth.verdict, Grade::neither);
  // |τ| − μλ = (0.3 − 0.2) g h
  EXPECT_NEAR(check(smooth, "friction_cone").largest, 0.1 * 9.81 * 0.01, 1e-9);
}
