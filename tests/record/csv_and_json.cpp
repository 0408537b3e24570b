// The two files people open in an editor, and the checkpoint nobody opens.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "record/support.hpp"

namespace ricochet::record::test {
namespace {

TEST(Impacts, ColumnsOfTheDocumentation) {
  EXPECT_EQ(impacts_header({"x", "theta"}),
            "n,t,step,alpha,gap,multiplier,energy_before,energy_after,"
            "q_x,q_theta,p_minus_x,p_minus_theta,p_plus_x,p_plus_theta\n");
}

TEST(Impacts, LinesByHand) {
  const TempDir temp;
  Schema schema;
  schema.coordinates = {"x"};
  Writer writer = Writer::create(temp / "run", schema);
  const std::string_view gaps[] = {"corner 0", "a,b", "say \"c\""};
  const double multipliers[] = {0.1, 2, 1e-5}, q = 1.0 / 3, minus = -0.0, plus = 4;
  writer.impact({1, 0.5, 7, 0.25, {gaps, 1}, {multipliers, 1}, 1, 2, {&q, 1}, {&minus, 1}, {&plus, 1}});
  writer.impact({2, 1.5, 8, 1, gaps, multipliers, 1, 2, {&q, 1}, {&minus, 1}, {&plus, 1}});
  writer.finish(finished_summary(0));
  // 0.1 and 1/3 in 17 digits are known numbers: 0.1000000000000000055…,
  // 0.333333333333333314829…, 1.0000000000000000818e-5
  EXPECT_EQ(bytes_of(temp / "run" / "impacts.csv"),
            "n,t,step,alpha,gap,multiplier,energy_before,energy_after,q_x,p_minus_x,p_plus_x\n"
            "1,0.5,7,0.25,corner 0,0.10000000000000001,1,2,0.33333333333333331,-0,4\n"
            "2,1.5,8,1,\"corner 0+a,b+say \"\"c\"\"\",0.10000000000000001;2;1.0000000000000001e-05,1,2,"
            "0.33333333333333331,-0,4\n");
}

TEST(Impacts, AnyNamesAndNumbersComeBack) {
  const TempDir temp;
  int run = 0;
  EXPECT_TRUE(rc::check([&] {
    Schema schema;
    schema.coordinates = *rc::gen::container<std::vector<std::string>>(
        2, rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab,\"\n\r +;'"))));
    const std::string gap = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab,\"\n\r +;'")));
    const double values[2] = {std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>()),
                              *rc::gen::arbitrary<double>()};
    const fs::path dir = temp / std::to_string(run++);
    Writer writer = Writer::create(dir, schema);
    const std::string_view gaps[] = {gap};
    writer.impact({1, values[0], 2, values[1], gaps, values, values[0], values[1], values, values, values});
    writer.finish(finished_summary(0));
    const std::vector<Impact> impacts = Reader(dir).impacts();
    RC_ASSERT(impacts.size() == 1u);
    const auto same = [](double a, double b) { return (std::isnan(a) && std::isnan(b)) || a == b; };
    RC_ASSERT(impacts[0].gaps == gap);
    RC_ASSERT(same(impacts[0].t, values[0]) && same(impacts[0].alpha, values[1]));
    RC_ASSERT(impacts[0].multipliers.size() == 2u && same(impacts[0].multipliers[0], values[0]));
    RC_ASSERT(same(impacts[0].p_plus[0], values[0]) && same(impacts[0].p_plus[1], values[1]));
  }));
}

// Files are read a block at a time: lines that lie across two of them, and files cut anywhere, by a count of their own.
TEST(Impacts, LongFilesCutAnywhere) {
  const TempDir temp;
  const std::vector<std::string> coordinates = {"x"};
  std::string text = impacts_header(coordinates);
  std::vector<std::size_t> ends = {text.size()};
  for (int n = 1; n <= 4000; ++n) {  // some 300 kB
    const std::string gap = n % 3 == 0 ? "\"a\n,\"\"b\"" : "floor";
    text += std::to_string(n) + ",0.5,7,0.25," + gap + ",2,1,2," + std::to_string(n) + ".25,-1,1\n";
    ends.push_back(text.size());
  }
  const fs::path path = temp / "impacts.csv";
  for (std::size_t cut :
       {std::size_t{0}, std::size_t{5}, ends[0] - 1, ends[0], ends[0] + 1, std::size_t{65535}, std::size_t{65536},
        std::size_t{65537}, std::size_t{131072}, std::size_t{200001}, ends[4000] - 1, ends[4000]}) {
    std::ofstream(path, std::ios::binary) << text.substr(0, cut);
    const auto whole = std::upper_bound(ends.begin(), ends.end(), cut) - ends.begin();
    const std::size_t rows = whole == 0 ? 0 : static_cast<std::size_t>(whole) - 1;
    const ImpactsExtent counted = count_impacts(path, coordinates);
    EXPECT_EQ(counted.rows, rows) << cut;
    EXPECT_EQ(counted.bytes, whole == 0 ? 0 : ends[rows]) << cut;
    std::vector<double> q;
    const ImpactsExtent read = each_impact(path, coordinates, 7, [&](Impact&& impact) { q.push_back(impact.q[0]); });
    EXPECT_EQ(read.rows, counted.rows);
    EXPECT_EQ(read.bytes, counted.bytes);
    EXPECT_EQ(q.size(), (rows + 6) / 7) << cut;
    for (std::size_t i = 0; i < q.size(); ++i) EXPECT_EQ(q[i], 7.0 * static_cast<double>(i) + 1.25);
    const std::vector<Impact> all = read_impacts(path, coordinates);
    ASSERT_EQ(all.size(), rows);
    if (rows >= 3) {
      EXPECT_EQ(all[2].gaps, "a\n,\"b");
    }
  }
}

