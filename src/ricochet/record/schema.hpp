// What a record holds: names, units and the scene that made it. Plain strings; nothing here knows mechanics.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ricochet::record {

/// One dataset of a table: N rows of `width` doubles, or N plain numbers when `scalar`.
struct Column {
  std::string name;
  std::string unit;
  std::size_t width = 1;
  std::vector<std::string> labels;  ///< names of the entries of a row; empty or `width` of them
  bool scalar = true;               ///< shape (N) instead of (N, width)
  bool integer = false;             ///< 64-bit integers instead of doubles

  bool operator==(const Column&) const = default;
};

/// Columns that grow together, one row of each at a time.
struct Table {
  std::string name;
  std::vector<Column> columns;

  /// 8-byte numbers per row.
  std::size_t row_words() const;
  bool operator==(const Table&) const = default;
};

struct Scalar {
  std::string name;
  std::string unit;

  bool operator==(const Scalar&) const = default;
};

struct Schema {
  std::vector<std::string> coordinates, gaps, symmetries;
  std::vector<Scalar> extra;                      ///< further numbers of a frame, one dataset each
  std::map<std::string, std::string> units;       ///< of the columns of a frame: {"t", "s"}, {"q", "m, m, rad"}, …
  std::string scene_text, scene_name, version;    ///< the scene as it was read, its file name, who wrote the record
  std::map<std::string, std::string> attributes;  ///< anything else worth a line in the file: rule, closure, …
  std::vector<std::string> frame_tables;          ///< tables of frames beside the trajectory: "stroboscope", "section"
  std::vector<Table> datasets;                    ///< wide tables of any shape: the nodes of a bar, …

  bool operator==(const Schema&) const = default;
};

/// The table that every record has; its datasets lie at the root of the file, those of the others in groups.
inline constexpr std::string_view trajectory_table = "trajectory";

/// The columns every frame has, in the order of the file; the extra scalars follow.
enum FrameColumn : std::size_t {
  col_t,
  col_step,
  col_q,
  col_p,
  col_energy,
  col_discrete_energy,
  col_gaps,
  col_momentum
};
inline constexpr std::size_t frame_columns = 8;

/// Every table of the record: the trajectory, the other tables of frames, the datasets.
std::vector<Table> tables(const Schema& schema);

/// The schema's frame-related fields recovered from the columns of the trajectory (the inverse of `tables`).
/// False when the columns are not those of a frame.
bool read_frame_columns(const Table& trajectory, Schema& schema);

/// Throws RecordError (without a path) when names clash or cannot be stored.
void validate(const Schema& schema);

}  // namespace ricochet::record
