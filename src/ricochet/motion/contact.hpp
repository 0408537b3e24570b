// What the impact loop knows of one gap: a bound along a flight, and its state at a node.
#pragma once

#include <cmath>
#include <vector>

#include "ricochet/mechanics/slip_row.hpp"
#include "ricochet/numerics/ball.hpp"

namespace ricochet::motion {

/// Numbers of gaps; callers keep one from flight to flight, so that it stops allocating.
using GapList = std::vector<int>;
using mechanics::slip_row;

/// φ, φ' and φ'' over a piece of a flight.
template <class Real>
struct Bound {
  numerics::Ball<Real> value, slope, curvature;
};

/// φ_i, its rate and free acceleration at a node, and what counts as closed and as resting there (design: the active
/// set). Rates include ∂_tφ; `wall_rate` is that part alone.
template <class Real>
struct Contact {
  int gap = -1;
  Real value{}, rate{}, acceleration{}, wall_rate{};
  Real tolerance{}, rate_tolerance{};
  Real value_scale{};         ///< size of the terms φ is a sum of: its rounding is ε times that
  Real acceleration_scale{};  ///< the same for φ̈

  bool closed() const { return std::abs(value) <= tolerance; }
  bool approaching() const { return rate < -(rate_tolerance + no_energy); }
  bool resting() const { return std::abs(rate) <= rate_tolerance + no_energy; }

  /// Speeds whose square vanishes beside any other number have no energy an impact could be judged by.
  static constexpr Real no_energy = Real(1e-146);
};

}  // namespace ricochet::motion
