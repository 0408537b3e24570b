// fields.xdmf: what the fields of a record mean, in words that ParaView and its like read. The numbers stay in
// trajectory.h5.
#pragma once

#include <string>

#include "ricochet/record/files.hpp"

namespace ricochet::record {

/// Describes the fields in `dir`/trajectory.h5, if it has any (groups `mesh` and `fields`, attribute `grid`): one grid
/// of line cells per recorded time, with every field on its nodes or cells.
void write_xdmf(const fs::path& dir);

/// Row `row` of a dataset of `rows` × (count · parts) numbers, as `count` tuples of `parts`.
std::string xdmf_item(const char* dataset, std::size_t row, std::size_t rows, std::size_t count, bool integer = false,
                      std::size_t parts = 1);

}  // namespace ricochet::record
