// How slip coordinates are numbered beside gaps.
#pragma once

namespace ricochet::mechanics {

/// Slip coordinate a of gap i is a row of negative number: loops over gaps count from zero and never meet it; a contact
/// with friction asks for it as for a gap.
constexpr int slip_row(int gap, int a) { return -1 - 2 * gap - a; }
constexpr int gap_of_slip(int row) { return (-1 - row) / 2; }
constexpr int axis_of_slip(int row) { return (-1 - row) % 2; }

}  // namespace ricochet::mechanics
