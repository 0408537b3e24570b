// The HDF5 file of a record, opened for reading. Internal (it shows HDF5 handles).
#pragma once

#include <cstddef>
#include <string>

#include "ricochet/record/files.hpp"
#include "ricochet/record/hdf5.hpp"
#include "ricochet/record/schema.hpp"

namespace ricochet::record {

/// Every damage is a RecordError; what HDF5 gets to see carries our seal (seal.hpp).
class RecordFile {
 public:
  explicit RecordFile(const fs::path& path);

  const fs::path& path() const { return path_; }
  bool is_record() const;
  Schema schema() const;
  /// Rows of a table whose columns lie in `group` ("" is the root); all its columns must agree.
  std::size_t rows(const std::string& group, const Table& table) const;
  /// `count` rows from `first` on; integers as doubles.
  void read(const std::string& group, const Column& column, std::size_t first, std::size_t count, double* to) const;

 private:
  struct Opened {
    std::string place;
    h5::Handle set;
    std::size_t rows = 0;
  };
  const Opened& open_column(const std::string& group, const Column& column) const;
  template <class Body>
  auto guarded(Body&& body) const;

  fs::path path_;
  h5::Handle file_;
  mutable Opened opened_;  ///< the last column, because it is mostly the next one too
};

/// Whether it is an undamaged record; never throws.
bool looks_like_record(const fs::path& path);

}  // namespace ricochet::record