TEST(Impacts, DamageNamesTheLine) {
  const TempDir temp;
  record_run(temp / "run", 200);
  const fs::path path = temp / "run" / "impacts.csv";
  const std::string whole = bytes_of(path);
  const std::size_t third = whole.find("\n2,") + 1;
  fs::remove(temp / "run" / "summary.json");  // which has a digest of the lines, and would be heard first

  put_bytes(path, whole.substr(0, third) + "2,oops" + whole.substr(third + 1));
  EXPECT_NE(sentence_of([&] { Reader(temp / "run").impacts(); }).find("impacts.csv:4: "), std::string::npos);
  put_bytes(path, whole.substr(0, third) + "2,3\n");
  EXPECT_NE(sentence_of([&] { Reader(temp / "run").impacts(); }).find("impacts.csv:4: 2 fields where 17 belong"),
            std::string::npos);
  put_bytes(path, "a,b\n1,2\n");
  EXPECT_NE(sentence_of([&] { Reader(temp / "run").impacts(); }).find("does not begin"), std::string::npos);
  for (std::size_t cut = 0; cut < whole.size(); cut += 7) {  // a killed run: whole lines, and nothing to complain of
    put_bytes(path, whole.substr(0, cut));
    const auto lines =
        static_cast<std::size_t>(std::count(whole.begin(), whole.begin() + static_cast<long>(cut), '\n'));
    EXPECT_EQ(Reader(temp / "run").impacts().size(), lines == 0 ? 0 : lines - 1) << cut;
  }
}

TEST(SummaryJson, KeysInTheirOrder) {
  Summary summary;
  summary.status = "finished";
  summary.steps = 400'000;
  summary.impacts = 1500;
  summary.t_end = 0.1;
  summary.energy = {1, 2, 0.5, 3, 1e-13};
  summary.discrete_energy = {4, 5, 6, 7, 0};
  summary.momentum = {{"translation", -2, 1e-16}};
  summary.min_gap = -1e-17;
  summary.fallbacks = {{"reflection", 3}, {"graze", 0}};
  summary.closure = "variational";
  summary.rule = "trapezoid";
  summary.seconds = 0.75;
  summary.version = "0.1.0";
  summary.extra = {
      {"seed", std::int64_t{5}},
      {"title", std::string("a \"star\"")},
      {"e", 0.5},
      {"contacts", Summary::Rows{{{"gap", std::string("floor")}, {"from", 1.5}, {"to", Summary::Cell()}},
                                 {{"gap", std::string("wall")}, {"from", 2.0}, {"skipped", std::int64_t{7}}}}}};
  EXPECT_EQ(to_json(summary), R"({
  "status": "finished",
  "steps": 400000,
  "impacts": 1500,
  "t_end": 0.1,
  "energy": {
    "initial": 1.0,
    "final": 2.0,
    "min": 0.5,
    "max": 3.0,
    "max_relative_error": 1e-13
  },
  "discrete_energy": {
    "initial": 4.0,
    "final": 5.0,
    "min": 6.0,
    "max": 7.0,
    "max_relative_error": 0.0
  },
  "momentum": {
    "translation": {
      "initial": -2.0,
      "max_error": 1e-16
    }
  },
  "min_gap": -1e-17,
  "fallbacks": {
    "reflection": 3,
    "graze": 0
  },
  "closure": "variational",
  "rule": "trapezoid",
  "seconds": 0.75,
  "version": "0.1.0",
  "seed": 5,
  "title": "a \"star\"",
  "e": 0.5,
  "contacts": [
    {
      "gap": "floor",
      "from": 1.5,
      "to": null
    },
    {
      "gap": "wall",
      "from": 2.0,
      "skipped": 7
    }
  ]
}
)");
  EXPECT_EQ(summary_from_json(to_json(summary), "summary.json"), summary);
}

