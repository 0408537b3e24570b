// Lines of nodes in space with a frame at each: frames of chosen nodes at chosen times; the page sweeps the section
// along them and colours it by the strain of its fibres.
#pragma once

#include "ricochet/report/payload.hpp"

namespace ricochet::report {

/// null for a record without such lines.
Json sweeps(const record::Reader& reader, const Limits& limits);

}  // namespace ricochet::report
