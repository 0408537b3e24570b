// A run that is easy to check: every recorded number is a formula of the counter, known without the code under test.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "ricochet/record/reader.hpp"
#include "ricochet/record/record_error.hpp"
#include "ricochet/record/writer.hpp"

namespace ricochet::record::test {

/// A directory that vanishes with the test.
class TempDir {
 public:
  TempDir() {
    std::string name = (fs::path(::testing::TempDir()) / "ricochet-record-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = name;
  }
  ~TempDir() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  fs::path operator/(const std::string& name) const { return path_ / name; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

inline std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void put_bytes(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// The message of the RecordError that `body` throws; "" when it throws none.
inline std::string sentence_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const RecordError& error) {
    return error.what();
  }
  return "";
}

/// Runs `body` in a process of its own and gives its exit code (its return value), or −signal.
inline int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 99;
    try {
      code = body();
    } catch (const std::exception& error) {
      fprintf(stderr, "in the child: %s\n", error.what());
    }
    ::_exit(code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// Well-mixed bits of (row, entry) as a finite double of any sign and magnitude (splitmix64).
inline double number(std::int64_t row, std::int64_t entry) {
  std::uint64_t x = static_cast<std::uint64_t>(row) * 64 + static_cast<std::uint64_t>(entry) + 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return std::bit_cast<double>((x & 0x800fffffffffffffu) | ((0x3f0u + ((x >> 52) & 0x1f)) << 52));
}

inline constexpr std::int64_t impact_every = 37, stroboscope_every = 10, bar_every = 500, bar_nodes = 300;

inline Schema synthetic_schema() {
  Schema schema;
  schema.coordinates = {"x", "y", "theta"};
  schema.gaps = {"corner 0", "corner 1", "left, wall", "floor \"A\""};
  schema.symmetries = {"horizontal translation"};
  schema.extra = {{"dissipated", "J"}};
  schema.units = {{"t", "s"}, {"q", "m, m, rad"}, {"energy", "J"}};
  schema.scene_text = "title = \"Prüfstand\"\n[time]\nstep = 0.005\n";
  schema.scene_name = "scene.toml";
  schema.version = "0.1.0";
  schema.attributes = {{"rule", "trapezoid"}, {"closure", "variational"}};
  schema.frame_tables = {"stroboscope", "section"};
  schema.datasets = {{"bar", {{"t", "s", 1, {}, true, false}, {"u", "m", bar_nodes, {}, false, false}}}};
  return schema;
}

/// Entries of a frame by their number: 0 t, 1–3 q, 4–6 p, 7 energy, 8 discrete energy, 9–12 gaps, 13 momentum, 14
/// extra.
struct SyntheticFrame {
  std::array<double, 15> v;
  std::int64_t step;
  explicit SyntheticFrame(std::int64_t row) : step(3 * row) {
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = number(row, static_cast<std::int64_t>(i));
  }
  Frame view() const { return {v[0], step, {&v[1], 3}, {&v[4], 3}, v[7], v[8], {&v[9], 4}, {&v[13], 1}, {&v[14], 1}}; }
};

inline void record_row(Writer& writer, std::int64_t row) {
  const SyntheticFrame frame(row);
  writer.frame(frame.view());
  if (row % stroboscope_every == 0) writer.frame(frame.view(), 1);
  if (row % bar_every == 0) {
    std::array<double, bar_nodes + 1> bar;
    for (std::size_t i = 0; i < bar.size(); ++i) bar[i] = number(row, 1000 + static_cast<std::int64_t>(i));
    writer.row(3, bar);
  }
  if (row % impact_every == 0) {
    const std::string_view gaps[] = {"corner 0", "left, wall"};
    const double multipliers[] = {number(row, 20), number(row, 21)};
    const auto v = [&](std::size_t i) { return std::span(&frame.v[i], 3); };
    writer.impact({row / impact_every, frame.v[0], row, number(row, 22), gaps, multipliers, frame.v[7], frame.v[8],
                   v(1), v(4), v(7)});
  }
}

inline Checkpoint checkpoint_before(std::int64_t row) {
  return {row, number(row, 0), "state before row " + std::to_string(row), {{"rows", row}}};
}

inline Summary finished_summary(std::int64_t rows) {
  Summary summary;
  summary.status = "finished";
  summary.steps = rows;
  return summary;
}

/// The whole run without interruption.
inline void record_run(const fs::path& dir, std::int64_t rows, WriterOptions options = {}) {
  Writer writer = Writer::create(dir, synthetic_schema(), options);
  for (std::int64_t row = 0; row < rows; ++row) record_row(writer, row);
  writer.finish(finished_summary(rows));
}

inline void resume_run(const fs::path& dir, std::int64_t rows) {
  auto [writer, checkpoint] = Writer::resume(dir);
  for (std::int64_t row = checkpoint ? checkpoint->step : 0; row < rows; ++row) record_row(writer, row);
  writer.finish(finished_summary(rows));
}

/// Every number the reader gives is the formula's; returns a description of the first that is not.
inline std::string first_difference(const Reader& reader) {
  const auto compare = [&](const std::string& table, const std::string& name, std::int64_t every,
                           std::int64_t first_entry) -> std::string {
    const Series series = reader.column(name, {}, table);
    for (std::size_t row = 0; row < series.rows; ++row)
      for (std::size_t i = 0; i < series.width; ++i) {
        const std::int64_t source = static_cast<std::int64_t>(row) * every;
        const double expected = name == "step" ? static_cast<double>(3 * source)
                                               : number(source, first_entry + static_cast<std::int64_t>(i));
        if (std::bit_cast<std::uint64_t>(series(row, i)) != std::bit_cast<std::uint64_t>(expected))
          return table + "/" + name + " row " + std::to_string(row);
      }
    return "";
  };
  const std::pair<const char*, std::int64_t> columns[] = {{"t", 0},    {"step", 0},      {"q", 1},
                                                          {"p", 4},    {"energy", 7},    {"discrete_energy", 8},
                                                          {"gaps", 9}, {"momentum", 13}, {"dissipated", 14}};
  for (const auto& [name, entry] : columns) {
    if (const std::string bad = compare("trajectory", name, 1, entry); !bad.empty()) return bad;
    if (const std::string bad = compare("stroboscope", name, stroboscope_every, entry); !bad.empty()) return bad;
  }
  if (const std::string bad = compare("bar", "t", bar_every, 1000); !bad.empty()) return bad;
  if (const std::string bad = compare("bar", "u", bar_every, 1001); !bad.empty()) return bad;
  for (const Impact& impact : reader.impacts()) {
    const std::int64_t row = impact.n * impact_every;
    const SyntheticFrame frame(row);
    const auto v = [&](std::size_t i) { return std::vector<double>(&frame.v[i], &frame.v[i] + 3); };
    const bool same = impact.t == frame.v[0] && impact.step == row && impact.alpha == number(row, 22) &&
                      impact.gaps == "corner 0+left, wall" &&
                      impact.multipliers == std::vector{number(row, 20), number(row, 21)} &&
                      impact.energy_before == frame.v[7] && impact.energy_after == frame.v[8] && impact.q == v(1) &&
                      impact.p_minus == v(4) && impact.p_plus == v(7);
    if (!same) return "impact " + std::to_string(impact.n);
  }
  return "";
}

inline ::testing::AssertionResult same_files(const fs::path& a, const fs::path& b) {
  for (const char* name : {"trajectory.h5", "impacts.csv", "summary.json"}) {
    const std::string left = bytes_of(a / name), right = bytes_of(b / name);
    if (left.empty() || left != right) return ::testing::AssertionFailure() << name << " differs";
  }
  std::vector<std::string> names[2];
  for (int i = 0; i < 2; ++i)
    for (const auto& entry : fs::directory_iterator(i == 0 ? a : b)) names[i].push_back(entry.path().filename());
  for (auto& list : names) std::sort(list.begin(), list.end());
  if (names[0] != names[1]) return ::testing::AssertionFailure() << "the directories hold different files";
  return ::testing::AssertionSuccess();
}

}  // namespace ricochet::record::test
