// Planes and spheres: the gap of one node to one of them, at a point and along its curve.
#pragma once

#include "ricochet/bodies/beams/passes.hpp"
#include "ricochet/bodies/beams/spec.hpp"
#include "ricochet/motion/contact.hpp"
#include "ricochet/numerics/taylor.hpp"

namespace ricochet::bodies::beams {

template <class R>
struct Obstacle {
  std::string name;
  bool sphere = false;
  Triple<R> at{};      ///< a point of the plane, or the centre
  Triple<R> normal{};  ///< of a plane
  R radius = 0;

  R gap(const Triple<R>& x) const {
    const Triple<R> d = x - at;
    return sphere ? std::sqrt(dot(d, d)) - radius : dot(normal, d);
  }
  Triple<R> normal_at(const Triple<R>& x) const {
    if (!sphere) return normal;
    const Triple<R> d = x - at;
    return (1 / std::sqrt(dot(d, d))) * d;
  }
  /// n·a + what the curvature of a sphere adds to φ̈.
  R acceleration(const Triple<R>& x, const Triple<R>& v, const Triple<R>& a) const {
    const Triple<R> n = normal_at(x);
    if (!sphere) return dot(n, a);
    const R along = dot(n, v);
    return dot(n, a) + (dot(v, v) - along * along) / (gap(x) + radius);
  }
  /// Size of the terms φ is a sum of.
  R scale(const Triple<R>& x) const {
    if (sphere) return radius + size_of(x) + size_of(at);
    R sum = 0;
    for (const auto& y : {x, at})
      sum += magnitude(normal.x * y.x) + magnitude(normal.y * y.y) + magnitude(normal.z * y.z);
    return sum;
  }
};

/// The curve of one node: c0 + c1 s + c2 s² + c3 s³, each coordinate within `radius` of it.
template <class R>
struct Curve {
  Triple<R> c0, c1, c2, c3, radius;
  R length;
  bool exact;

  Triple<R> operator()(R s) const { return c0 + s * (c1 + s * (c2 + s * c3)); }
};

/// A lower bound of φ over the parabola x + s(v + s c), s ≤ length: cheap enough for every node of every step.
template <class T, class R>
RICOCHET_INLINE T least_gap(const Obstacle<R>& o, const Triple<T>& x, const Triple<T>& v, const Triple<T>& c,
                            R length) {
  constexpr R rounding = 16 * std::numeric_limits<R>::epsilon();
  if (o.sphere) {  // of the sign of φ only
    const Triple<T> d{x.x - o.at.x, x.y - o.at.y, x.z - o.at.z};
    const T reach = length * (size_of(v) + length * size_of(c)) + rounding * size_of(x) +
                    (T{} + (o.radius + rounding * size_of(o.at)));
    return dot(d, d) - (1 + rounding) * reach * reach;
  }
  const R offset = dot(o.normal, o.at);
  const T falls = along(length * o.normal, v), bends = along((length * length) * o.normal, c);
  const T least = along(o.normal, x) + (smaller(falls, T{}) + smaller(bends, T{}));
  return (least - (T{} + (offset + rounding * magnitude(offset)))) - rounding * size_of(x);
}

/// Collects the gaps that may close along the flights of nodes, by cheap bounds alone.
template <class R>
struct Watch {
  const std::vector<Obstacle<R>>& obstacles;
  Index nodes;
  R length;
  std::vector<int>& suspects;

  template <class T>
  RICOCHET_INLINE void operator()(Index a, const Triple<T>& x, const Triple<T>& v, const Triple<T>& c) const {
    for (std::size_t o = 0; o < obstacles.size(); ++o)
      if (!all(least_gap(obstacles[o], x, v, c, length) > R(0))) suspect(o, a, lanes<T, R>);
  }
  /// A node that nobody saw fly.
  void unseen(Index a) const {
    for (std::size_t o = 0; o < obstacles.size(); ++o) suspect(o, a, 1);
  }
  [[gnu::noinline]] void suspect(std::size_t obstacle, Index a, Index count) const {
    for (Index k = 0; k < count; ++k)
      suspects.push_back(static_cast<int>(static_cast<Index>(obstacle) * nodes + a + k));
  }
};

/// φ, φ', φ'' over [a, b] of a curve.
template <class R>
motion::Bound<R> gap_bound(const Obstacle<R>& o, const Curve<R>& c, R a, R b) {
  const R m = (a + b) / 2, r = (b - a) / 2;
  // A remainder of the shape of the interpolation error has derivatives of these sizes (as for any sampled curve).
  const R per_length = c.exact || !(c.length > 0) ? R(0) : 1 / c.length;
  using Ball = numerics::Ball<R>;
  auto over = [&](R p0, R p1, R p2, R p3, R remainder) {
    const R slope = p1 + m * (2 * p2 + 3 * m * p3), bend = p2 + 3 * m * p3;
    const R radius = c.exact ? R(0) : remainder;
    return std::array<Ball, 3>{Ball{p0 + m * (p1 + m * (p2 + m * p3)),
                                    r * (std::abs(slope) + r * (std::abs(bend) + r * std::abs(p3))) + radius},
                               Ball{slope, r * (2 * std::abs(bend) + 3 * r * std::abs(p3)) + 16 * radius * per_length},
                               Ball{bend, 3 * std::abs(p3) * r + 64 * radius * per_length * per_length}};
  };
  if (!o.sphere) {
    const auto& n = o.normal;
    const R remainder = magnitude(n.x) * c.radius.x + magnitude(n.y) * c.radius.y + magnitude(n.z) * c.radius.z;
    const auto y = over(dot(n, c.c0 - o.at), dot(n, c.c1), dot(n, c.c2), dot(n, c.c3), remainder);
    return {y[0], y[1], Ball{2 * y[2].mid, 2 * y[2].rad}};
  }
  using T = numerics::Taylor<Ball, 2>;
  auto coordinate = [&](R Triple<R>::*k) {
    const auto y = over(c.c0.*k - o.at.*k, c.c1.*k, c.c2.*k, c.c3.*k, c.radius.*k);
    T x;
    for (int j = 0; j < 3; ++j) x[j] = y[static_cast<std::size_t>(j)];
    return x;
  };
  const T x = coordinate(&Triple<R>::x), y = coordinate(&Triple<R>::y), z = coordinate(&Triple<R>::z);
  const T phi = sqrt(x * x + y * y + z * z) - T(o.radius);
  return {phi[0], phi[1], phi[2] * Ball(R(2))};
}

}  // namespace ricochet::bodies::beams
