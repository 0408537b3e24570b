// What is recorded is what is read, to the last bit, wherever in its life the run is.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

#include "record/support.hpp"

namespace ricochet::record::test {
namespace {

TEST(RoundTrip, FinishedRun) {
  const TempDir temp;
  const std::int64_t rows = 12345;  // several blocks and an unfinished one, in every table
  record_run(temp / "run", rows);
  const Reader reader(temp / "run");
  EXPECT_TRUE(reader.merged());
  EXPECT_EQ(reader.rows(), 12345u);
  EXPECT_EQ(reader.rows("stroboscope"), 1235u);
  EXPECT_EQ(reader.rows("section"), 0u);
  EXPECT_EQ(reader.rows("bar"), 25u);
  EXPECT_EQ(reader.impacts().size(), 334u);
  EXPECT_EQ(first_difference(reader), "");
  EXPECT_EQ(reader.schema(), synthetic_schema());
  Summary said = reader.summary().value();
  EXPECT_EQ(said.digests.size(), 2u) << "of trajectory.h5 and impacts.csv";
  said.digests.clear();
  EXPECT_EQ(said, finished_summary(rows));
  EXPECT_FALSE(reader.checkpoint());
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(temp / "run")) left.push_back(entry.path().filename());
  EXPECT_EQ(left.size(), 3u) << "a finished run is three files";
}

TEST(RoundTrip, TheSummaryComesLast) {
  const TempDir temp;
  Schema expected = synthetic_schema();
  expected.attributes["closure"] = "shadow4";
  Writer writer = Writer::create(temp / "run", synthetic_schema());
  record_row(writer, 0);
  Summary summary = finished_summary(1);
  summary.closure = "shadow4";
  bool asked = false;
  writer.finish(summary, [&] {  // the record is whole by then, and a kill here leaves a run that can be resumed
    asked = true;
    EXPECT_FALSE(fs::exists(temp / "run" / "summary.json"));
    const Reader reader(temp / "run");
    EXPECT_TRUE(reader.merged());
    EXPECT_EQ(reader.rows(), 1u);
    EXPECT_EQ(reader.schema(), expected);  // the closure as the run knows it at its end
  });
  EXPECT_TRUE(asked);
  EXPECT_TRUE(fs::exists(temp / "run" / "summary.json"));
}

TEST(RoundTrip, FileAloneIsSelfContained) {
  const TempDir temp;
  record_run(temp / "run", 5000);
  fs::rename(temp / "run" / "trajectory.h5", temp / "moved.h5");
  const Reader reader(temp / "moved.h5");
  EXPECT_EQ(reader.rows(), 5000u);
  EXPECT_EQ(first_difference(reader), "");
  EXPECT_EQ(reader.schema(), synthetic_schema());
  EXPECT_TRUE(reader.impacts().empty());
  EXPECT_FALSE(reader.summary());
}

TEST(RoundTrip, RunUnderWay) {
  const TempDir temp;
  Writer writer = Writer::create(temp / "run", synthetic_schema());
  for (std::int64_t row = 0; row < 7000; ++row) {
    record_row(writer, row);
    if (row % 2500 == 1) {
      writer.flush();
      const Reader reader(temp / "run");
      EXPECT_FALSE(reader.merged());
      EXPECT_EQ(reader.rows(), static_cast<std::size_t>(row + 1));
      EXPECT_EQ(reader.impacts().size(), static_cast<std::size_t>(row / impact_every + 1));
      EXPECT_EQ(first_difference(reader), "");
    }
  }
}

TEST(RoundTrip, RangesAndStrides) {
  const TempDir temp;
  const std::size_t total = 9000;
  Writer writer = Writer::create(temp / "run", synthetic_schema());
  for (std::int64_t row = 0; row < static_cast<std::int64_t>(total); ++row) record_row(writer, row);
  writer.flush();
  const auto check = [&](const Reader& reader) {
    EXPECT_TRUE(rc::check([&] {
      const std::size_t first = *rc::gen::inRange<std::size_t>(0, total + 10);
      const std::size_t end = *rc::gen::inRange<std::size_t>(0, total + 10);
      const std::size_t stride = *rc::gen::inRange<std::size_t>(1, 5000);
      const Series series = reader.column("q", {first, end, stride});
      std::vector<double> expected;
      for (std::size_t row = first; row < std::min(end, total); row += stride)
        for (std::int64_t i = 1; i <= 3; ++i) expected.push_back(number(static_cast<std::int64_t>(row), i));
      RC_ASSERT(series.values == expected);
      RC_ASSERT(series.rows * 3 == expected.size());
    }));
  };
  check(Reader(temp / "run"));
  writer.finish(finished_summary(0));
  check(Reader(temp / "run"));
}

TEST(RoundTrip, EmptyShapesAndNoRows) {
  const TempDir temp;
  Schema schema;  // no coordinates, no gaps, no symmetries, no scene
  Writer::create(temp / "none", schema).finish(finished_summary(0));
  EXPECT_EQ(Reader(temp / "none").schema(), schema);
  EXPECT_EQ(Reader(temp / "none").rows(), 0u);

  Writer writer = Writer::create(temp / "few", schema);
  for (int i = 0; i < 3; ++i) {
    Frame frame;
    frame.t = i;
    writer.frame(frame);
  }
  writer.finish(finished_summary(0));
  const Reader reader(temp / "few");
  EXPECT_EQ(reader.rows(), 3u);
  EXPECT_EQ(reader.column("gaps").rows, 3u);
  EXPECT_EQ(reader.column("gaps").width, 0u);
  EXPECT_EQ(reader.column("t").values, (std::vector<double>{0, 1, 2}));
}

TEST(RoundTrip, LargeScenesAndManyNames) {
  const TempDir temp;
  Schema schema;
  schema.scene_text.assign(5'000'000, '#');
  for (int i = 0; i < 20'000; ++i) schema.gaps.push_back("gap number " + std::to_string(i));
  schema.attributes["long"] = std::string(200'000, 'a');
  Writer writer = Writer::create(temp / "run", schema);
  std::vector<double> gaps(20'000);
  for (int row = 0; row < 3; ++row) {
    for (std::size_t i = 0; i < gaps.size(); ++i) gaps[i] = number(row, static_cast<std::int64_t>(i));
    writer.frame({0, row, {}, {}, 0, 0, gaps, {}, {}});
  }
  writer.finish(finished_summary(0));
  const Reader reader(temp / "run");
  EXPECT_EQ(reader.schema(), schema);
  EXPECT_EQ(reader.column("gaps", {2, 3, 1}).values, gaps);
}

TEST(RoundTrip, WideRows) {
  const TempDir temp;
  Schema schema;
  const std::size_t nodes = 100'000;
  schema.datasets = {{"bar", {{"t", "s", 1, {}, true, false}, {"u", "m", nodes, {}, false, false}}}};
  Writer writer = Writer::create(temp / "run", schema);
  std::vector<double> row(nodes + 1);
  for (int n = 0; n < 20; ++n) {
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = number(n, static_cast<std::int64_t>(i));
    writer.row(writer.table("bar"), row);
  }
  writer.finish(finished_summary(0));
  const Reader reader(temp / "run");
  const Series last = reader.column("u", {19, 20, 1}, "bar");
  ASSERT_EQ(last.values.size(), nodes);
  EXPECT_TRUE(std::equal(last.values.begin(), last.values.end(), row.begin() + 1));
  EXPECT_EQ(reader.column("u", {}, "bar")(7, 4), number(7, 5));
}

TEST(RoundTrip, SchemasOfAnyNames) {
  const TempDir temp;
  int run = 0;
  EXPECT_TRUE(rc::check([&] {
    const auto name = rc::gen::nonEmpty(rc::gen::string<std::string>());
    const auto plain = [](std::vector<std::string> names) {
      for (std::string& text : names) std::replace(text.begin(), text.end(), '\0', '?');
      return names;
    };
    Schema schema;
    schema.coordinates = plain(*rc::gen::container<std::vector<std::string>>(name));
    schema.gaps = plain(*rc::gen::container<std::vector<std::string>>(name));
    schema.symmetries = plain(*rc::gen::container<std::vector<std::string>>(name));
    schema.scene_text = plain({*name}).front();
    const fs::path dir = temp / std::to_string(run++);
    Writer::create(dir, schema).finish(finished_summary(0));
    RC_ASSERT(Reader(dir).schema() == schema);
  }));
}

TEST(RoundTrip, UnstorableNamesAreRefused) {
  const TempDir temp;
  const auto refusal = [&](const std::function<void(Schema&)>& change) {
    Schema schema = synthetic_schema();
    change(schema);
    const std::string sentence = sentence_of([&] { Writer::create(temp / "run", schema); });
    EXPECT_FALSE(fs::exists(temp / "run"));
    return sentence;
  };
  EXPECT_NE(refusal([](Schema& s) { s.extra[0].name = "q"; }).find("'q' is used twice"), std::string::npos);
  EXPECT_NE(refusal([](Schema& s) { s.extra[0].name = "a/b"; }).find("cannot name"), std::string::npos);
  EXPECT_NE(refusal([](Schema& s) { s.extra[0].name = "bar"; }).find("used twice"), std::string::npos);
  EXPECT_NE(refusal([](Schema& s) { s.frame_tables[0] = "../x"; }).find("may hold only"), std::string::npos);
  EXPECT_NE(refusal([](Schema& s) { s.frame_tables[0] = "bar"; }).find("two tables"), std::string::npos);
  EXPECT_NE(refusal([](Schema& s) { s.attributes["version"] = ""; }).find("reserved"), std::string::npos);
  EXPECT_NE(refusal([](Schema& s) { s.units["speed"] = "m/s"; }).find("no column 'speed'"), std::string::npos);
}

TEST(RoundTrip, WrongSizesAreAProgrammingError) {
  const TempDir temp;
  Writer writer = Writer::create(temp / "run", synthetic_schema());
  const double two[2] = {};
  Frame frame = SyntheticFrame(0).view();
  frame.q = two;
  EXPECT_THROW(writer.frame(frame), std::invalid_argument);
  EXPECT_THROW(writer.row(3, two), std::invalid_argument);
  EXPECT_THROW(writer.frame(SyntheticFrame(0).view(), 3), std::invalid_argument);
  EXPECT_THROW(writer.impact({}), std::invalid_argument);
  EXPECT_EQ(writer.rows(), 0u);
}

TEST(BitIdentical, WhateverTheClockDoes) {
  const TempDir temp;
  const std::int64_t rows = 30'000;
  record_run(temp / "a", rows);
  WriterOptions nervous;
  nervous.flush_seconds = 0;  // every single row is brought to disk
  record_run(temp / "b", rows / 40, nervous);
  record_run(temp / "c", rows / 40);
  record_run(temp / "d", rows);
  EXPECT_TRUE(same_files(temp / "a", temp / "d"));
  EXPECT_TRUE(same_files(temp / "b", temp / "c"));
}

TEST(BitIdentical, InterruptedAndResumed) {
  const TempDir temp;
  const std::int64_t rows = 12'000;
  record_run(temp / "whole", rows);
  std::mt19937 random(7);
  for (int trial = 0; trial < 10; ++trial) {
    const fs::path dir = temp / ("parts" + std::to_string(trial));
    std::int64_t row = 0;
    {
      Writer writer = Writer::create(dir, synthetic_schema());
      Summary summary = finished_summary(0);
      summary.status = "interrupted";
      const auto stop = std::uniform_int_distribution<std::int64_t>(0, rows)(random);
      for (; row < stop; ++row) {
        if (row == stop / 2) writer.checkpoint(checkpoint_before(row));
        record_row(writer, row);
      }
      if (trial % 2 == 0) writer.checkpoint(checkpoint_before(row));  // else the rows since are recorded twice
      writer.finish(summary);
    }
    const Reader interrupted(dir);
    EXPECT_TRUE(interrupted.merged());
    EXPECT_EQ(interrupted.rows(), static_cast<std::size_t>(row));
    EXPECT_EQ(first_difference(interrupted), "");
    {
      auto [writer, checkpoint] = Writer::resume(dir);
      if (checkpoint) {
        EXPECT_EQ(*checkpoint, checkpoint_before(checkpoint->step));
      }
      row = checkpoint ? checkpoint->step : 0;
      EXPECT_EQ(writer.rows(), static_cast<std::size_t>(row));
      for (std::int64_t n = 0; n < 1000 && row < rows; ++n, ++row) record_row(writer, row);
      writer.checkpoint(checkpoint_before(row));
    }  // the process ends without a word
    resume_run(dir, rows);
    EXPECT_TRUE(same_files(temp / "whole", dir)) << "trial " << trial;
    EXPECT_NE(sentence_of([&] { Writer::resume(dir); }).find("finished run"), std::string::npos);
  }
}

TEST(Repair, MakesOneFileAndKeepsTheCheckpoint) {
  const TempDir temp;
  const std::int64_t rows = 8000;
  record_run(temp / "whole", rows);
  {
    Writer writer = Writer::create(temp / "run", synthetic_schema());
    for (std::int64_t row = 0; row < 6000; ++row) {
      if (row == 5000) writer.checkpoint(checkpoint_before(row));
      record_row(writer, row);
    }
  }
  std::ofstream(temp / "run" / "impacts.csv", std::ios::app) << "163,0.5,60";  // the kernel was in the middle of a line
  Writer::repair(temp / "run");
  Writer::repair(temp / "run");
  const Reader reader(temp / "run");
  EXPECT_TRUE(reader.merged());
  EXPECT_FALSE(fs::exists(temp / "run" / "running"));
  EXPECT_EQ(reader.rows(), 6000u);
  EXPECT_EQ(first_difference(reader), "");
  EXPECT_EQ(reader.impacts().size(), 163u);
  EXPECT_TRUE(bytes_of(temp / "run" / "impacts.csv").ends_with("\n"));
  EXPECT_EQ(reader.checkpoint(), checkpoint_before(5000));
  resume_run(temp / "run", rows);
  EXPECT_TRUE(same_files(temp / "whole", temp / "run"));
}

TEST(NotFinite, IsRecordedAndAnnounced) {
  const TempDir temp;
  Schema schema;
  schema.coordinates = {"x"};
  Writer writer = Writer::create(temp / "run", schema);
  const double fine = 1, bad = std::numeric_limits<double>::quiet_NaN();
  writer.frame({0.5, 0, {&fine, 1}, {&fine, 1}, 1, 1, {}, {}, {}});
  writer.frame({1.5, 1, {&fine, 1}, {&bad, 1}, 1, 1, {}, {}, {}});
  writer.frame({2.5, 2, {&fine, 1}, {&fine, 1}, 1, std::numeric_limits<double>::infinity(), {}, {}, {}});
  EXPECT_EQ(writer.not_finite().rows, 2);
  writer.finish(finished_summary(3));
  const Reader reader(temp / "run");
  EXPECT_TRUE(std::isnan(reader.column("p")(1)));
  ASSERT_EQ(reader.summary()->notes.size(), 1u);
  EXPECT_EQ(reader.summary()->notes[0], "2 recorded rows hold numbers that are not finite, the first at t = 1.5");
}

}  // namespace
}  // namespace ricochet::record::test
