// Where every row lies in the file of frames. Rows travel in blocks: a block holds a fixed number of rows of one table,
// its columns one after the other, and gets the next place in the file when its first row is recorded. So the
// place of a row follows from the sequence of what was recorded, and from nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ricochet/record/schema.hpp"

namespace ricochet::record {

/// Over the rows of a table (sums.hpp): of its full blocks, and of all.
struct RowSum {
  std::uint64_t full = 0, all = 0;

  bool operator==(const RowSum&) const = default;
};

/// How much of a record there is: what has to be remembered beside the rows themselves.
struct Extent {
  std::vector<std::size_t> rows;  ///< of each table
  std::string order;              ///< the table of each block, as one byte, in the order of the file
  std::vector<RowSum> sums{};     ///< of each table

  bool operator==(const Extent&) const = default;
};

Extent nothing_yet(const Schema& schema);

class Slots {
 public:
  explicit Slots(const Schema& schema);

  const std::vector<Table>& tables() const { return tables_; }
  std::size_t block_rows(std::size_t table) const { return block_rows_[table]; }
  /// Bytes from the start of a block to one of its columns.
  std::size_t column_start(std::size_t table, std::size_t column) const { return column_start_[table][column]; }
  std::size_t column_end(std::size_t table) const { return column_start_[table].back(); }

  /// The place of the next block of a table, from now on its own.
  std::size_t add(std::size_t table);
  /// The blocks of an earlier run; false when its rows and its blocks do not agree.
  bool restore(const Extent& extent);

  /// Bytes of a file that holds the given rows of the tables, in the blocks of now.
  std::size_t bytes(const std::vector<std::size_t>& rows) const;

  const std::string& order() const { return order_; }
  std::size_t end() const { return end_; }
  std::size_t blocks(std::size_t table) const { return offset_[table].size(); }
  std::size_t offset(std::size_t table, std::size_t block) const { return offset_[table][block]; }

 private:
  std::vector<Table> tables_;
  std::vector<std::size_t> block_rows_, block_bytes_;
  std::vector<std::vector<std::size_t>> column_start_;  ///< with the end of the last column behind
  std::string order_;
  std::size_t end_;
  std::vector<std::vector<std::size_t>> offset_;
};

}  // namespace ricochet::record
