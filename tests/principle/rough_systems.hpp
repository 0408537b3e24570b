// Systems with friction for the tests of the strong principle.
#pragma once

#include "principle/weak_systems.hpp"
#include "ricochet/principle/strong.hpp"

namespace ricochet::test {

inline constexpr double g = 9.81;

template <class System>
using RoughBody = bodies::Generalized<System>;
template <class System>
using RoughRun = principle::Strong<RoughBody<System>>;

template <class System>
principle::ImpactLaws<RoughBody<System>> rough_law(const char* name, double e) {
  auto laws = restitution<RoughBody<System>>(e);
  laws.law = *mechanics::Law<double>::named(name);
  return laws;
}

/// A particle inside a circle of radius 1, slip along the arc.
struct Bowl {
  static constexpr int dimension = 2;
  double mu;
  Eigen::Vector2d mass() const { return {1, 1}; }
  template <class T>
  T potential(Point<T> q) const {
    return T(g) * q[1];
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    return T(0.5) * (T(1) - q[0] * q[0] - q[1] * q[1]);
  }
  int tangents(int) const { return 1; }
  template <class T>
  T tangent(int, int, Point<T> q) const {
    using std::atan;
    return atan(-q[0] / q[1]);
  }
  double friction(int) const { return mu; }
};

/// A block on a belt that moves to the right.
struct Belt {
  static constexpr int dimension = 2;
  double mu, speed;
  Eigen::Vector2d mass() const { return {1, 1}; }
  template <class T>
  T potential(Point<T> q) const {
    return T(g) * q[1];
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    return q[1];
  }
  int tangents(int) const { return 1; }
  template <class T>
  T tangent(int, int, Point<T> q, const T& t) const {
    return q[0] - T(speed) * t;
  }
  double friction(int) const { return mu; }
};

/// A particle over an incline in space: x down it, y across, z off it.
struct Slope {
  static constexpr int dimension = 3;
  double angle, mu;
  Eigen::Vector3d mass() const { return {1, 1, 1}; }
  template <class T>
  T potential(Point<T> q) const {
    return T(g) * (T(std::cos(angle)) * q[2] - T(std::sin(angle)) * q[0]);
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    return q[2];
  }
  int tangents(int) const { return 2; }
  template <class T>
  T tangent(int, int a, Point<T> q) const {
    return q[static_cast<std::size_t>(a)];
  }
  double friction(int) const { return mu; }
};

/// Two particles over one floor in space.
struct TwoParticles {
  static constexpr int dimension = 6;
  Eigen::Matrix<double, 6, 1> mass() const { return Eigen::Matrix<double, 6, 1>::Ones(); }
  template <class T>
  T potential(Point<T> q) const {
    return T(g) * (q[2] + q[5]);
  }
  int gaps() const { return 2; }
  template <class T>
  T gap(int i, Point<T> q) const {
    return q[static_cast<std::size_t>(3 * i + 2)];
  }
  int tangents(int) const { return 2; }
  template <class T>
  T tangent(int i, int a, Point<T> q) const {
    return q[static_cast<std::size_t>(3 * i + a)];
  }
  double friction(int) const { return 0.5; }
};

/// A box 1 wide and 0.6 high on an incline, on its two lower corners.
struct Box {
  static constexpr int dimension = 3;
  double angle, mu;
  Eigen::Vector3d mass() const { return {1, 1, 0.1}; }
  template <class T>
  T potential(Point<T> q) const {
    return T(g) * (T(std::cos(angle)) * q[1] - T(std::sin(angle)) * q[0]);
  }
  int gaps() const { return 2; }
  template <class T>
  T gap(int i, Point<T> q) const {
    using std::cos, std::sin;
    return q[1] + T(i == 0 ? -0.5 : 0.5) * sin(q[2]) - T(0.3) * cos(q[2]);
  }
  int tangents(int) const { return 1; }
  template <class T>
  T tangent(int i, int, Point<T> q) const {
    using std::cos, std::sin;
    return q[0] + T(i == 0 ? -0.5 : 0.5) * cos(q[2]) + T(0.3) * sin(q[2]);
  }
  double friction(int) const { return mu; }
};

/// Two blocks of mass 1 and 3 on a rough floor, (x1, y1, x2, y2), joined by a rod of length 1; a smooth wall for the
/// second.
struct Train {
  static constexpr int dimension = 4;
  double mu1, mu2, wall;
  Eigen::Vector4d mass() const { return {1, 1, 3, 3}; }
  template <class T>
  T potential(Point<T> q) const {
    return T(g) * (q[1] + T(3) * q[3]);
  }
  int gaps() const { return 3; }
  template <class T>
  T gap(int i, Point<T> q) const {
    return i == 0 ? q[1] + T(0) : i == 1 ? q[3] + T(0) : T(1 + wall) - q[2];
  }
  int constraints() const { return 1; }
  template <class T>
  T constraint(int, Point<T> q) const {
    return q[2] - q[0] - T(1);
  }
  int tangents(int i) const { return i < 2 ? 1 : 0; }
  template <class T>
  T tangent(int i, int, Point<T> q) const {
    return q[static_cast<std::size_t>(2 * i)] + T(0);
  }
  double friction(int i) const { return i == 0 ? mu1 : i == 1 ? mu2 : 0; }
};

}  // namespace ricochet::test
