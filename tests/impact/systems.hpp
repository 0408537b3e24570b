// Systems on which closures are measured.
#pragma once

#include <Eigen/Core>

#include "ricochet/numerics/scalar.hpp"

namespace ricochet::test {

/// The bundled table: a chaotic billiard with a nonlinear potential (docs/shadow.md).
struct Table {
  static constexpr int dimension = 2;
  Eigen::Vector2d mass() const { return {1, 1}; }
  template <class T>
  T potential(Point<T> q) const {
    const T x2 = q[0] * q[0], y2 = q[1] * q[1];
    return 0.5 * (x2 + 1.7 * y2) + 0.25 * x2 * x2 + 0.6 * x2 * y2;
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    const T x2 = q[0] * q[0], y2 = q[1] * q[1], r2 = x2 + y2;
    return 1.0 - r2 * r2 - 0.6 * q[0] * x2 + 1.8 * q[0] * y2;
  }
};

}  // namespace ricochet::test
