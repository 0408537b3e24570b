// Sums over the rows of a record: a bit that a disk or a copy has changed is noticed before a run goes on from there.
// They are computed while a block is in memory, and kept in `progress` and `checkpoint`, beside the number of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "ricochet/record/files.hpp"
#include "ricochet/record/slots.hpp"

namespace ricochet::record {

/// Continues a sum over the first `rows` rows of a block; `column` gives their words, one column after the other.
std::uint64_t sum_of_block(std::uint64_t sum, const Slots& slots, std::size_t table, std::size_t rows,
                           const std::function<const double*(std::size_t column, std::size_t words)>& column);

/// Reads every row that the extent counts. Throws RecordError where they are not those that were recorded.
void check_rows(const File& file, const Slots& slots, const Extent& extent);

}  // namespace ricochet::record
