// The curve of a flight in coordinates, enclosed by polynomials.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "ricochet/numerics/ball.hpp"
#include "ricochet/numerics/taylor.hpp"

namespace ricochet::bodies {

/// s ↦ q(s) = c0 + c1 s + c2 s² + c3 s³ ± radius on [0, length].
template <class Real, class Vec>
struct CurveTrace {
  using Ball = numerics::Ball<Real>;

  Real t{}, length{};
  Vec c0, c1, c2, c3, radius;
  bool exact = false;       ///< explicit rules: no remainder, no c3
  bool cubic = false;       ///< otherwise: c3 counts
  bool refined = false;     ///< otherwise: sampled (refine) rather than only bounded
  std::vector<Real> least;  ///< lower bounds of the gaps along it, where its body has looked for candidates

  /// Coordinate k over [m − r, m + r].
  Ball position(int k, Real m, Real r) const {
    if (exact || !cubic) {
      Ball x{c0[k] + m * (c1[k] + m * c2[k]), r * (std::abs(c1[k] + 2 * m * c2[k]) + r * std::abs(c2[k]))};
      if (!exact) x.rad += radius[k];
      return x;
    }
    return {c0[k] + m * (c1[k] + m * (c2[k] + m * c3[k])),
            r * (std::abs(c1[k] + m * (2 * c2[k] + 3 * m * c3[k])) +
                 r * (std::abs(c2[k] + 3 * m * c3[k]) + r * std::abs(c3[k]))) +
                radius[k]};
  }
  /// Coordinate k over [m − r, m + r] as a Taylor polynomial: value, slope and half the second derivative.
  numerics::Taylor<Ball, 2> coordinate(int k, Real m, Real r) const {
    numerics::Taylor<Ball, 2> x;
    x[0] = position(k, m, r);
    Real slope = c1[k] + 2 * m * c2[k], bend = c2[k], slope_radius = 0, bend_radius = 0;
    if (!exact) {
      const Real third = cubic ? c3[k] : Real(0), relative = length > 0 ? radius[k] / length : Real(0);
      slope += 3 * m * m * third;
      bend += 3 * m * third;
      // A remainder of the shape of the interpolation error has derivatives of these sizes.
      slope_radius = 3 * std::abs(third) * r * r + 16 * relative;
      bend_radius = 3 * std::abs(third) * r + (length > 0 ? 64 * relative / length : Real(0));
    }
    x[1] = Ball(slope, 2 * std::abs(bend) * r + slope_radius);
    x[2] = Ball(bend, bend_radius);
    return x;
  }
  /// The middle of the enclosure.
  void middle(Real s, Vec& q) const {
    q = c0 + s * (c1 + s * c2);
    if (cubic) q += (s * s * s) * c3;
  }

  /// A first bound of a curve of which only the start, its velocity (in c1) and the end are known: the parabola through
  /// them, within twice its own bulge (a curve that bends more than that is not resolved by its step).
  void bound(const Vec& end) {
    cubic = false;
    radius = (end - c0 - length * c1).cwiseAbs();
    if (length > 0)
      c2 = (end - c0 - length * c1) / (length * length);
    else
      c2.setZero(c0.size());
  }
  /// A sharper enclosure of the curve given by `point(s)`: the cubic through four samples, with a remainder measured at
  /// two more, where the interpolation error of a smooth curve peaks, and quadrupled.
  template <class PointAt>
  void refine(const Vec& end, PointAt&& point) {
    const Real L = length;
    refined = true;
    if (!(L > 0)) return;
    cubic = true;
    // Newton form on 0, L/3, 2L/3, L in σ = s/L, working with increments from c0.
    const Vec y1 = point(L / 3) - c0;
    const Vec y2 = point(2 * L / 3) - c0;
    const Vec y3 = end - c0;
    const Vec a1 = 3 * y1, a2 = Real(4.5) * (y2 - 2 * y1), a3 = Real(4.5) * (y3 - 3 * y2 + 3 * y1);
    // a1σ + a2σ(σ−1/3) + a3σ(σ−1/3)(σ−2/3)
    c1 = (a1 - a2 / 3 + a3 * (Real(2) / 9)) / L;
    c2 = (a2 - a3) / (L * L);
    c3 = a3 / (L * L * L);
    radius = (8 * std::numeric_limits<Real>::epsilon()) * c0.cwiseAbs();
    for (const Real f : {Real(1) / 6, Real(5) / 6}) {
      const Real s = f * L;
      const Vec error = (point(s) - c0 - s * (c1 + s * (c2 + s * c3))).cwiseAbs();
      radius = radius.cwiseMax(4 * error);
    }
  }
};

}  // namespace ricochet::bodies
