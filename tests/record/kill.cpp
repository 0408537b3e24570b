// kill −9 at random moments: what is on disk is right and fresh, and a resumed run ends as if nothing had happened.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "record/support.hpp"

namespace ricochet::record::test {
namespace {

using Clock = std::chrono::steady_clock;

double now() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

constexpr std::int64_t total = 80'000;
constexpr std::int64_t stamp_every = 64;

/// What the child tells before it dies: when it recorded which row.
struct Shared {
  std::atomic<std::int64_t> recorded;
  std::atomic<double> stamp[total / stamp_every + 1];
};

// A run as an application would do it: create or resume, checkpoints by the clock, finish.
void run_or_resume(const fs::path& dir, Shared& shared) {
  WriterOptions options;
  options.flush_seconds = 0.005;
  std::int64_t row = 0;
  const bool begun = fs::exists(dir / "running") || fs::exists(dir / "trajectory.h5");
  std::optional<Writer> writer;
  if (begun) {
    auto [resumed, checkpoint] = Writer::resume(dir, options);
    writer.emplace(std::move(resumed));
    if (checkpoint) {
      row = checkpoint->step;
      if (*checkpoint != checkpoint_before(row)) throw std::runtime_error("another checkpoint");
    }
  } else {
    writer.emplace(Writer::create(dir, synthetic_schema(), options));
  }
  shared.stamp[row / stamp_every] = now();  // where a resumed run begins, an older one may have left its own
  for (; row < total; ++row) {
    if (row % stamp_every == 0) shared.stamp[row / stamp_every] = now();
    record_row(*writer, row);
    shared.recorded = row + 1;
    if (writer->seconds_since_checkpoint() > 0.01) writer->checkpoint(checkpoint_before(row + 1));
  }
  writer->finish(finished_summary(total));
}

TEST(Kill, FiftyRandomMoments) {
  const TempDir temp;
  record_run(temp / "whole", total);
  auto* shared =
      static_cast<Shared*>(::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(shared, MAP_FAILED);

  // how long an undisturbed run takes here and now
  const double start = now();
  ASSERT_EQ(in_child([&] { return run_or_resume(temp / "timed", *shared), 0; }), 0);
  const double duration = now() - start;
  ASSERT_TRUE(same_files(temp / "whole", temp / "timed"));

  std::mt19937 random(20031);
  int killed = 0, unfinished = 0, resumed_rows = 0;
  for (int trial = 0; killed < 50 && trial < 400; ++trial) {
    const fs::path dir = temp / ("run" + std::to_string(trial));
    for (bool done = false; !done;) {
      shared->recorded = 0;
      const pid_t child = ::fork();
      if (child == 0) {
        try {
          run_or_resume(dir, *shared);
        } catch (const std::exception& error) {
          fprintf(stderr, "in the child: %s\n", error.what());
          ::_exit(1);
        }
        ::_exit(0);
      }
      std::this_thread::sleep_for(
          std::chrono::duration<double>(std::uniform_real_distribution<>(0, 1.05 * duration)(random)));
      ::kill(child, SIGKILL);
      int status = 0;
      ::waitpid(child, &status, 0);
      done = WIFEXITED(status);
      if (done) {
        ASSERT_EQ(WEXITSTATUS(status), 0);
        break;
      }
      ++killed;
      if (!fs::exists(dir / "running") && !fs::exists(dir / "trajectory.h5")) continue;  // it had hardly begun
      done = fs::exists(dir / "summary.json") && !fs::exists(dir / "checkpoint");        // it had just ended
      const Reader reader(dir);
      ASSERT_EQ(first_difference(reader), "");
      const auto rows = static_cast<std::int64_t>(reader.rows());
      unfinished += rows < total ? 1 : 0;
      resumed_rows += rows > 0 ? 1 : 0;
      // The first row that is lost was recorded less than a second before the last one.
      const std::int64_t recorded = shared->recorded;
      if (rows < recorded) {
        const double lost = shared->stamp[rows / stamp_every], last = shared->stamp[(recorded - 1) / stamp_every];
        EXPECT_LT(last - lost, 1.0);
      }
    }
    ASSERT_TRUE(same_files(temp / "whole", dir)) << "trial " << trial;
    fs::remove_all(dir);
  }
  EXPECT_GE(killed, 50);
  EXPECT_GE(unfinished, 25) << "most kills must hit a run under way, or this test proves little";
  EXPECT_GE(resumed_rows, 10);
  RecordProperty("killed", killed);
  RecordProperty("unfinished", unfinished);
  ::munmap(shared, sizeof(Shared));
}

TEST(Kill, RepairAndResumeAreKillableToo) {
  const TempDir temp;
  const std::int64_t rows = 20'000;
  record_run(temp / "whole", rows);
  {
    Writer writer = Writer::create(temp / "left", synthetic_schema());
    for (std::int64_t row = 0; row < 15'000; ++row) {
      if (row == 11'000) writer.checkpoint(checkpoint_before(row));
      record_row(writer, row);
    }
  }
  std::mt19937 random(5);
  for (int trial = 0; trial < 15; ++trial) {
    const fs::path dir = temp / ("run" + std::to_string(trial));
    fs::copy(temp / "left", dir, fs::copy_options::recursive);
    for (int round = 0; round < 2; ++round) {
      const pid_t child = ::fork();
      if (child == 0) {
        // back and forth between the two forms of a record, until the kill comes
        for (;;) {
          Writer::repair(dir);
          Writer::resume(dir);
        }
      }
      std::this_thread::sleep_for(std::chrono::microseconds(std::uniform_int_distribution<>(0, 20'000)(random)));
      ::kill(child, SIGKILL);
      int status = 0;
      ::waitpid(child, &status, 0);
      ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "the child ended by itself";
      const Reader reader(dir);
      EXPECT_GE(reader.rows(), 11'000u);
      EXPECT_EQ(first_difference(reader), "");
    }
    resume_run(dir, rows);
    EXPECT_TRUE(same_files(temp / "whole", dir)) << "trial " << trial;
  }
}

}  // namespace
}  // namespace ricochet::record::test
