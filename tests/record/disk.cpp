// Disks that are full, limits that are reached, directories that are somebody else's: one sentence, nothing lost.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "record/support.hpp"

namespace ricochet::record::test {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void limit_file_size(std::size_t bytes) {
  const rlimit limit{bytes, RLIM_INFINITY};
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

// Records until it fails; the rows before must be readable, and after `relief` the run must end as if it had been fine.
int fail_and_go_on(const fs::path& dir, const fs::path& whole, std::int64_t rows, const std::string& reason,
                   const std::function<void()>& relief) {
  std::string sentence;
  std::int64_t row = 0;
  {
    Writer writer = Writer::create(dir, synthetic_schema());
    sentence = sentence_of([&] {
      for (; row < rows; ++row) {
        if (row % 1000 == 0) writer.checkpoint(checkpoint_before(row));
        record_row(writer, row);
      }
      writer.finish(finished_summary(rows));
    });
  }
  if (!has(sentence, "cannot write " + dir.string()) || !has(sentence, reason)) {
    fprintf(stderr, "the sentence was '%s'\n", sentence.c_str());
    return 1;
  }
  const Reader reader(dir);
  if (reader.rows() + 5000 < static_cast<std::size_t>(row) || reader.rows() == 0) return 2;
  if (const std::string bad = first_difference(reader); !bad.empty()) {
    fprintf(stderr, "differs: %s\n", bad.c_str());
    return 3;
  }
  relief();
  resume_run(dir, rows);
  return same_files(whole, dir) ? 0 : 4;
}

TEST(Disk, FileSizeLimit) {
  const TempDir temp;
  const std::int64_t rows = 30'000;
  record_run(temp / "whole", rows);
  const std::size_t final_size = bytes_of(temp / "whole" / "trajectory.h5").size();
  // In the middle of the frames, in HDF5's metadata, and in the last block.
  for (const std::size_t limit : {final_size / 3, final_size - 300, final_size - 100'000}) {
    const fs::path dir = temp / ("run" + std::to_string(limit));
    EXPECT_EQ(in_child([&] {
                limit_file_size(limit);
                return fail_and_go_on(dir, temp / "whole", rows, "File too large",
                                      [] { limit_file_size(RLIM_INFINITY); });
              }),
              0)
        << "limit " << limit;
  }
}

TEST(Disk, FileSizeLimitOfImpacts) {
  const TempDir temp;
  EXPECT_EQ(in_child([&] {
              Schema schema;
              schema.coordinates = {"x"};
              const auto record = [](Writer& writer, std::int64_t n) {
                const double value = number(n, 0);
                const std::span<const double> one(&value, 1);
                writer.impact({n, value, n, value, {}, one, value, value, one, one, one});
              };
              Writer writer = Writer::create(temp / "run", schema);
              limit_file_size(100'003);
              std::int64_t n = 0;
              const std::string sentence = sentence_of([&] {
                for (; n < 5000; ++n) record(writer, n);
              });
              if (!has(sentence, "impacts.csv: File too large")) return 1;
              const std::vector<Impact> before = Reader(temp / "run").impacts();
              if (before.empty() || before.back().t != number(before.back().n, 0)) return 2;
              if (!bytes_of(temp / "run" / "impacts.csv").ends_with("\n")) return 3;  // no half line stays behind
              limit_file_size(RLIM_INFINITY);
              for (++n; n < 5000; ++n) record(writer, n);  // the one that failed was kept
              writer.finish(finished_summary(0));
              const std::vector<Impact> all = Reader(temp / "run").impacts();
              for (std::int64_t i = 0; i < 5000; ++i)
                if (all.size() != 5000u || all[static_cast<std::size_t>(i)].t != number(i, 0)) return 4;
              return 0;
            }),
            0);
}

TEST(Disk, FullDisk) {
  const TempDir temp;
  const std::int64_t rows = 30'000;
  record_run(temp / "whole", rows);
  const std::string disk = temp / "disk";
  fs::create_directory(disk);
  // A small disk of our own, seen by the child alone. Where that is forbidden, the limit above has to do.
  const int code = in_child([&] {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=2m") != 0)
      return 77;
    return fail_and_go_on(fs::path(disk) / "run", temp / "whole", rows, "No space left on device", [&] {
      if (::mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT, "size=64m") != 0) throw std::runtime_error("remount");
    });
  });
  if (code == 77) GTEST_SKIP() << "no permission to mount a small disk";
  EXPECT_EQ(code, 0);
}

TEST(Disk, AFailedWriteCanBeTriedAgain) {
  const TempDir temp;
  const std::int64_t rows = 10'000;
  record_run(temp / "whole", rows);
  EXPECT_EQ(in_child([&] {
              Writer writer = Writer::create(temp / "run", synthetic_schema());
              int failures = 0;
              for (std::int64_t row = 0; row < rows; ++row) {
                if (row == 5000) limit_file_size(300'000);
                try {
                  record_row(writer, row);
                  if (row == 5000) writer.flush();
                } catch (const RecordError&) {
                  ++failures;
                  limit_file_size(RLIM_INFINITY);
                }
              }
              writer.finish(finished_summary(rows));
              return failures == 1 && same_files(temp / "whole", temp / "run") ? 0 : 1;
            }),
            0);
}

TEST(Disk, AnOldRunSurvivesAFailedNewOne) {
  const TempDir temp;
  record_run(temp / "run", 3000);
  record_run(temp / "copy", 3000);
  EXPECT_EQ(in_child([&] {
              limit_file_size(100);
              ::signal(SIGXFSZ, SIG_IGN);
              WriterOptions options;
              options.overwrite = true;
              const std::string sentence =
                  sentence_of([&] { Writer::create(temp / "run", synthetic_schema(), options); });
              return has(sentence, "File too large") ? 0 : 1;
            }),
            0);
  EXPECT_TRUE(same_files(temp / "copy", temp / "run"));
}

TEST(Directory, ForeignOnesAreLeftAlone) {
  const TempDir temp;
  WriterOptions overwrite;
  overwrite.overwrite = true;
  for (const char* name : {"thesis.tex", "trajectory.h5", "impacts.csv", "summary.json", "checkpoint"}) {
    const fs::path dir = temp / (std::string("of-") + name);
    fs::create_directory(dir);
    put_bytes(dir / name, "ten years of work");
    for (const WriterOptions& options : {WriterOptions{}, overwrite}) {
      const std::string sentence = sentence_of([&] { Writer::create(dir, synthetic_schema(), options); });
      EXPECT_EQ(sentence, dir.string() + " is not empty and holds no run of ricochet: choose another directory");
    }
    EXPECT_NE(sentence_of([&] { Writer::resume(dir); }), "");
    EXPECT_NE(sentence_of([&] { Reader reader(dir); }), "");
    EXPECT_EQ(bytes_of(dir / name), "ten years of work");
    EXPECT_EQ(std::distance(fs::directory_iterator(dir), fs::directory_iterator()), 1);
  }
}

TEST(Directory, OurOwnAreReplacedOnlyOnRequest) {
  const TempDir temp;
  record_run(temp / "run", 3000);
  record_run(temp / "other", 1000);
  const std::string before = bytes_of(temp / "run" / "trajectory.h5");
  EXPECT_TRUE(has(sentence_of([&] { record_run(temp / "run", 1000); }), "already holds a run"));
  EXPECT_EQ(bytes_of(temp / "run" / "trajectory.h5"), before);
  WriterOptions options;
  options.overwrite = true;
  record_run(temp / "run", 1000, options);
  EXPECT_TRUE(same_files(temp / "other", temp / "run"));

  put_bytes(temp / "run" / "notes.txt", "mine");  // what users put beside a run stays
  record_run(temp / "run", 2000, options);
  EXPECT_EQ(bytes_of(temp / "run" / "notes.txt"), "mine");
  EXPECT_EQ(Reader(temp / "run").rows(), 2000u);

  const char* const beside[] = {"report.html", "fields.xdmf", "derivatives.h5"};
  for (const char* name : beside) put_bytes(temp / "run" / name, "of the old run");
  const Writer writer = Writer::create(temp / "run", synthetic_schema(), options);
  for (const char* name : beside) EXPECT_FALSE(fs::exists(temp / "run" / name)) << name;
}

TEST(Directory, UnfinishedOnesCountAsRuns) {
  const TempDir temp;
  { Writer writer = Writer::create(temp / "run", synthetic_schema()); }
  EXPECT_TRUE(has(sentence_of([&] { record_run(temp / "run", 10); }), "already holds a run"));
  // killed before it had set itself up: as good as empty
  fs::create_directories(temp / "scaffold" / "running.new");
  record_run(temp / "scaffold", 10);
  EXPECT_EQ(Reader(temp / "scaffold").rows(), 10u);
}

TEST(Directory, OneRunAtATime) {
  const TempDir temp;
  Writer writer = Writer::create(temp / "run", synthetic_schema());
  writer.checkpoint(checkpoint_before(0));
  WriterOptions options;
  options.overwrite = true;
  const std::string expected = (temp / "run").string() + " is being written by another run";
  EXPECT_EQ(sentence_of([&] { Writer::create(temp / "run", synthetic_schema(), options); }), expected);
  EXPECT_EQ(sentence_of([&] { Writer::resume(temp / "run"); }), expected);
  EXPECT_EQ(sentence_of([&] { Writer::repair(temp / "run"); }), expected);
}

TEST(Directory, ImpossiblePlaces) {
  const TempDir temp;
  put_bytes(temp / "file", "x");
  EXPECT_EQ(sentence_of([&] { record_run(temp / "file", 1); }),
            "cannot write in " + (temp / "file").string() + ": Not a directory");
  EXPECT_TRUE(has(sentence_of([&] { record_run(temp / "file" / "sub", 1); }), "Not a directory"));
  EXPECT_EQ(bytes_of(temp / "file"), "x");
  EXPECT_EQ(sentence_of([&] { Writer::resume(temp / "absent"); }),
            (temp / "absent").string() + " holds no run to resume");
  EXPECT_EQ(sentence_of([&] { Reader reader(temp / "absent"); }), (temp / "absent").string() + " does not exist");
  EXPECT_EQ(sentence_of([&] { Reader reader(temp.path()); }), temp.path().string() + " holds no run of ricochet");
  EXPECT_FALSE(fs::exists(temp / "absent"));

  fs::create_directory(temp / "locked");
  fs::permissions(temp / "locked",
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  fs::permissions(temp.path(), fs::perms::all);
  EXPECT_EQ(in_child([&] {
              if (::getuid() == 0 && ::setuid(65534) != 0) return 77;
              const bool inside = has(sentence_of([&] { record_run(temp / "locked", 1); }), "Permission denied");
              const bool below = has(sentence_of([&] { record_run(temp / "locked" / "run", 1); }), "Permission denied");
              return inside && below ? 0 : 1;
            }),
            0);
}

TEST(Memory, ConstantInTheLengthOfTheRun) {
  const TempDir temp;
#ifdef __SANITIZE_ADDRESS__
  const long growth_kb = 10'000;  // the sanitizer keeps what was freed, to find uses after it
#else
  const long growth_kb = 1000;
#endif
  const auto resident_kb = [] {
    long pages = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    return resident * (::sysconf(_SC_PAGESIZE) / 1024);
  };
  EXPECT_EQ(in_child([&] {
              Schema schema = synthetic_schema();
              Writer writer = Writer::create(temp / "run", schema);
              long early = 0;
              for (std::int64_t row = 0; row < 1'000'000; ++row) {
                record_row(writer, row);
                if (row == 50'000) early = resident_kb();
              }
              const long late = resident_kb();
              writer.finish(finished_summary(0));
              const long after = resident_kb();
              // 120 MB were recorded. Ending a run may cost HDF5's caches, 10 MB at most.
              fprintf(stderr, "resident: %ld kB early, %ld kB late, %ld kB after the end\n", early, late, after);
              return late - early < growth_kb && after - early < 10'000 ? 0 : 1;
            }),
            0);
}

}  // namespace
}  // namespace ricochet::record::test
