#include "ricochet/record/slots.hpp"

#include <algorithm>
#include <bit>

#include "ricochet/record/sparse_driver.hpp"

namespace ricochet::record {
namespace {

// Part of the format: a record written with other numbers is another file. Small enough that the unused end of a last
// block does not matter, large enough that HDF5's index (8 bytes per block and column) does not either.
constexpr std::size_t block_bytes = std::size_t{256} << 10;

std::size_t round_up(std::size_t bytes) {
  return (bytes + SparseFile::page_size - 1) / SparseFile::page_size * SparseFile::page_size;
}

}  // namespace

Extent nothing_yet(const Schema& schema) {
  const std::size_t count = tables(schema).size();
  return {std::vector<std::size_t>(count, 0), {}, std::vector<RowSum>(count)};
}

Slots::Slots(const Schema& schema) : tables_(record::tables(schema)), end_(SparseFile::page_size) {
  for (const Table& table : tables_) {
    const std::size_t row_bytes = 8 * std::max<std::size_t>(table.row_words(), 1);
    const std::size_t rows = row_bytes > block_bytes ? 1 : std::bit_floor(block_bytes / row_bytes);
    std::vector<std::size_t> starts{0};
    for (const Column& column : table.columns) starts.push_back(starts.back() + rows * column.width * 8);
    block_rows_.push_back(rows);
    block_bytes_.push_back(round_up(starts.back()));
    column_start_.push_back(std::move(starts));
  }
  offset_.resize(tables_.size());
}

std::size_t Slots::add(std::size_t table) {
  const std::size_t offset = end_;
  order_ += static_cast<char>(table);
  offset_[table].push_back(offset);
  end_ += block_bytes_[table];
  return offset;
}

bool Slots::restore(const Extent& extent) {
  order_.clear();
  end_ = SparseFile::page_size;
  for (auto& offsets : offset_) offsets.clear();
  if (extent.rows.size() != tables_.size()) return false;
  for (const char table : extent.order) {
    if (static_cast<unsigned char>(table) >= tables_.size()) return false;
    add(static_cast<unsigned char>(table));
  }
  for (std::size_t i = 0; i < tables_.size(); ++i)
    if (blocks(i) != (extent.rows[i] + block_rows_[i] - 1) / block_rows_[i]) return false;
  return true;
}

std::size_t Slots::bytes(const std::vector<std::size_t>& rows) const {
  std::size_t end = 0;
  for (std::size_t i = 0; i < tables_.size(); ++i)
    for (std::size_t block = 0; block < blocks(i); ++block) {
      const std::size_t filled = std::min(block_rows_[i], rows[i] - block * block_rows_[i]);
      for (std::size_t k = 0; k < tables_[i].columns.size(); ++k)
        if (const std::size_t width = tables_[i].columns[k].width; width > 0)
          end = std::max(end, offset_[i][block] + column_start_[i][k] + filled * width * 8);
    }
  return end;
}

}  // namespace ricochet::record
