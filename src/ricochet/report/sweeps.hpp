// Beams on the page: frames of chosen nodes at chosen times; the page sweeps the section along them and colours it by
// the strain of its fibres.
#pragma once

#include "ricochet/report/payload.hpp"

namespace ricochet::report {

/// null for a record without beams, or without fields of them.
Json sweeps(const record::Reader& reader, const Limits& limits);

}  // namespace ricochet::report
