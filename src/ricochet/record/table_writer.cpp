#include "ricochet/record/table_writer.hpp"

#include <string>

namespace ricochet::record {

TableWriter::TableWriter(std::size_t table, Slots& slots, File& file, std::size_t rows)
    : table_(table), slots_(&slots), file_(&file), capacity_(slots.block_rows(table)), flushed_rows_(rows) {
  for (std::size_t c = 0; c <= slots.tables()[table].columns.size(); ++c)
    start_.push_back(slots.column_start(table, c) / 8);
  // Left untouched until rows arrive: a table nobody writes costs no memory.
  buffer_ = std::make_unique_for_overwrite<double[]>(start_.back());
  if (rows % capacity_ != 0) {
    count_ = flushed_ = rows % capacity_;
    offset_ = slots.offset(table, slots.blocks(table) - 1);
  }
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
  count_ = flushed_ = 0;
  offset_ = unplaced;
}

}  // namespace ricochet::record
