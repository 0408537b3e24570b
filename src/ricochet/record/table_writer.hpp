// The rows of one table on their way to disk: a buffer of one block, written to the block's place when it is full, and
// whenever a flush asks for what there is so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "ricochet/record/files.hpp"
#include "ricochet/record/slots.hpp"

namespace ricochet::record {

class TableWriter {
 public:
  /// The first `rows` rows are in the file already, with the sum of those in full blocks.
  TableWriter(std::size_t table, Slots& slots, File& file, std::size_t rows, std::uint64_t full);

  std::size_t rows() const { return flushed_rows_ + count_ - flushed_; }
  RowSum sum() const;
  bool dirty() const { return count_ > flushed_; }

  // One row: begin, put every column, end. Nothing is allocated. After a failed write the rows are still here, and the
  // next call tries again.
  void begin() {
    if (count_ == capacity_) turn();
    if (offset_ == unplaced) offset_ = slots_->add(table_);
  }
  void put(std::size_t column, const void* values, std::size_t numbers) {
    if (numbers > 0) std::memcpy(buffer_.get() + start_[column] + count_ * numbers, values, numbers * 8);
  }
  void put(std::size_t column, double value) { buffer_[start_[column] + count_] = value; }
  void end() {
    if (++count_ == capacity_) turn();
  }

  void flush();
  /// Zeros behind the last row of a block that stays unfinished, so that the file has no memory of what was there.
  void seal();

 private:
  static constexpr std::size_t unplaced = static_cast<std::size_t>(-1);
  void turn();
  std::uint64_t sum_with_block() const;

  std::size_t table_;
  Slots* slots_;
  File* file_;
  std::size_t capacity_;
  std::vector<std::size_t> start_;  ///< of each column in the buffer, in numbers
  std::unique_ptr<double[]> buffer_;
  std::size_t offset_ = unplaced;  ///< of the current block in the file
  std::size_t count_ = 0, flushed_ = 0, flushed_rows_ = 0;
  std::uint64_t full_;  ///< sum over the blocks before
};

}  // namespace ricochet::record
