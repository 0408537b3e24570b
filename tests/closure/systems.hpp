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

/// Three coordinates, a full mass matrix, and a potential with every mixed derivative; a curved wall.
struct Coupled {
  static constexpr int dimension = 3;
  Eigen::Matrix3d mass() const {
    Eigen::Matrix3d M;
    M << 1.0, 0.2, 0.1, 0.2, 1.5, -0.3, 0.1, -0.3, 0.8;
    return M;
  }
  template <class T>
  T potential(Point<T> q) const {
    using std::cos;
    using std::exp;
    return 0.7 * q[0] * q[0] + 0.4 * q[0] * q[1] * q[2] + cos(q[1] + 0.5 * q[2]) + 0.3 * exp(0.4 * q[2] - 0.2 * q[0]) +
           0.25 * q[1] * q[1] * q[1] * q[1] + 0.3 * q[2] * q[2];
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    return 1.0 - q[0] * q[0] - 0.8 * q[1] * q[1] - 1.3 * q[2] * q[2] - 0.2 * q[0] * q[1];
  }
};

/// A disc with a central spring: energy and angular momentum fix the angle at which every impact grazes.
struct Disc {
  static constexpr int dimension = 2;
  double stiffness = 1;
  Eigen::Vector2d mass() const { return {1, 1}; }
  template <class T>
  T potential(Point<T> q) const {
    return 0.5 * stiffness * (q[0] * q[0] + q[1] * q[1]);
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    return 1.0 - q[0] * q[0] - q[1] * q[1];
  }
};

/// A particle falling into a narrow wedge: several impacts within one large step.
struct Wedge {
  static constexpr int dimension = 2;
  Eigen::Vector2d mass() const { return {1.0, 1.3}; }
  template <class T>
  T potential(Point<T> q) const {
    return 2.0 * q[1] + 0.3 * q[0] * q[0] + 0.1 * q[1] * q[1] * q[1];
  }
  int gaps() const { return 2; }
  template <class T>
  T gap(int i, Point<T> q) const {
    return 0.2 + 0.1 * q[1] + (i == 0 ? -1.0 : 1.0) * q[0] - 0.05 * q[0] * q[0];
  }
};

/// One of the three before behind one type: a compiler sees their runs once.
struct Billiard {
  static constexpr int dimension = 2;
  enum Kind { table, disc, wedge } kind = table;

  Eigen::Vector2d mass() const { return kind == wedge ? Wedge{}.mass() : Table{}.mass(); }
  template <class T>
  T potential(Point<T> q) const {
    return kind == table ? Table{}.potential(q) : kind == disc ? Disc{}.potential(q) : Wedge{}.potential(q);
  }
  int gaps() const { return kind == wedge ? 2 : 1; }
  template <class T>
  T gap(int i, Point<T> q) const {
    return kind == table ? Table{}.gap(i, q) : kind == disc ? Disc{}.gap(i, q) : Wedge{}.gap(i, q);
  }
};

/// A double pendulum whose lower bob hits a wall: M(q).
struct DoublePendulum {
  static constexpr int dimension = 2;
  template <class T>
  T lagrangian(Point<T> q, Point<T> v) const {
    using std::cos;
    const T kinetic = v[0] * v[0] + 0.5 * v[1] * v[1] + v[0] * v[1] * cos(q[0] - q[1]);
    return kinetic + 2.0 * cos(q[0]) + cos(q[1]);
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    using std::sin;
    return 0.6 - sin(q[0]) - sin(q[1]);
  }
};

}  // namespace ricochet::test
