// fields.xdmf: what the fields of a record mean, in words that ParaView and its like read. The numbers stay in
// trajectory.h5.
#pragma once

#include "ricochet/record/files.hpp"

namespace ricochet::record {

/// Describes the fields in `dir`/trajectory.h5, if it has any (groups `mesh` and `fields`, docs/bars.md): one grid of
/// line cells per recorded time, strain on the cells, velocity on the nodes.
void write_xdmf(const fs::path& dir);

}  // namespace ricochet::record
