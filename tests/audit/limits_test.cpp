// What the auditor can tell and what it cannot: coarse numbers, crowded impacts, the ends of a table. Closed forms.
#include <gtest/gtest.h>

#include <algorithm>

#include "audit/support.hpp"

using namespace audit_test;
using audit::Grade;

namespace {

const scene::Model& falling() {
  static const auto model = compiled(floor_scene());
  return *model;
}

std::string first_line(const audit::Findings& f) {
  const std::string text = audit::to_text(f);
  return text.substr(0, text.find('\n'));
}

std::vector<Row> part(const std::vector<Row>& rows, std::size_t first, std::size_t last) {
  return {rows.begin() + static_cast<std::ptrdiff_t>(first), rows.begin() + static_cast<std::ptrdiff_t>(last)};
}

}  // namespace

TEST(AuditLimits, ABallThatHoversIsNotStrong) {
  // With few digits h·g drowns in rounding: nothing can be said. With all of them the missing fall is seen.
  for (const bool velocities : {true, false})
    for (const bool fine : {true, false}) {
      std::string text = velocities ? "t,x,y,vx,vy\n" : "t,x,y\n";
      for (int k = 0; k <= 100; ++k)
        text += fmt::format("{},{},1{}\n", fine ? fmt::format("{:.17g}", k / 99.0) : fmt::format("{:.2f}", 0.01 * k),
                            fine ? "0" : "0", velocities ? ",0,0" : "");
      const auto f = findings(falling(), text);
      if (fine) {
        EXPECT_EQ(f.verdict, Grade::neither) << audit::to_text(f);
      } else {
        EXPECT_TRUE(f.verdict == Grade::not_judged || f.verdict == Grade::neither) << audit::to_text(f);
      }
    }
  const auto f = findings(falling(), "t,x,y\n0,0,1\n0.1,0,1\n0.2,0,1\n");
  EXPECT_EQ(f.verdict, Grade::not_judged) << audit::to_text(f);
  EXPECT_NE(first_line(f).find("not judged"), std::string::npos);
  EXPECT_EQ(f.order_words.find("exact"), std::string::npos);
}

TEST(AuditLimits, SeveralImpactsInAnInterval) {
  // Bounces every 0.903 s, samples every 1.3 s: one or two in every interval. An elastic motion leads through them all:
  // the impacts are at (2k + 1)√(2/g), 56 of them until t = 50.7.
  const auto f = findings(falling(), csv(ball(1, 1.3, 40)));
  EXPECT_EQ(f.verdict, Grade::strong) << audit::to_text(f);
  ASSERT_EQ(f.impacts, 56u);
  for (std::size_t k = 0; k < 56; ++k)
    EXPECT_NEAR(f.lines[k].t, (2.0 * static_cast<double>(k) + 1) * std::sqrt(2 / 9.81), 1e-11);
  // Which of several impacts lost or gained cannot be told: only what they did to the energy together.
  const auto loss = findings(falling(), csv(ball(0.99, 1.3, 40)));
  EXPECT_EQ(loss.verdict, Grade::weak) << audit::to_text(loss);
  EXPECT_GT(loss.impacts_left, 5u);
  EXPECT_EQ(findings(falling(), csv(ball(1.01, 1.3, 40))).verdict, Grade::neither);
  // From positions alone nothing is left to hold on to.
  EXPECT_EQ(findings(falling(), csv(ball(1, 1.3, 40), false)).verdict, Grade::not_judged);
}

TEST(AuditLimits, TwoMassesAndAWall) {
  const auto model = compiled(R"([time]
step = 0.01
end = 1
[system]
coordinates = ["x", "X"]
mass = [1, 100]
position = [1, 2]
velocity = [0, -1]
[[gap]]
name = "wall"
expression = "x"
[[gap]]
name = "masses"
expression = "X - x"
)");
  // Straight lines from impact to impact: 31 of them, the most of them within 0.4 s (⌊π√(M/m)⌋ = 31).
  const auto table = [](double h, int samples, bool velocities, double gain) {
    std::string text = velocities ? "t,x,X,vx,vX\n" : "t,x,X\n";
    double x = 1, X = 2, v = 0, V = -1, begin = 0;
    int impacts = 0;
    for (int k = 0; k < samples; ++k) {
      const double t = k * h;
      for (;;) {
        const double wall = v < 0 ? -x / v : HUGE_VAL, both = v > V ? (X - x) / (v - V) : HUGE_VAL;
        const double s = std::min(wall, both);
        if (!(begin + s < t)) break;
        begin += s, x += s * v, X += s * V;
        if (wall < both) {
          x = 0, v = -v;
        } else {
          const double w = (v + 100 * V) / 101, pull = ++impacts == 3 ? gain : 1;
          x = X, v = w - pull * (v - w), V = w - pull * (V - w);
          continue;
        }
        ++impacts;
      }
      text += fmt::format("{:.17g},{:.17g},{:.17g}", t, x + (t - begin) * v, X + (t - begin) * V);
      text += velocities ? fmt::format(",{:.17g},{:.17g}\n", v, V) : "\n";
    }
    return std::pair(text, impacts);
  };
  for (const double h : {0.007, 0.019, 0.047}) {
    const int samples = static_cast<int>(4 / h);
    const auto [text, impacts] = table(h, samples, true, 1);
    EXPECT_EQ(impacts, 31);
    const auto f = findings(*model, text);
    EXPECT_EQ(f.verdict, Grade::strong) << h << audit::to_text(f);
    EXPECT_EQ(f.impacts, 31u) << h;
    const auto positions = findings(*model, table(h, samples, false, 1).first);
    EXPECT_TRUE(positions.verdict == Grade::strong || positions.verdict == Grade::not_judged)
        << h << audit::to_text(positions);
    // One impact among them returns the masses 1 % faster.
    EXPECT_EQ(findings(*model, table(h, samples, true, 1.01).first).verdict, Grade::neither) << h;
  }
}

