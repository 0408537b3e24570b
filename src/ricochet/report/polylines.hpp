// The lines of nodes on which a body carries its fields, as the attribute `grid` of a record tells them.
#pragma once

#include <optional>

#include "ricochet/report/payload.hpp"

namespace ricochet::report {

struct Polylines {
  std::size_t dimension = 1;  ///< of the positions of nodes
  Json lines;                 ///< name, first_node, nodes, …; a section where they are swept by one
};

/// Nothing for a record without fields on lines.
std::optional<Polylines> polylines(const record::Reader& reader);

/// `pieces` + 1 nodes of a line at most, its ends among them: more cannot be told apart on a screen.
std::vector<std::size_t> shown_nodes(std::size_t first, std::size_t nodes, std::size_t pieces);

}  // namespace ricochet::report
