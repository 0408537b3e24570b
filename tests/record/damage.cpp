// Damaged and foreign files: a sentence or the right numbers, never a crash and never other numbers.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstring>

#include "record/support.hpp"
#include "ricochet/record/layout.hpp"
#include "ricochet/record/source.hpp"

namespace ricochet::record::test {
namespace {

constexpr std::int64_t rows = 5000;

/// "" when everything read is right, else the sentence.
std::string outcome(const fs::path& path) {
  try {
    const Reader reader(path);
    if (reader.rows() != static_cast<std::size_t>(rows)) return "WRONG: number of rows";
    if (reader.schema() != synthetic_schema()) return "WRONG: schema";
    const std::string bad = first_difference(reader);
    return bad.empty() ? "" : "WRONG: " + bad;
  } catch (const RecordError& error) {
    return error.what();
  }
}

class Damage : public ::testing::Test {
 protected:
  void SetUp() override {
    record_run(temp / "run", rows);
    whole = bytes_of(temp / "run" / "trajectory.h5");
    ASSERT_EQ(outcome(temp / "run"), "");
    // seal.hpp: the metadata are the first page and what follows the rows, from the place written there
    std::memcpy(&tail, whole.data() + 4096 - 24, 8);
    ASSERT_GT(tail, 4096u);
    ASSERT_LT(tail, whole.size());
  }