TEST(AuditLimits, ImpactsAtTheEndsOfATableOfPositions) {
  for (const double e : {1.0, 0.8}) {
    const auto rows = ball(e, 0.013, 200);
    ASSERT_LT(rows[34].vy, 0);  // the first impact lies between the samples 34 and 35
    ASSERT_GT(rows[35].vy, 0);
    const auto first = findings(falling(), csv(part(rows, 34, 190), false));
    const auto last = findings(falling(), csv(part(rows, 0, 36), false));
    if (e == 1) {
      // The velocity on the far side is not known, but the elastic motion arrives where the sample is.
      EXPECT_EQ(first.verdict, Grade::strong) << audit::to_text(first);
      EXPECT_EQ(first.impacts, 3u);
      EXPECT_EQ(last.verdict, Grade::strong) << audit::to_text(last);
      ASSERT_EQ(last.impacts, 1u);
      EXPECT_NEAR(last.lines[0].t, std::sqrt(2 / 9.81), 1e-12);
    } else {
      EXPECT_EQ(first.verdict, Grade::weak) << audit::to_text(first);
      EXPECT_EQ(first.impacts_left, 1u);
      EXPECT_NE(first_line(first).find("as far as judged"), std::string::npos) << first_line(first);
      EXPECT_EQ(last.verdict, Grade::not_judged) << audit::to_text(last);
      EXPECT_EQ(last.impacts_left, 1u);
    }
  }
}

TEST(AuditLimits, ASampleMovedBesideAnImpactIsFound) {
  for (const bool velocities : {true, false})
    for (const double e : {1.0, 0.8})
      for (const std::size_t k : {34u, 35u})
        for (const double by : {1e-6, 1e-2}) {
          auto rows = ball(e, 0.013, 200);
          rows[k].y += by;
          const auto f = findings(falling(), csv(rows, velocities));
          EXPECT_EQ(f.verdict, Grade::neither) << velocities << e << k << by << audit::to_text(f);
          for (const auto& c : f.checks)
            if (c.grade == Grade::neither && c.key != "energy_inequality") {
              EXPECT_NEAR(c.offenders.front().t, rows[k].t, 1.01 * 0.013) << c.key << velocities << e << k << by;
            }
        }
}

TEST(AuditLimits, AGainIsSeenHoweverCoarseTheSamplesAre) {
  for (const double h : {0.05, 0.1, 0.15}) {
    const auto f = findings(falling(), csv(ball(1.005, h, 60)));
    EXPECT_EQ(f.verdict, Grade::neither) << audit::to_text(f);
    EXPECT_EQ(check(f, "dissipation").grade, Grade::neither) << h;
    EXPECT_EQ(findings(falling(), csv(ball(1, h, 60))).verdict, Grade::strong) << h;
  }
}

TEST(AuditLimits, ASampleAtTheImpactIsNoOverlap) {
  const double fall = std::sqrt(2 / 9.81);
  for (const bool velocities : {true, false}) {
    const auto f = findings(falling(), csv(ball(1, fall / 30, 150), velocities));
    EXPECT_EQ(f.verdict, Grade::strong) << velocities << audit::to_text(f);
  }
}

TEST(AuditLimits, VelocitiesAreThoseOfThePositions) {
  for (const double factor : {1.04, 1.001}) {
    auto rows = ball(1, 0.013, 200);
    for (Row& r : rows) r.vx *= factor;
    const auto f = findings(falling(), csv(rows));
    EXPECT_EQ(f.verdict, Grade::neither) << audit::to_text(f);
    EXPECT_EQ(check(f, "motion").grade, Grade::neither);
  }
}

TEST(AuditLimits, EnergyLostInFreeFlightIsNeither) {
  const auto model = compiled(spring_scene("5 - x"));
  // x'' + c x' + 1.69 x = 0, for c = 0 the scene itself.
  for (const double c : {0.0, 0.01, -0.01}) {
    const double w = std::sqrt(1.69 - c * c / 4);
    std::string text = "t,x,vx\n";
    for (int k = 0; k <= 1000; ++k) {
      const double t = 0.01 * k, e = std::exp(-c * t / 2);
      text += fmt::format("{:.17g},{:.17g},{:.17g}\n", t, e * (std::cos(w * t) + c / (2 * w) * std::sin(w * t)),
                          -e * 1.69 / w * std::sin(w * t));
    }
    const auto f = findings(*model, text);
    EXPECT_EQ(f.verdict, c == 0 ? Grade::strong : Grade::neither) << c << audit::to_text(f);
    // E falls like e^{−ct}: 9.5 % of 0.845 over the table.
    if (c > 0) {
      EXPECT_NEAR(check(f, "free_flight").largest, 0.845 * (1 - std::exp(-0.1)), 0.01);
    }
  }
}

TEST(AuditLimits, SpreadsheetsAndRepeatedColumns) {
  auto text = csv(ball(1, 0.013, 60));
  const auto plain = findings(falling(), text), marked = findings(falling(), "\xEF\xBB\xBF" + text);
  EXPECT_EQ(audit::to_json(plain), audit::to_json(marked));
  text.replace(0, text.find('\n'), "t,x,y,vx,x");
  const auto f = findings(falling(), text);
  EXPECT_TRUE(std::any_of(f.notes.begin(), f.notes.end(),
                          [](const std::string& note) { return note.find("several columns 'x'") != note.npos; }));
}
