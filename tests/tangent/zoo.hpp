// Systems of every kind behind two types, generic in the scalar of their parameters: a compiler sees them twice, not
// ten times.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>

#include "ricochet/numerics/jet.hpp"
#include "ricochet/numerics/scalar.hpp"

namespace ricochet::test {

enum class Kind {
  star,      ///< Fetecau 2003, section 4.3, in gravity that varies; θ = (g, cubic, floor)
  table,     ///< the bundled table; θ = (stiffness of y, coupling, size)
  coupled,   ///< a full mass matrix; θ = (stiffness, wall, mass)
  wedge,     ///< several impacts in one step; θ = (g, width, mass)
  hill,      ///< a particle over a round hill on a floor; θ = (g, radius, restitution)
  driven,    ///< drag, a force of time, a potential of time, a moving wall; θ = (drag, amplitude, g)
  pendulum,  ///< on a rod, as a bilateral constraint, between two walls; θ = (g, wall, restitution)
};

/// A constant mass and a potential, of a dimension that the compiler does not know, as scenes differentiate them.
template <class P>
struct Zoo {
  Kind kind = Kind::star;
  std::array<P, 3> theta{};

  int dimension() const { return kind == Kind::star || kind == Kind::coupled ? 3 : 2; }
  Eigen::Matrix<P, Eigen::Dynamic, Eigen::Dynamic> mass() const {
    Eigen::Matrix<P, Eigen::Dynamic, Eigen::Dynamic> M(dimension(), dimension());
    for (int i = 0; i < dimension(); ++i)
      for (int j = 0; j < dimension(); ++j) M(i, j) = P(i == j ? 1 : 0);
    if (kind == Kind::star) M(2, 2) = P(29.0 / 192.0);
    if (kind == Kind::wedge) M(1, 1) = theta[2];
    if (kind == Kind::coupled) {
      M(1, 1) = P(1.5), M(2, 2) = theta[2];
      M(0, 1) = M(1, 0) = P(0.2), M(0, 2) = M(2, 0) = P(0.1), M(1, 2) = M(2, 1) = P(-0.3);
    }
    return M;
  }
  bool depends_on_time() const { return kind == Kind::driven; }
  template <class T>
  T potential(Point<T> q, const T& t) const {
    using std::cos;
    using std::exp;
    using std::sin;
    switch (kind) {
      case Kind::star:
        return T(theta[0]) * q[1] + T(theta[1]) * q[1] * q[1] * q[1];
      case Kind::coupled:
        return T(theta[0]) * q[0] * q[0] + 0.4 * q[0] * q[1] * q[2] + cos(q[1] + 0.5 * q[2]) +
               0.3 * exp(0.4 * q[2] - 0.2 * q[0]) + 0.25 * q[1] * q[1] * q[1] * q[1] + 0.3 * q[2] * q[2];
      case Kind::table: {
        const T x2 = q[0] * q[0], y2 = q[1] * q[1];
        return 0.5 * (x2 + T(theta[0]) * y2) + 0.25 * x2 * x2 + T(theta[1]) * x2 * y2;
      }
      case Kind::wedge:
        return T(theta[0]) * q[1] + 0.3 * q[0] * q[0] + 0.1 * q[1] * q[1] * q[1];
      case Kind::driven:
        return T(theta[2]) * q[1] + 0.3 * q[0] * q[0] + 0.2 * sin(1.7 * t) * q[0] * q[1];
      default:
        return T(theta[0]) * q[1];
    }
  }
  bool has_force() const { return kind == Kind::driven; }
  template <class T>
  void force(Point<T> q, Point<T> v, const T& t, std::span<T> f) const {
    using std::sin;
    if (kind != Kind::driven) return;
    f[0] += -T(theta[0]) * v[0] + 0.1 * q[1] * v[1];
    f[1] += -T(theta[0]) * v[1] + 0.3 * sin(2.0 * t);
  }
  int gaps() const {
    if (kind == Kind::star) return 4;
    return kind == Kind::coupled || kind == Kind::driven || kind == Kind::table ? 1 : 2;
  }
  bool moving_gap(int) const { return kind == Kind::driven; }
  template <class T>
  T gap(int i, Point<T> q, const T& t) const {
    using std::cos;
    using std::sin;
    const double side = i == 0 ? -1.0 : 1.0;
    switch (kind) {
      case Kind::star: {
        const double a = (i & 1) != 0 ? -0.5 : 0.5, b = (i & 2) != 0 ? -0.5 : 0.5;
        return q[1] - a * sin(q[2]) - b * cos(q[2]) - T(theta[2]);
      }
      case Kind::coupled:
        return T(theta[1]) - q[0] * q[0] - 0.8 * q[1] * q[1] - 1.3 * q[2] * q[2] - 0.2 * q[0] * q[1];
      case Kind::table: {
        const T x2 = q[0] * q[0], y2 = q[1] * q[1], r2 = x2 + y2;
        return T(theta[2]) - r2 * r2 - 0.6 * q[0] * x2 + 1.8 * q[0] * y2;
      }
      case Kind::wedge:
        return T(theta[1]) + 0.1 * q[1] + side * q[0] - 0.05 * q[0] * q[0];
      case Kind::hill:
        return i == 0 ? q[0] * q[0] + q[1] * q[1] - T(theta[1]) * T(theta[1]) : q[1] + 0.1 * q[0];
      case Kind::driven:
        return q[1] - T(theta[1]) * sin(5.0 * t) - 0.1 * q[0] * q[0];
      default:
        return T(theta[1]) + side * q[0];
    }
  }
  int constraints() const { return kind == Kind::pendulum ? 1 : 0; }
  template <class T>
  T constraint(int, Point<T> q) const {
    return q[0] * q[0] + q[1] * q[1] - 1.0;
  }
  template <class T>
  T restitution(int, Point<T>, Point<T>, const T&) const {
    return kind == Kind::hill || kind == Kind::pendulum ? T(theta[2]) : T(1);
  }
};

enum class Arm {
  pendulum,  ///< double, its lower bob between two walls; θ = (g, wall, restitution)
  uneven,    ///< the same, with a mass that varies along the way; θ = (more mass, wall, restitution)
  swing,  ///< a spherical pendulum of length that varies in time, a moving wall; θ = (length, amplitude, restitution)
};

/// Any Lagrangian.
template <class P>
struct Arms {
  static constexpr int max_dimension = 2;
  Arm arm = Arm::pendulum;
  std::array<P, 3> theta{};

