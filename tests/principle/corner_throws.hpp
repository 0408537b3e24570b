// A particle thrown into a corner: starts on and near two walls.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/closure/any.hpp"
#include "ricochet/principle/strong.hpp"

namespace ricochet::test {

using closure::AnyClosure;
using discrete::Rule;

/// A particle in the corner x, y ≥ 0 under a quadratic potential; its walls in any order, and as many as are listed.
struct Corner {
  static constexpr int dimension = 2;
  std::array<double, 5> V;  // x, y, x², y², xy
  std::vector<int> walls;   // 0: x ≥ 0, 1: y ≥ 0, 2: x ≤ 9
  Eigen::Vector2d mass() const { return {1, 2}; }
  template <class T>
  T potential(Point<T> q) const {
    return V[0] * q[0] + V[1] * q[1] + V[2] * q[0] * q[0] + V[3] * q[1] * q[1] + V[4] * q[0] * q[1];
  }
  int gaps() const { return static_cast<int>(walls.size()); }
  template <class T>
  T gap(int i, Point<T> q) const {
    const int wall = walls[static_cast<std::size_t>(i)];
    return wall == 2 ? T(9.0 - q[0]) : T(q[wall]);
  }
};
using CornerBody = bodies::Generalized<Corner>;

struct Throw {
  std::array<double, 5> V;
  Eigen::Vector2d q, v;
  double h, e;
  Rule<double> rule;
  std::string closure;
};

struct Outcome {
  Eigen::Vector2d q, p;
  long long impacts = 0;
};

inline Outcome fly(const Throw& one, const std::vector<int>& walls, int steps) {
  const CornerBody body({one.V, walls}, one.rule);
  principle::ImpactLaws<CornerBody> laws;
  if (one.e < 1) {
    laws.law = mechanics::Law<double>::newton();
    laws.restitution = [e = one.e](int, const CornerBody::Node&) { return e; };
  }
  principle::Strong<CornerBody, AnyClosure> run(body, body.node(one.q, one.v),
                                                closure::named_closure(one.closure, body), laws);
  run.run(one.h, steps);
  return {run.node().q, run.node().p, run.impacts()};
}

}  // namespace ricochet::test
