// How many steps lead to the end of a run.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ricochet::scene {

/// `whole` steps of the length h, and one more of the length `last` where the end is no multiple of h (0: there is
/// none).
struct StepCount {
  std::int64_t whole = 0;
  double last = 0;

  /// `end` / h is rounded, and so are both numbers where they were written in decimals: what is a whole number up to
  /// that is one. Below 4.5e6 steps a thousand millionth of a step is no step of its own either.
  static StepCount of(double end, double h) {
    const double ratio = end / h, nearest = std::round(ratio);
    const double slack = std::max(1e-9, 4 * std::numeric_limits<double>::epsilon() * ratio);
    if (nearest >= 1 && std::abs(ratio - nearest) <= slack) return {static_cast<std::int64_t>(nearest), 0};
    const double whole = std::floor(ratio);
    return {static_cast<std::int64_t>(whole), end - whole * h};
  }

  std::int64_t steps() const { return whole + (last > 0 ? 1 : 0); }
  /// The length of the step that follows `taken` ones.
  double length(std::int64_t taken, double h) const { return taken == whole && last > 0 ? last : h; }
};

}  // namespace ricochet::scene
