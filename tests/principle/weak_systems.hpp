// Systems for the tests of the weak principle.
#pragma once

#include <Eigen/Core>
#include <cmath>

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/principle/weak.hpp"
#include "support/systems.hpp"

namespace ricochet::test {

template <class Body>
principle::ImpactLaws<Body> restitution(double e) {
  principle::ImpactLaws<Body> laws;
  laws.restitution = [e](int, const typename Body::Node&) { return typename Body::Real(e); };
  return laws;
}
template <class Body>
principle::ImpactLaws<Body> newton(double e) {
  auto laws = restitution<Body>(e);
  laws.law = mechanics::Law<double>::newton();
  return laws;
}
template <class System>
using BodyOf = bodies::Generalized<System>;

/// A ball of mass 1 over a floor under the constant force g.
struct Ball {
  static constexpr int dimension = 1;
  double g = 9.81;
  Eigen::Matrix<double, 1, 1> mass() const { return Eigen::Matrix<double, 1, 1>(1.0); }
  template <class T>
  T potential(Point<T> q) const {
    return g * q[0];
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    return q[0];
  }
};
using V1 = bodies::Generalized<Ball>::Vec;

/// The same with its weight as a force.
struct ForcedBall {
  static constexpr int dimension = 1;
  Eigen::Matrix<double, 1, 1> mass() const { return Eigen::Matrix<double, 1, 1>(1.0); }
  template <class T>
  T potential(Point<T>) const {
    return T(0);
  }
  template <class T>
  void force(Point<T>, Point<T>, const T&, std::span<T> f) const {
    f[0] += T(-9.81);
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    return q[0];
  }
};

/// The same as a Lagrangian.
struct LagrangianBall {
  static constexpr int dimension = 1;
  template <class T>
  T lagrangian(Point<T> q, Point<T> v) const {
    return T(0.5) * v[0] * v[0] - T(9.81) * q[0];
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    return q[0];
  }
};

struct Pendulum {
  static constexpr int dimension = 1;
  template <class T>
  T lagrangian(Point<T> q, Point<T> v) const {
    using std::cos;
    return T(0.5) * v[0] * v[0] + cos(q[0]);
  }
};

/// A pendulum of length 1 as a particle with a constraint.
struct Circle {
  static constexpr int dimension = 2;
  Eigen::Vector2d mass() const { return {1, 1}; }
  template <class T>
  T potential(Point<T> q) const {
    return q[1];
  }
  int constraints() const { return 1; }
  template <class T>
  T constraint(int, Point<T> q) const {
    return T(0.5) * (q[0] * q[0] + q[1] * q[1] - T(1));
  }
};

/// Three balls of diameter 1 on a line.
struct ThreeBalls {
  static constexpr int dimension = 3;
  Eigen::Vector3d mass() const { return {1, 1, 1}; }
  template <class T>
  T potential(Point<T>) const {
    return T(0);
  }
  int gaps() const { return 2; }
  template <class T>
  T gap(int i, Point<T> q) const {
    const auto k = static_cast<std::size_t>(i);
    return q[k + 1] - q[k] - T(1);
  }
};

/// A block on an incline: x down the slope, y off it.
struct Incline {
  static constexpr int dimension = 2;
  double angle, mu;
  Eigen::Vector2d mass() const { return {1, 1}; }
  template <class T>
  T potential(Point<T> q) const {
    return T(9.81) * (T(std::cos(angle)) * q[1] - T(std::sin(angle)) * q[0]);
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    return q[1];
  }
  int tangents(int) const { return 1; }
  template <class T>
  T tangent(int, int, Point<T> q) const {
    return q[0];
  }
  double friction(int) const { return mu; }
};

/// A disc of mass and radius 1 over a floor; x − θ is its slip.
struct Disc {
  static constexpr int dimension = 3;
  double mu;
  double J = 0.5;
  Eigen::Vector3d mass() const { return {1, 1, J}; }
  template <class T>
  T potential(Point<T> q) const {
    return T(9.81) * q[1];
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    return q[1] - T(1);
  }
  int tangents(int) const { return 1; }
  template <class T>
  T tangent(int, int, Point<T> q) const {
    return q[0] - q[2];
  }
  double friction(int) const { return mu; }
};

/// A uniform rod of length 2 and mass 1, θ from the vertical; its foot on the floor.
struct Rod {
  static constexpr int dimension = 3;
  double mu = 0, g = 9.81;
  Eigen::Vector3d mass() const { return {1, 1, 1.0 / 3}; }
  template <class T>
  T potential(Point<T> q) const {
    return T(g) * q[1];
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    using std::cos;
    return q[1] - cos(q[2]);
  }
  int tangents(int) const { return 1; }
  template <class T>
  T tangent(int, int, Point<T> q) const {
    using std::sin;
    return q[0] - sin(q[2]);
  }
  double friction(int) const { return mu; }
};

}  // namespace ricochet::test
