#include "ricochet/record/sums.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <memory>

#include "ricochet/record/record_error.hpp"

namespace ricochet::record {
namespace {

constexpr std::uint64_t prime = 1099511628211u;

// FNV over words, in four lanes that do not wait for each other: some gigabytes in a second, where one over bytes would
// cost as much as the recording. Every step can be undone, so that one changed word always changes the sum.
std::uint64_t sum_of_words(std::uint64_t sum, const double* words, std::size_t count) {
  std::uint64_t lane[4] = {sum, sum + 1, sum + 2, sum + 3};
  const auto add = [&](std::size_t k, double word) {
    lane[k] = std::rotl((lane[k] ^ std::bit_cast<std::uint64_t>(word)) * prime, 29);
  };
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (std::size_t k = 0; k < 4; ++k) add(k, words[i + k]);
  for (; i < count; ++i) add(i % 4, words[i]);
  for (std::size_t k = 1; k < 4; ++k) lane[0] = std::rotl((lane[0] ^ lane[k]) * prime, 29);
  return lane[0];
}

}  // namespace

std::uint64_t sum_of_block(std::uint64_t sum, const Slots& slots, std::size_t table, std::size_t rows,
                           const std::function<const double*(std::size_t, std::size_t)>& column) {
  const std::vector<Column>& columns = slots.tables()[table].columns;
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (const std::size_t words = rows * columns[c].width; words > 0) sum = sum_of_words(sum, column(c, words), words);
  return sum;
}

void check_rows(const File& file, const Slots& slots, const Extent& extent) {
  const auto refuse = [&](std::size_t table) {
    throw RecordError(file.path(),
                      fmt::format("{} is damaged: the rows of its {} are not those that were recorded; run "
                                  "the scene anew",
                                  file.path().string(), slots.tables()[table].name));
  };
  for (std::size_t table = 0; table < slots.tables().size(); ++table) {
    if (table >= extent.sums.size()) refuse(table);
    const std::size_t capacity = slots.block_rows(table);
    const auto buffer = std::make_unique_for_overwrite<double[]>(slots.column_end(table) / 8);
    std::uint64_t sum = 0, full = 0;
    for (std::size_t block = 0; block < slots.blocks(table); ++block) {
      const std::size_t filled = std::min(capacity, extent.rows[table] - block * capacity);
      sum = sum_of_block(sum, slots, table, filled, [&](std::size_t column, std::size_t words) {
        const std::size_t at = slots.offset(table, block) + slots.column_start(table, column);
        if (file.read_at(at, buffer.get(), words * 8) != words * 8) refuse(table);
        return buffer.get();
      });
      if (filled == capacity) full = sum;
    }
    if (extent.sums[table] != RowSum{full, sum}) refuse(table);
  }
}

}  // namespace ricochet::record
