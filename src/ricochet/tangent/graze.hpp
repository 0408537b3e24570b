// A gap that is touched from inside and left again, without an impact.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

namespace ricochet::tangent {

/// The parabola through a gap at the start, in the middle and at the end of a flight comes near to zero: within a
/// quarter of what the gap varies by, far more than a parabola is wrong by, or within `rounding`.
template <class Real>
bool may_touch(Real start, Real middle, Real end, Real rounding) {
  const Real bend = 2 * (start + end - 2 * middle), slope = 4 * middle - 3 * start - end;
  Real least = std::min({start, middle, end});
  const Real range = std::max({start, middle, end}) - least;
  if (bend > 0 && slope < 0 && slope > -2 * bend) least = std::min(least, start - slope * slope / (4 * bend));
  return least <= range / 4 + rounding;
}

/// Where φ(s) is least on (0, length), and its value there: golden sections.
template <class Real, class Phi>
std::pair<Real, Real> lowest(const Phi& phi, Real length) {
  const Real ratio = (std::sqrt(Real(5)) - 1) / 2;
  Real a = 0, b = length;
  Real x = b - ratio * (b - a), y = a + ratio * (b - a), at_x = phi(x), at_y = phi(y);
  for (int it = 0; it < 60 && b - a > Real(1e-9) * length; ++it) {
    if (at_x < at_y)
      b = y, y = x, at_y = at_x, x = b - ratio * (b - a), at_x = phi(x);
    else
      a = x, x = y, at_x = at_y, y = a + ratio * (b - a), at_y = phi(y);
  }
  return at_x < at_y ? std::pair(x, at_x) : std::pair(y, at_y);
}

}  // namespace ricochet::tangent
