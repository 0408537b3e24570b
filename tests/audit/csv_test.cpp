// Bad input: said, and judged as far as possible.
#include <gtest/gtest.h>

#include "audit/support.hpp"
#include "ricochet/error.hpp"

using namespace audit_test;
using audit::Grade;

namespace {

const scene::Model& falling() {
  static const auto model = compiled(floor_scene());
  return *model;
}

audit::Trajectory parse(const std::string& text, const audit::ColumnMap& map = {}) {
  return audit::parse_csv(text, "motion.csv", falling(), *audit::dynamics_of(falling()), map);
}

std::string refusal(const std::string& text, const audit::ColumnMap& map = {}) {
  try {
    parse(text, map);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool noted(const std::vector<std::string>& notes, const std::string& words) {
  return std::any_of(notes.begin(), notes.end(), [&](const auto& n) { return n.find(words) != n.npos; });
}

}  // namespace

TEST(AuditCsv, BadRowsAreLeftOutAndSaid) {
  const auto rows = ball(1, 0.01, 60);
  std::string text = csv(rows);
  text += "0.61,nan,0,0,0\n0.62,1,2\n0.63,1,2,three,0\n";
  const auto motion = parse(text);
  EXPECT_EQ(motion.size(), 60u);
  EXPECT_TRUE(noted(motion.notes, "2 samples are not finite numbers (the first: line 62)"));
  EXPECT_TRUE(noted(motion.notes, "1 lines have another number of fields than the header (the first: line 63)"));
}

TEST(AuditCsv, UnsortedRepeatedAndMissingTimes) {
  auto rows = ball(1, 0.013, 385);
  std::swap(rows[10], rows[200]);
  rows.push_back(rows[40]);
  auto f = findings(falling(), csv(rows));
  EXPECT_EQ(f.verdict, Grade::strong);
  EXPECT_TRUE(noted(f.notes, "not in order"));
  EXPECT_TRUE(noted(f.notes, "1 times are repeated"));

  // Ten samples around the second impact (t = 1.3546, sample 104) are missing: an elastic impact leads past the hole.
  rows = ball(1, 0.013, 385);
  rows.erase(rows.begin() + 100, rows.begin() + 110);
  f = findings(falling(), csv(rows));
  EXPECT_EQ(f.verdict, Grade::strong) << audit::to_text(f);
  EXPECT_TRUE(noted(f.notes, "samples are missing in 1 places"));
  EXPECT_EQ(f.impacts, 6u);
  ASSERT_GT(f.lines.size(), 1u);
  EXPECT_NEAR(f.lines[1].t, 3 * std::sqrt(2 / 9.81), 1e-12);
  // With restitution it is not judged, the others are; the energy that was lost there is.
  rows = ball(0.9, 0.013, 200);
  rows.erase(rows.begin() + 95, rows.begin() + 102);  // t = √(2/g)(1 + 2e) = 1.264, sample 97
  f = findings(falling(), csv(rows));
  EXPECT_EQ(f.verdict, Grade::weak) << audit::to_text(f);
  EXPECT_TRUE(noted(f.notes, "1 impacts are not judged: samples are missing there"));
  EXPECT_EQ(f.impacts_left, 1u);

  // In free flight a hole does not matter: the exact motion passes it.
  rows = ball(1, 0.013, 385);
  rows.erase(rows.begin() + 60, rows.begin() + 80);
  f = findings(falling(), csv(rows));
  EXPECT_EQ(f.verdict, Grade::strong) << audit::to_text(f);
  EXPECT_EQ(f.impacts, 6u);
}

TEST(AuditCsv, TooFewSamplesBetweenImpacts) {
  // With e = 0.5 the impacts after t = 0.9 are 0.23 and 0.11 s apart: not enough for samples every 0.1 s. Impact times
  // are √(2/g)(1 + 2e + 2e² + …).
  auto f = findings(falling(), csv(ball(0.5, 0.1, 13), false));
  EXPECT_EQ(f.verdict, Grade::weak) << audit::to_text(f);
  EXPECT_TRUE(noted(f.notes, "told apart") || noted(f.notes, "not judged")) << audit::to_text(f);
  ASSERT_GE(f.impacts, 1u);
  EXPECT_NEAR(f.lines[0].restitution, 0.5, 1e-10);
  // With velocities every sample is a state.
  f = findings(falling(), csv(ball(0.5, 0.1, 13)));
  EXPECT_EQ(f.verdict, Grade::weak) << audit::to_text(f);
  EXPECT_EQ(f.impacts, 2u);
  EXPECT_TRUE(noted(f.notes, "the motion begins or ends there"));
}

TEST(AuditCsv, Refusals) {
  EXPECT_NE(refusal("").find("the file is empty"), std::string::npos);
  EXPECT_NE(refusal("t\n1\n").find("one column only"), std::string::npos);
  EXPECT_NE(refusal("t,x\n0,1\n1,2\n2,3\n").find("no column for 'y'"), std::string::npos);
  EXPECT_NE(refusal("t,x,y\n0,1,1\n1,2,2\n").find("too few"), std::string::npos);
  EXPECT_NE(refusal("t,x,y\nnan,1,1\n1,inf,2\n2,2,2\n3,3,3\n").find("2 samples are too few"), std::string::npos);
}

TEST(AuditCsv, MapsColumnsAndExpressions) {
  const auto map = audit::parse_map("[columns]\nt = \"ms/1000\"\nx = \"pos.x\"\ny = \"height - 2\"\n", "map.toml");
  const auto motion = parse("ms;pos.x;height\n0;1;2.5\n10;2;3\n20;3;3.5\n", map);
  ASSERT_EQ(motion.size(), 3u);
  EXPECT_DOUBLE_EQ(motion.t[1], 0.01);
  EXPECT_DOUBLE_EQ(motion.q(0, 2), 3);
  EXPECT_DOUBLE_EQ(motion.q(1, 2), 1.5);
  EXPECT_FALSE(motion.has_momenta());

  EXPECT_NE(refusal("t,x,y\n0,1,1\n", audit::parse_map("[columns]\nx = \"xx\"\n", "map.toml")).find("map.toml:2:6:"),
            std::string::npos);
  EXPECT_NE(refusal("t,x,y\n0,1,1\n", audit::parse_map("[columns]\nz = \"x\"\n", "map.toml")).find("'z' is no column"),
            std::string::npos);
  EXPECT_THROW(audit::parse_map("[colums]\n", "map.toml"), Error);
  EXPECT_THROW(audit::parse_map("precision = 2\n[columns]\n", "map.toml"), Error);
}

TEST(AuditCsv, PrecisionOfTheNumbers) {
  // Six decimals of numbers up to 9.98: seven digits.
  std::string text = "t,x,y,vx,vy\n", single = text;
  for (const Row& r : ball(1, 0.013, 385)) {
    text += fmt::format("{:.6f},{:.6f},{:.6f},{:.6f},{:.6f}\n", r.t, r.x, r.y, r.vx, r.vy);
    single +=
        fmt::format("{:.17g},{:.17g},{:.17g},{:.17g},{:.17g}\n", r.t, static_cast<double>(static_cast<float>(r.x)),
                    static_cast<double>(static_cast<float>(r.y)), r.vx, static_cast<double>(static_cast<float>(r.vy)));
  }
  EXPECT_DOUBLE_EQ(parse(text).precision, 0.5e-6);
  EXPECT_EQ(findings(falling(), text).verdict, Grade::strong);
  EXPECT_DOUBLE_EQ(parse(single).precision, std::ldexp(1.0, -24));
  EXPECT_EQ(findings(falling(), single).verdict, Grade::strong) << audit::to_text(findings(falling(), single));
  EXPECT_DOUBLE_EQ(parse(csv(ball(1, 0.013, 20))).precision, std::ldexp(1.0, -52));
}
