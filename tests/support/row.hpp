// Free masses in a row between two walls.
#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "ricochet/numerics/scalar.hpp"

namespace ricochet::test {

/// Masses 1 and 2 in turn, so that velocities are not merely exchanged, half a length apart from the next before they
/// meet; n + 1 gaps, the walls among them.
struct Row {
  int n;
  int dimension() const { return n; }
  Eigen::VectorXd mass() const {
    return Eigen::VectorXd::NullaryExpr(n, [](Eigen::Index k) { return k % 2 == 0 ? 1.0 : 2.0; });
  }
  template <class T>
  T potential(Point<T>) const {
    return T(0);
  }
  int gaps() const { return n + 1; }
  template <class T>
  T gap(int i, Point<T> q) const {
    const auto k = static_cast<std::size_t>(i);
    if (i == 0) return q[0] + T(0.5);
    return i == n ? T(n - 0.5) - q[k - 1] : q[k] - q[k - 1] - T(0.5);
  }

  Eigen::VectorXd positions() const { return Eigen::VectorXd::LinSpaced(n, 0, n - 1); }
  /// Numbers in (−1, 1), the same on every machine: the high bits of a linear congruence (that of Knuth's MMIX).
  Eigen::VectorXd velocities() const {
    std::uint64_t state = 2026;
    return Eigen::VectorXd::NullaryExpr(n, [&](Eigen::Index) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      return static_cast<double>(state >> 11) / 4503599627370496.0 - 1;
    });
  }
};

}  // namespace ricochet::test