  TempDir temp;
  std::string whole;
  std::uint64_t tail = 0;
};

TEST_F(Damage, FlippedBits) {
  std::mt19937_64 random(11);
  const fs::path path = temp / "damaged.h5";
  put_bytes(path, whole);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  for (int trial = 0; trial < 2000; ++trial) {
    const std::size_t at = trial < 1000 ? random() % 4096 : tail + random() % (whole.size() - tail);
    file.seekp(static_cast<std::streamoff>(at)).put(static_cast<char>(whole[at] ^ (1 << random() % 8))).flush();
    const std::string result = outcome(path);
    EXPECT_TRUE(result.find(path.string() + " is ") == 0) << "'" << result << "' for byte " << at;
    file.seekp(static_cast<std::streamoff>(at)).put(whole[at]).flush();
  }
  EXPECT_EQ(outcome(path), "");
}

TEST_F(Damage, Truncated) {
  std::mt19937_64 random(12);
  const fs::path path = temp / "damaged.h5";
  put_bytes(path, whole);
  for (std::size_t length = whole.size() - 1; length > 0; length -= std::min(length, random() % 20'000)) {
    fs::resize_file(path, length);
    EXPECT_TRUE(outcome(path).find(path.string() + " is ") == 0) << length;
  }
  fs::resize_file(path, 0);
  EXPECT_EQ(outcome(path), path.string() + " is not an HDF5 file, or its beginning is damaged");
}

TEST_F(Damage, FlippedBitsOfRows) {
  // Either the numbers are those of the formulas (a bit behind the last row of a block has changed), or it is told.
  std::mt19937_64 random(13);
  const fs::path path = temp / "damaged.h5";
  put_bytes(path, whole);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  int told = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const std::size_t at = 4096 + random() % (tail - 4096);
    file.seekp(static_cast<std::streamoff>(at)).put(static_cast<char>(whole[at] ^ (1 << random() % 8))).flush();
    const std::string result = outcome(path);
    if (!result.empty()) {
      EXPECT_EQ(result.find(path.string() + " is damaged: the rows of its "), 0u) << result << " for byte " << at;
      ++told;
    }
    file.seekp(static_cast<std::streamoff>(at)).put(whole[at]).flush();
  }
  EXPECT_EQ(outcome(path), "");
  EXPECT_GT(told, 200);
  std::string bytes = whole;
  for (std::size_t i = 4096; i < 4096 + 100'000; ++i) bytes[i] = static_cast<char>(random());
  put_bytes(path, bytes);
  EXPECT_EQ(outcome(path), path.string() + " is damaged: the rows of its trajectory are not those that were recorded");
}

TEST_F(Damage, AFlippedBitInEveryByteOfTheTextFiles) {
  record_run(temp / "short", 75);
  for (const char* name : {"impacts.csv", "summary.json"}) {
    const fs::path path = temp / "short" / name;
    const std::string good = bytes_of(path);
    ASSERT_GT(good.size(), 500u);
    for (std::size_t at = 0; at < good.size(); ++at)
      for (unsigned bit = at % 4; bit < 8; bit += 4) {
        std::string bytes = good;
        bytes[at] = static_cast<char>(bytes[at] ^ (1u << bit));
        put_bytes(path, bytes);
        const std::string sentence = sentence_of([&] { Reader(temp / "short").summary(); });
        ASSERT_EQ(sentence.find(path.string() + " is "), 0u)
            << "'" << sentence << "' for byte " << at << " bit " << bit;
      }
    put_bytes(path, good);
    EXPECT_EQ(sentence_of([&] { EXPECT_EQ(Reader(temp / "short").doubt(), ""); }), "");
  }
}

TEST_F(Damage, FilesOfAnotherRun) {
  record_run(temp / "short", 200);
  for (const char* name : {"impacts.csv", "summary.json", "trajectory.h5"}) {
    fs::create_directory(temp / "mixed");
    for (const char* file : {"impacts.csv", "summary.json", "trajectory.h5"})
      fs::copy_file(temp / (file == std::string(name) ? "short" : "run") / file, temp / "mixed" / file,
                    fs::copy_options::overwrite_existing);
    EXPECT_NE(outcome(temp / "mixed"), "") << name;
    EXPECT_EQ(outcome(temp / "mixed").find("WRONG"), std::string::npos) << name;
  }
}

TEST_F(Damage, RecordsWithoutDigestsAreRead) {
  // As versions before the digests left them.
  const fs::path dir = temp / "old";
  {
    Writer writer = Writer::create(dir, synthetic_schema());
    for (std::int64_t row = 0; row < rows; ++row) record_row(writer, row);
  }
  Extent extent;
  {
    const Source killed(dir);
    extent = killed.extent();
    extent.sums.clear();
    File frames(dir / "running" / "frames", O_RDWR);
    write_metadata(frames, synthetic_schema(), killed.slots(), extent);
  }
  fs::rename(dir / "running" / "frames", dir / "trajectory.h5");
  fs::remove_all(dir / "running");
  put_bytes(dir / "summary.json", to_json(finished_summary(rows)));
  EXPECT_EQ(bytes_of(dir / "summary.json").find("digests"), std::string::npos);
  EXPECT_EQ(outcome(dir), "");
  EXPECT_EQ(Reader(dir).doubt(), (dir / "trajectory.h5").string() + " has no digests, as records of older versions: " +
                                     "damage to its numbers would not be noticed");
  EXPECT_EQ(Reader(temp / "run").doubt(), "");
}

TEST_F(Damage, OtherFiles) {
  const auto sentence = [&](const std::string& bytes) {
    put_bytes(temp / "other.h5", bytes);
    return outcome(temp / "other.h5");
  };
  const std::string path = (temp / "other.h5").string();
  EXPECT_EQ(sentence(""), path + " is not an HDF5 file, or its beginning is damaged");
  EXPECT_EQ(sentence("hello"), path + " is not an HDF5 file, or its beginning is damaged");
  EXPECT_EQ(sentence(whole.substr(0, 100)), path + " is an HDF5 file that ricochet did not write");
  EXPECT_EQ(sentence(whole.substr(0, 4000) + std::string(4000, '\0')),
            path + " is an HDF5 file that ricochet did not write");
  EXPECT_EQ(sentence(whole + "x"), path + " is damaged, or was changed after the run");
}

TEST_F(Damage, RunUnderWay) {
  {
    Writer writer = Writer::create(temp / "killed", synthetic_schema());
    for (std::int64_t row = 0; row < rows; ++row) record_row(writer, row);
  }
  ASSERT_EQ(outcome(temp / "killed"), "");
  const fs::path running = temp / "killed" / "running";
  std::mt19937_64 random(14);
  for (const char* name : {"schema.h5", "progress"}) {
    const std::string good = bytes_of(running / name);
    for (int trial = 0; trial < 200; ++trial) {
      std::string bytes = good;
      bytes[random() % bytes.size()] ^= static_cast<char>(1u << random() % 8);
      if (trial % 4 == 0) bytes.resize(random() % bytes.size());
      put_bytes(running / name, bytes);
      EXPECT_EQ(outcome(temp / "killed").find("WRONG"), std::string::npos);
    }
    put_bytes(running / name, good);
  }
  const std::string frames = bytes_of(running / "frames");
  put_bytes(running / "frames", frames.substr(0, frames.size() / 2));
  EXPECT_NE(outcome(temp / "killed").find("frames ends before its last row"), std::string::npos);
  fs::remove(running / "frames");
  EXPECT_NE(outcome(temp / "killed").find("cannot read"), std::string::npos);
  EXPECT_NE(sentence_of([&] { Writer::resume(temp / "killed"); }).find("cannot read"), std::string::npos);
}

TEST_F(Damage, CheckpointOfAnotherRun) {
  for (const char* name : {"long", "short"}) {
    Writer writer = Writer::create(temp / name, synthetic_schema());
    const std::int64_t count = std::string(name) == "long" ? 4000 : 3000;
    for (std::int64_t row = 0; row < count; ++row) record_row(writer, row);
    writer.checkpoint(checkpoint_before(count));
  }
  const std::string frames = bytes_of(temp / "short" / "running" / "frames");
  fs::copy_file(temp / "long" / "checkpoint", temp / "short" / "checkpoint", fs::copy_options::overwrite_existing);
  EXPECT_EQ(sentence_of([&] { Writer::resume(temp / "short"); }),
            "the checkpoint in " + (temp / "short").string() + " does not belong to the records there");
  EXPECT_EQ(bytes_of(temp / "short" / "running" / "frames"), frames);
}

TEST_F(Damage, ResumeLooksAtTheImpactsBeforeItChangesAnything) {
  const fs::path dir = temp / "left";
  {
    Writer writer = Writer::create(dir, synthetic_schema());
    for (std::int64_t row = 0; row < 3000; ++row) record_row(writer, row);
    writer.checkpoint(checkpoint_before(3000));
    Summary summary = finished_summary(3000);
    summary.status = "interrupted";
    writer.finish(summary);
  }
  const std::string impacts = bytes_of(dir / "impacts.csv"), trajectory = bytes_of(dir / "trajectory.h5");
  const auto refused = [&](const std::string& words) {
    bool asked = false;
    const std::string sentence =
        sentence_of([&] { Writer::resume(dir, {}, [&](const auto&, const auto&) { asked = true; }); });
    EXPECT_NE(sentence.find("impacts.csv"), std::string::npos) << sentence;
    EXPECT_NE(sentence.find(words), std::string::npos) << sentence;
    EXPECT_FALSE(asked);
    EXPECT_EQ(bytes_of(dir / "trajectory.h5"), trajectory);
    EXPECT_TRUE(fs::exists(dir / "summary.json"));
    EXPECT_FALSE(fs::exists(dir / "running"));
  };
  put_bytes(dir / "impacts.csv", impacts.substr(0, impacts.size() - 1));
  refused("shorter than its checkpoint says");
  put_bytes(dir / "impacts.csv", impacts.substr(0, impacts.size() - 1) + "?");
  refused("no end of a line");
  put_bytes(dir / "impacts.csv", "m" + impacts.substr(1));
  refused("does not begin with the columns");
  std::string digit = impacts;
  const std::size_t at = impacts.find('.', impacts.find('\n'));
  digit[at + 1] = digit[at + 1] == '1' ? '2' : '1';
  put_bytes(dir / "impacts.csv", digit);
  refused("is damaged: its lines are not those that were recorded");
  fs::remove(dir / "impacts.csv");
  refused("is missing, and the run cannot go on without it");
  put_bytes(dir / "impacts.csv", impacts);
  resume_run(dir, rows);
  EXPECT_TRUE(same_files(temp / "run", dir));
}

TEST_F(Damage, RepairLooksAtTheImpactsBeforeItChangesAnything) {
  const fs::path dir = temp / "killed";
  {
    Writer writer = Writer::create(dir, synthetic_schema());
    for (std::int64_t row = 0; row < 3000; ++row) record_row(writer, row);
    writer.checkpoint(checkpoint_before(3000));
    for (std::int64_t row = 3000; row < 4000; ++row) record_row(writer, row);
  }
  const std::string impacts = bytes_of(dir / "impacts.csv"), frames = bytes_of(dir / "running" / "frames");
  std::string digit = impacts;
  const std::size_t at = impacts.find('.', impacts.find('\n'));
  digit[at + 1] = digit[at + 1] == '1' ? '2' : '1';
  put_bytes(dir / "impacts.csv", digit);
  EXPECT_NE(sentence_of([&] { Writer::repair(dir); }).find("is damaged: its lines"), std::string::npos);
  EXPECT_EQ(bytes_of(dir / "running" / "frames"), frames);
  EXPECT_FALSE(fs::exists(dir / "trajectory.h5"));
  put_bytes(dir / "impacts.csv", impacts);
  EXPECT_EQ(sentence_of([&] { Writer::repair(dir); }), "");
  EXPECT_EQ(bytes_of(dir / "impacts.csv"), impacts);  // with the lines after the checkpoint
  resume_run(dir, rows);
  EXPECT_TRUE(same_files(temp / "run", dir));
}

TEST_F(Damage, WhatIsNotOursInRunning) {
  for (const char* name : {"finished", "interrupted", "killed"}) {
    const fs::path dir = temp / name, mine = dir / "running" / "mine";
    {
      Writer writer = Writer::create(dir, synthetic_schema());
      for (std::int64_t row = 0; row < 3000; ++row) record_row(writer, row);
      writer.checkpoint(checkpoint_before(3000));
      Summary summary = finished_summary(3000);
      summary.status = name;
      if (summary.status != "killed") writer.finish(summary);
    }
    fs::create_directory(dir / "running");
    put_bytes(mine, "precious");
    const std::string sentence = (dir / "running").string() + " is not ours and in the way";
    EXPECT_EQ(sentence_of([&] { Writer::repair(dir); }), sentence);
    if (std::string(name) != "finished") {
      EXPECT_EQ(sentence_of([&] { Writer::resume(dir); }), sentence);
    }
    EXPECT_EQ(bytes_of(mine), "precious");
  }
  // Put there while the run goes on, it stays where it is.
  {
    Writer writer = Writer::create(temp / "late", synthetic_schema());
    for (std::int64_t row = 0; row < rows; ++row) record_row(writer, row);
    put_bytes(temp / "late" / "running" / "mine", "precious");
    writer.finish(finished_summary(rows));
  }
  EXPECT_EQ(bytes_of(temp / "late" / "running" / "mine"), "precious");
  EXPECT_EQ(outcome(temp / "late"), "");
}

}  // namespace
}  // namespace ricochet::record::test
