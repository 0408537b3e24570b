// Bars on the page: the displacement of chosen nodes at chosen times; the page draws strips, coloured by their strain.
#pragma once

#include "ricochet/report/payload.hpp"

namespace ricochet::report {

/// null for a record without bars, or without fields of them (docs/bars.md, "Recorded fields").
Json strips(const record::Reader& reader, const Limits& limits);

}  // namespace ricochet::report
