#include "ricochet/record/table_writer.hpp"

#include <string>

#include "ricochet/record/sums.hpp"

namespace ricochet::record {

TableWriter::TableWriter(std::size_t table, Slots& slots, File& file, std::size_t rows, std::uint64_t full)
    : table_(table),
      slots_(&slots),
      file_(&file),
      capacity_(slots.block_rows(table)),
      flushed_rows_(rows),
      full_(full) {
  for (std::size_t c = 0; c <= slots.tables()[table].columns.size(); ++c)
    start_.push_back(slots.column_start(table, c) / 8);
  // Left untouched until rows arrive: a table nobody writes costs no memory.
  buffer_ = std::make_unique_for_overwrite<double[]>(start_.back());
  if (rows % capacity_ != 0) {
    count_ = flushed_ = rows % capacity_;
    offset_ = slots.offset(table, slots.blocks(table) - 1);
    for (std::size_t c = 0; c + 1 < start_.size(); ++c)  // the sum of the block will need them
      file.read_at(offset_ + start_[c] * 8, buffer_.get() + start_[c],
                   count_ * (start_[c + 1] - start_[c]) / capacity_ * 8);
  }
}

std::uint64_t TableWriter::sum_with_block() const {
  return sum_of_block(full_, *slots_, table_, count_,
                      [this](std::size_t column, std::size_t) { return buffer_.get() + start_[column]; });
}

RowSum TableWriter::sum() const {
  const std::uint64_t all = sum_with_block();
  return {count_ == capacity_ ? all : full_, all};
}

void TableWriter::flush() {
  if (!dirty()) return;
  if (flushed_ == 0 && count_ == capacity_) {
    file_->write_at(offset_, buffer_.get(), start_.back() * 8);
  } else {
    for (std::size_t c = 0; c + 1 < start_.size(); ++c) {
      const std::size_t width = (start_[c + 1] - start_[c]) / capacity_;
      const std::size_t from = start_[c] + flushed_ * width;
      file_->write_at(offset_ + from * 8, buffer_.get() + from, (count_ - flushed_) * width * 8);
    }
  }
  flushed_rows_ += count_ - flushed_;
  flushed_ = count_;
}

void TableWriter::seal() {
  if (offset_ == unplaced) return;
  const std::string zeros((capacity_ - count_) * 8 * slots_->tables()[table_].row_words(), '\0');
  for (std::size_t c = 0; c + 1 < start_.size(); ++c) {
    const std::size_t width = (start_[c + 1] - start_[c]) / capacity_;
    file_->write_at(offset_ + (start_[c] + count_ * width) * 8, zeros.data(), (capacity_ - count_) * width * 8);
  }
}

void TableWriter::turn() {
  flush();
  full_ = sum_with_block();
  count_ = flushed_ = 0;
  offset_ = unplaced;
}

}  // namespace ricochet::record
