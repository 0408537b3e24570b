// The HDF5 side of a record: names, shapes and the index of the blocks, around rows that are already in place.
#pragma once

#include "ricochet/record/files.hpp"
#include "ricochet/record/schema.hpp"
#include "ricochet/record/slots.hpp"

namespace ricochet::record {

inline constexpr const char* record_format = "ricochet record";
inline constexpr long long record_format_version = 1;

/// Makes a valid HDF5 file of a file that so far holds only the blocks of `slots`: everything in front of them and
/// behind them is written, the rows stay where they are. The sums of the extent, where it has any, are the digests of
/// the tables, under the seal of the file.
void write_metadata(File& file, const Schema& schema, const Slots& slots, const Extent& extent);

}  // namespace ricochet::record
