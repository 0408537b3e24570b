// The HDF5 file of a record, opened for reading. Internal (it shows HDF5 handles).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

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
  /// Of every table, in their order; none in a file of a version that left none.
  std::vector<std::string> digests() const;
  /// The checksum of the seal, which vouches for everything but the rows.
  std::uint64_t seal() const { return seal_; }
  /// `count` rows from `first` on; integers as doubles.
  void read(const std::string& group, const Column& column, std::size_t first, std::size_t count, double* to) const;
  /// The same, integers as the bits they are.
  void read_bits(const std::string& group, const Column& column, std::size_t first, std::size_t count,
                 double* to) const;

 private:
  struct Opened {
    std::string place;
    h5::Handle set;
    std::size_t rows = 0;
  };
  void read_as(hid_t type, const std::string& group, const Column& column, std::size_t first, std::size_t count,
               double* to) const;
  const Opened& open_column(const std::string& group, const Column& column) const;
  template <class Body>
  auto guarded(Body&& body) const;

  fs::path path_;
  std::uint64_t seal_;
  h5::Handle file_;
  mutable Opened opened_;  ///< the last column, because it is mostly the next one too
};

/// Whether it is an undamaged record; never throws.
bool looks_like_record(const fs::path& path);

}  // namespace ricochet::record
