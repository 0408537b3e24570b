// A record read back: the columns of every table, the impacts, the summary, the scene. It reads a run that is finished,
// interrupted, killed or still going on; damage is one sentence.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/record/checkpoint.hpp"
#include "ricochet/record/impacts.hpp"
#include "ricochet/record/schema.hpp"
#include "ricochet/record/summary.hpp"

namespace ricochet::record {

/// Which rows: `first`, `first + stride`, … below `end`.
struct Rows {
  std::size_t first = 0;
  std::size_t end = std::numeric_limits<std::size_t>::max();
  std::size_t stride = 1;
};

/// A column in memory, row after row.
struct Series {
  std::size_t rows = 0, width = 0;
  std::vector<double> values;

  double operator()(std::size_t row, std::size_t entry = 0) const { return values[row * width + entry]; }
};

class Reader {
 public:
  /// A run's directory, or a trajectory.h5. What has ended is compared with its digests (digests.hpp): RecordError
  /// where it is not what the run left.
  explicit Reader(const fs::path& path);
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  const Schema& schema() const;
  /// False while there is no trajectory.h5: the run is going on, or was killed.
  bool merged() const;
  /// A sentence where a run that has ended left no digests to compare it with, as older versions did; else "".
  std::string doubt() const;
  std::size_t rows(std::string_view table = trajectory_table) const;
  /// Integers come as doubles (exact below 2⁵³).
  Series column(std::string_view name, const Rows& rows = {}, std::string_view table = trajectory_table) const;

  /// Whole lines of the impacts.csv beside the record; none when there is no such file.
  std::vector<Impact> impacts() const;
  std::size_t impact_count() const;
  /// Every `stride`-th of them from the first on, one at a time.
  void each_impact(std::size_t stride, const std::function<void(Impact&&)>& visit) const;
  /// Nothing before a run has ended.
  std::optional<Summary> summary() const;
  std::optional<Checkpoint> checkpoint() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ricochet::record
