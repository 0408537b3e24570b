// The rows of a record, wherever they are: in trajectory.h5, or among the frames of a run that goes on or was killed.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ricochet/record/directory.hpp"
#include "ricochet/record/record_file.hpp"
#include "ricochet/record/slots.hpp"

namespace ricochet::record {

class Source {
 public:
  /// A directory, or one HDF5 file.
  explicit Source(const fs::path& path);

  const Place& place() const { return place_; }
  bool merged() const { return !frames_; }
  const Schema& schema() const { return schema_; }
  const Slots& slots() const { return slots_; }
  const Extent& extent() const { return extent_; }  ///< the order of blocks is known only while not merged
  const std::vector<Table>& tables() const { return slots_.tables(); }
  std::size_t rows(std::size_t table) const { return extent_.rows[table]; }
  const RecordFile& file() const { return file_; }

  /// `count` rows from `first` on, every `stride`-th; integers as doubles.
  void read(std::size_t table, std::size_t column, std::size_t first, std::size_t count, std::size_t stride,
            double* to) const;

 private:
  void read_dense(std::size_t table, std::size_t column, std::size_t first, std::size_t count, double* to) const;
  void read_frames(std::size_t table, std::size_t column, std::size_t first, std::size_t count, double* to) const;

  Place place_;
  RecordFile file_;  ///< trajectory.h5, or the schema of a run under way
  Schema schema_;
  Slots slots_;
  Extent extent_;
  std::optional<File> frames_;
};

}  // namespace ricochet::record
