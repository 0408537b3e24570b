// Lines of nodes on an axis: the displacement of chosen nodes at chosen times; the page draws strips, coloured by their
// strain.
#pragma once

#include "ricochet/report/payload.hpp"

namespace ricochet::report {

/// null for a record without such lines (docs/bars.md, "Recorded fields").
Json strips(const record::Reader& reader, const Limits& limits);

}  // namespace ricochet::report
