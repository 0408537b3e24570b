// The systems of the papers and of the project's scenes, as a C++ user writes them.
#pragma once

#include <Eigen/Core>

#include "ricochet/numerics/scalar.hpp"

namespace ricochet::test {

/// A particle over a floor (Fetecau 2003, section 4.2).
struct Particle {
  static constexpr int dimension = 2;
  double g = 9.81;
  Eigen::Vector2d mass() const { return {1, 1}; }
  template <class T>
  T potential(Point<T> q) const {
    return g * q[1];
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    return q[1];
  }
};

/// The star-shaped body (Fetecau 2003, section 4.3) with one smooth gap per corner (errata F9).
struct Star {
  static constexpr int dimension = 3;
  double g = 9.81, cubic = 0, floor = 0;
  Eigen::Vector3d mass() const { return {1, 1, 29.0 / 192.0}; }
  template <class T>
  T potential(Point<T> q) const {
    if (cubic == 0) return g * q[1];
    return g * q[1] + cubic * q[1] * q[1] * q[1];
  }
  int gaps() const { return 4; }
  template <class T>
  T gap(int i, Point<T> q) const {
    using std::cos;
    using std::sin;
    const double a = (i & 1) != 0 ? -0.5 : 0.5, b = (i & 2) != 0 ? -0.5 : 0.5;
    return q[1] - a * sin(q[2]) - b * cos(q[2]) - floor;
  }
};

}  // namespace ricochet::test
