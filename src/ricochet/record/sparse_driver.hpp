// An HDF5 file that exists only where HDF5 itself wrote: the frames are already on disk, at places we chose.
//
// HDF5 asks its driver for every address. This one answers with the places where the run has put its rows, keeps the
// headers and indices HDF5 writes in memory, and lets the rows pass by. So the record of a run is written once, HDF5
// never touches a disk while it is written (a full disk cannot leave it with a file it can neither flush nor close),
// and ending a run of 100 GB means adding a few kilobytes of metadata.
#pragma once

#include <array>
#include <cstddef>
#include <map>

#include "ricochet/record/hdf5.hpp"

namespace ricochet::record {

struct SparseFile {
  static constexpr std::size_t page_size = 4096;
  static constexpr std::size_t head_size = page_size - 32;  ///< the rest of the first page is ours (seal.hpp)
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

  explicit SparseFile(std::size_t rows_end) : tail(rows_end) {}

  std::map<std::size_t, std::array<char, page_size>> pages;  ///< what HDF5 wrote, by page; absent pages are zeros
  std::size_t head = 0;         ///< next free byte of the first page, where the superblock is
  std::size_t tail;             ///< next free byte after the rows
  std::size_t place = nowhere;  ///< where the next rows are; while it is set, rows are placed and not kept

  std::size_t allocate(std::size_t bytes, bool rows);
  void write(std::size_t offset, const char* from, std::size_t bytes);
  void read(std::size_t offset, char* to, std::size_t bytes) const;
};

/// A file access list under which H5Fcreate writes into `file` (which must outlive the HDF5 file).
h5::Handle sparse_access(SparseFile& file);

}  // namespace ricochet::record