  int dimension() const { return 2; }
  bool depends_on_time() const { return arm == Arm::swing; }
  template <class T>
  T lagrangian(Point<T> q, Point<T> v, const T& t) const {
    using std::cos;
    using std::sin;
    if (arm != Arm::swing) {
      const T kinetic = v[0] * v[0] + 0.5 * v[1] * v[1] + v[0] * v[1] * cos(q[0] - q[1]);
      const T height = 2.0 * cos(q[0]) + cos(q[1]), more = v[1] * v[1] * q[0] * q[0];
      return arm == Arm::pendulum ? kinetic + T(theta[0]) * height : kinetic + T(theta[0]) * more + height;
    }
    const T l = T(theta[0]) + T(theta[1]) * sin(3.0 * t);
    return 0.5 * l * l * (v[0] * v[0] + sin(q[0]) * sin(q[0]) * v[1] * v[1]) + 9.0 * l * cos(q[0]) + 0.1 * v[0] * v[1];
  }
  int gaps() const { return arm == Arm::swing ? 1 : 2; }
  bool moving_gap(int) const { return arm == Arm::swing; }
  template <class T>
  T gap(int i, Point<T> q, const T& t) const {
    using std::sin;
    if (arm != Arm::swing) return T(theta[1]) + (i == 0 ? -1.0 : 1.0) * (sin(q[0]) + sin(q[1]));
    return 0.9 - q[0] + 0.05 * sin(2.0 * t);
  }
  template <class T>
  T restitution(int, Point<T>, Point<T>, const T&) const {
    return T(theta[2]);
  }
};

}  // namespace ricochet::test
