// What parameters add to the cost of a tangent: the systems of cost.hpp with some of their numbers as parameters.
#pragma once

#include <array>

#include "cost.hpp"

namespace {

/// The first k of the given values are parameters, in the scalar they are differentiated in.
template <class T, std::size_t K>
std::array<T, K> some_of(const std::array<double, K>& values, Point<T> theta) {
  std::array<T, K> all;
  for (std::size_t j = 0; j < K; ++j) all[j] = j < theta.size() ? theta[j] : T(values[j]);
  return all;
}

template <class P>
struct TableOf {
  static constexpr int dimension = 2;
  static constexpr std::array<double, 4> values{1.7, 0.6, 1, 1};
  std::array<P, 4> theta;  ///< stiffness, coupling, a mass, size

  Eigen::Matrix<P, 2, 1> mass() const { return {P(1), theta[2]}; }
  template <class T>
  T potential(Point<T> q) const {
    const T x2 = q[0] * q[0], y2 = q[1] * q[1];
    return 0.5 * (x2 + T(theta[0]) * y2) + 0.25 * x2 * x2 + T(theta[1]) * x2 * y2;
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    const T x2 = q[0] * q[0], y2 = q[1] * q[1], r2 = x2 + y2;
    return T(theta[3]) - r2 * r2 - 0.6 * q[0] * x2 + 1.8 * q[0] * y2;
  }
};

template <class P>
struct StarOf {
  static constexpr int dimension = 3;
  static constexpr std::array<double, 3> values{9.81, 0.1, 29.0 / 192.0};
  std::array<P, 3> theta;  ///< gravity, its change, the moment of inertia

  Eigen::Matrix<P, 3, 1> mass() const { return {P(1), P(1), theta[2]}; }
  template <class T>
  T potential(Point<T> q) const {
    return T(theta[0]) * q[1] + T(theta[1]) * q[1] * q[1] * q[1];
  }
  int gaps() const { return 4; }
  template <class T>
  T gap(int i, Point<T> q) const {
    using std::cos;
    using std::sin;
    const double a = (i & 1) != 0 ? -0.5 : 0.5, b = (i & 2) != 0 ? -0.5 : 0.5;
    return q[1] - a * sin(q[2]) - b * cos(q[2]);
  }
};

/// Two bobs of mass 1 on rods; the upper rod, gravity and the place of the walls vary.
template <class P>
struct PendulumOf {
  static constexpr int dimension = 2;
  static constexpr std::array<double, 3> values{1, 1, 0.6};
  std::array<P, 3> theta;

  template <class T>
  T lagrangian(Point<T> q, Point<T> v) const {
    using std::cos;
    const T l(theta[0]), g(theta[1]);
    return l * l * v[0] * v[0] + 0.5 * v[1] * v[1] + l * v[0] * v[1] * cos(q[0] - q[1]) +
           g * (2.0 * l * cos(q[0]) + cos(q[1]));
  }
  int gaps() const { return 2; }
  template <class T>
  T gap(int i, Point<T> q) const {
    using std::sin;
    return T(theta[2]) + (i == 0 ? -1.0 : 1.0) * (T(theta[0]) * sin(q[0]) + sin(q[1]));
  }
};

/// With one parameter, and with all that the system has.
template <template <class> class System, class Closure>
bool vary(const std::string& name, const discrete::Rule<double>& rule, std::vector<double> q, std::vector<double> v,
          double h) {
  constexpr auto values = System<double>::values;
  const auto add = [=](std::size_t count) {
    return announce(
        name + "/" + std::to_string(count) + (count == 1 ? "_parameter" : "_parameters"),
        [=](benchmark::State& state, double step) {
          const tangent::Family family(
              []<class T>(Point<T> theta) { return System<T>{some_of<T>(System<T>::values, theta)}; },
              std::vector<double>(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)));
          using Body = bodies::Generalized<System<double>>;
          const Body body(family.system(), rule);
          using Vec = typename Body::Vec;
          cost<Closure>(state, body, body.node(Vec(q.data()), Vec(v.data())), step, family);
        },
        h);
  };
  return add(1) && add(values.size());
}

}  // namespace