TEST(SummaryJson, NothingNotFiniteGoesUnannounced) {
  Summary summary;
  summary.status = "failed";
  summary.energy.max = std::numeric_limits<double>::infinity();
  summary.momentum = {{"turn", std::numeric_limits<double>::quiet_NaN(), 0}};
  const std::string text = to_json(summary);
  EXPECT_NE(text.find("\"max\": \"inf\""), std::string::npos);
  EXPECT_NE(text.find("\"initial\": \"nan\""), std::string::npos);
  EXPECT_NE(text.find("\"min_gap\": null"), std::string::npos);
  EXPECT_NE(text.find("\"energy.max is not finite (inf)\""), std::string::npos);
  EXPECT_NE(text.find("\"momentum.turn.initial is not finite (nan)\""), std::string::npos);
  const Summary back = summary_from_json(text, "summary.json");
  EXPECT_EQ(back.energy.max, summary.energy.max);
  EXPECT_TRUE(std::isnan(back.momentum[0].initial));
  EXPECT_FALSE(back.min_gap);
}

TEST(SummaryJson, DoublesComeBackAndTextIsMended) {
  EXPECT_TRUE(rc::check([] {
    Summary summary;
    const double value = std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>());
    RC_PRE(std::isfinite(value));
    summary.energy.initial = value;
    const Summary back = summary_from_json(to_json(summary), "summary.json");
    RC_ASSERT(std::bit_cast<std::uint64_t>(back.energy.initial) == std::bit_cast<std::uint64_t>(value));
  }));
  Summary summary;
  summary.rule = "caf\xe9";  // Latin-1
  EXPECT_EQ(summary_from_json(to_json(summary), "summary.json").rule, "caf\xef\xbf\xbd");
}

TEST(SummaryJson, ForeignTextIsRefused) {
  for (const char* text : {"", "{", "[]", "{\"status\": 3}", "null", "{\"status\": \"finished\"}"})
    EXPECT_NE(sentence_of([&] { summary_from_json(text, "summary.json"); }).find("summary.json is not a summary"),
              std::string::npos)
        << text;
  Summary summary;
  summary.steps = 12345;
  for (const char* steps : {"1e300", "12345.5", "\"many\"", "null"}) {
    std::string text = to_json(summary);
    text.replace(text.find("12345"), 5, steps);
    EXPECT_NE(sentence_of([&] { summary_from_json(text, "summary.json"); }).find("is not a whole number"),
              std::string::npos)
        << steps;
  }
}

TEST(CheckpointFile, AnyContentComesBackAndDamageIsNoticed) {
  const TempDir temp;
  EXPECT_TRUE(rc::check([&] {
    StoredCheckpoint checkpoint;
    checkpoint.user.step = *rc::gen::arbitrary<std::int64_t>();
    checkpoint.user.t = *rc::gen::arbitrary<double>();
    checkpoint.user.state = *rc::gen::arbitrary<std::string>();
    checkpoint.user.counters = *rc::gen::arbitrary<std::map<std::string, std::int64_t>>();
    checkpoint.extent.rows = *rc::gen::arbitrary<std::vector<std::size_t>>();
    checkpoint.extent.order = *rc::gen::arbitrary<std::string>();
    checkpoint.impacts = *rc::gen::arbitrary<std::size_t>();
    write_checkpoint(temp / "checkpoint", checkpoint, false);
    const auto back = read_checkpoint(temp / "checkpoint");
    RC_ASSERT(back.has_value());
    RC_ASSERT(back->user == checkpoint.user && back->extent == checkpoint.extent &&
              back->impacts == checkpoint.impacts);
    std::string bytes = bytes_of(temp / "checkpoint");
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] ^= 0x10;
    put_bytes(temp / "checkpoint", bytes);
    RC_ASSERT(sentence_of([&] { read_checkpoint(temp / "checkpoint"); }).find("is damaged") != std::string::npos);
    bytes.resize(*rc::gen::inRange<std::size_t>(0, bytes.size()));
    put_bytes(temp / "checkpoint", bytes);
    RC_ASSERT(sentence_of([&] { read_checkpoint(temp / "checkpoint"); }).find("is damaged") != std::string::npos);
  }));
  EXPECT_FALSE(read_checkpoint(temp / "absent"));
}

}  // namespace
}  // namespace ricochet::record::test
