// What runs write down about themselves, also where they are resumed, interrupted or looked at rarely; checkpoints that
// are not theirs.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "scene/support.hpp"

namespace ricochet {
namespace {

constexpr std::int64_t to_the_end = std::numeric_limits<std::int64_t>::max();

std::unique_ptr<scene::Simulation> bundled_run(const std::string& name, const std::vector<std::string>& set = {}) {
  return scene::simulate(scene::load_scene(RICOCHET_SOURCE_DIR "/scenes/" + name + ".toml", set));
}
std::unique_ptr<scene::Simulation> floor_run(const std::vector<std::string>& set, const std::string& extra = "") {
  return scene::simulate(scene::parse_scene(test::floor_scene(extra), "s.toml", set));
}
test::Keep advanced(scene::Simulation& run, std::int64_t steps = to_the_end) {
  test::Keep keep;
  run.begin(keep);
  run.advance(steps, keep);
  return keep;
}

TEST(Books, TheLastRowOfARunRestoredAtItsEnd) {
  const std::string symmetry = "[[symmetry]]\nname = \"along\"\ngenerator = [1, 0]\n";
  auto whole = floor_run({"record.every=7"}, symmetry), resumed = floor_run({"record.every=7"}, symmetry);
  test::Keep last, same;
  advanced(*whole);
  resumed->restore(whole->save());
  whole->conclude(last);
  resumed->conclude(same);
  ASSERT_EQ(last.rows.size(), 1u);
  EXPECT_EQ(last.rows[0].momentum, std::vector<double>{-2});
  EXPECT_EQ(same.rows, last.rows);
}

TEST(Books, DiscreteEnergyOfTheIntervalASampleLiesIn) {
  auto run = floor_run({"integrator.closure=variational", "record.stroboscope=0.001"});
  const test::Keep keep = advanced(*run);
  ASSERT_GE(keep.hits.size(), 1u);
  const auto& hit = keep.hits[0];
  const test::Keep::Row* from = nullptr;  // the node before the impact
  for (const auto& row : keep.rows)
    if (row.series == scene::Series::trajectory && row.t < hit.t) from = &row;
  ASSERT_NE(from, nullptr);
  // ½|u|² + ½(V + V) with the trapezoid rule, over the flight to the impact and not over the step before.
  const double s = hit.t - from->t, u = (hit.q[0] - from->q[0]) / s, w = (hit.q[1] - from->q[1]) / s;
  const double expected = (u * u + w * w) / 2 + 9.81 * (hit.q[1] + from->q[1]) / 2;
  EXPECT_GT(std::abs(from->discrete_energy - expected), 1e-5);
  int samples = 0;
  for (const auto& row : keep.rows)
    if (row.series == scene::Series::stroboscope && row.t > from->t + 1e-9 && row.t < hit.t) {
      EXPECT_NEAR(row.discrete_energy, expected, 1e-11);
      ++samples;
    }
  EXPECT_GE(samples, 1);
}

/// A number of a checkpoint, replaced.
std::string with_int(std::string bytes, std::size_t at, int value) {
  int was = -7;
  std::memcpy(&was, bytes.data() + at, sizeof was);
  EXPECT_EQ(was, 0);  // the first gap
  std::memcpy(bytes.data() + at, &value, sizeof value);
  return bytes;
}

TEST(Checkpoint, GapsThatAreNotThereAreRefused) {
  auto run = bundled_run("resting-ball");
  advanced(*run, 200);
  ASSERT_EQ(run->report().contacts.size(), 1u);
  ASSERT_EQ(run->report().accumulations.size(), 1u);
  const std::string bytes = run->save();
  // One coordinate: head 20, state 32, times and counts 56, the number of held gaps 8. From the end: what the
  // run waits for, 16, two counts, an accumulation of 20, their number, a contact of 20.
  const std::size_t held = 20 + 32 + 56 + 8, accumulation = bytes.size() - 32 - 20, contact = accumulation - 8 - 20;
  bundled_run("resting-ball")->restore(bytes);
  for (const std::size_t at : {held, accumulation, contact})
    for (const int gap : {1, -1, 1000000000}) {
      auto other = bundled_run("resting-ball");
      try {
        other->restore(with_int(bytes, at, gap));
        FAIL() << at << " " << gap;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::bad_scene);
        EXPECT_NE(std::string(error.what()).find("checkpoint"), std::string::npos);
      }
    }
}

/// Before anything was noted too: every kind of scene restores what it has saved itself.
TEST(Checkpoint, OfTheStartOfEveryKindOfScene) {
  int kinds = 0;
  for (const char* name : {"star", "superball", "slider-crank", "double-pendulum", "bars-case-4", "three-bars",
                           "bar-wall", "beam-sphere", "beam-demoures-5"}) {
    auto run = bundled_run(name), other = bundled_run(name);
    const std::string state = run->save();
    other->restore(state);
    EXPECT_EQ(other->save(), state) << name;
    advanced(*other, 3);
    kinds += other->steps() == 3;
  }
  EXPECT_EQ(kinds, 9);
}

TEST(Books, BarsThatTouchedHaveNoGapHoweverRarelyTheyAreLookedAt) {
  for (const char* scheme : {"located", "redistributed", "virtual-tip"}) {
    auto run = bundled_run("three-bars", {std::string("contact.scheme=") + scheme, "record.every=0",
                                          "record.fields_every=0", "time.end=10"});
    advanced(*run);
    EXPECT_GT(run->impacts(), 0) << scheme;
    EXPECT_LE(*run->report().min_gap, 0) << scheme;
  }
}

TEST(Books, BarsThatAreInterruptedTellTheirEnergy) {
  const std::vector<std::string> set = {"contact.scheme=located", "time.end=10"};
  auto often = bundled_run("three-bars", set), rarely = bundled_run("three-bars", set);
  rarely = bundled_run("three-bars", {set[0], set[1], "record.every=0", "record.fields_every=0"});
  const test::Keep keep = advanced(*often, 777);
  advanced(*rarely, 777);
  EXPECT_EQ(keep.rows.back().step, 777);
  const auto report = rarely->report();
  EXPECT_EQ(report.energy.last, keep.rows.back().energy);
  EXPECT_LE(report.energy.min, report.energy.last);
  EXPECT_GE(report.energy.max, report.energy.last);
  // It is told, not noted: what a resumed run says at its end must not depend on where it was interrupted.
  auto resumed = bundled_run("three-bars", {set[0], set[1], "record.every=0", "record.fields_every=0"});
  resumed->restore(rarely->save());
  scene::Sink nowhere;
  auto whole = bundled_run("three-bars", {set[0], set[1], "record.every=0", "record.fields_every=0"});
  whole->begin(nowhere);
  for (auto* run : {resumed.get(), whole.get()}) run->advance(to_the_end, nowhere), run->conclude(nowhere);
  EXPECT_EQ(resumed->report().energy.min, whole->report().energy.min);
  EXPECT_EQ(resumed->report().energy.max, whole->report().energy.max);
}

}  // namespace
}  // namespace ricochet
