// fields.xdmf: what the fields of a record mean, in words that ParaView and its like read. The numbers stay in
// trajectory.h5.
#pragma once

#include <string>

#include "ricochet/record/files.hpp"

namespace ricochet::record {

class Reader;

/// Describes the fields in `dir`/trajectory.h5, if it has any (groups `mesh` and `fields`, docs/bars.md and
/// docs/scenes.md for beams): one grid of line cells per recorded time, strain on the cells, velocity on the nodes.
void write_xdmf(const fs::path& dir);

/// Row `row` of a dataset of `rows` × (count · parts) numbers, as `count` tuples of `parts`.
std::string xdmf_item(const char* dataset, std::size_t row, std::size_t rows, std::size_t count, bool integer = false,
                      std::size_t parts = 1);

/// The text for a record of beams.
std::string beams_xdmf(const Reader& reader, std::size_t nodes, std::size_t cells);

}  // namespace ricochet::record
