// What the impact loop knows of one gap: a bound along a flight, and its state at a node.
#pragma once

#include <algorithm>
#include <limits>
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

/// φ_i, its rate and its free acceleration at a node, each with the size of the terms it is a sum of: what rounds it is
/// ε times that. Rates include ∂_tφ; `wall_rate` is that part alone. What counts as closed or as resting follows from
/// these magnitudes (contact/tolerance.hpp); a body decides nothing of it.
template <class Real>
struct Contact {
  int gap = -1;
  Real value{}, rate{}, acceleration{}, wall_rate{};
  Real value_scale{}, rate_scale{}, acceleration_scale{};
  Real step{};  ///< length of the steps that are made
};

/// Of gap i that stands alone its value; of a branch the largest value of its union, and the least of these where it is
/// in several: what must not become negative.
template <class Real, class Branches, class Value>
Real of_unions(int i, int unions, Branches&& branches, Value&& value) {
  Real least{};
  bool alone = true;
  for (int u = 0; u < unions; ++u) {
    const auto list = branches(u);
    if (std::find(list.begin(), list.end(), i) == list.end()) continue;
    Real largest = value(i);
    for (const int k : list) largest = std::max(largest, value(k));
    least = alone ? largest : std::min(least, largest);
    alone = false;
  }
  return alone ? value(i) : least;
}

/// For bodies that leave gaps unlooked at: one that is larger than this neither counts as closed nor comes to do so as
/// long as it stays larger and the motion keeps its energy. `speed` is a bound of |φ̇| at that energy. Far coarser than
/// what counts as closed, a billionth of a step's way.
template <class Real>
Real far_from_closed(const Contact<Real>& contact, Real speed) {
  constexpr Real of_a_step = Real(1e-6), roundings = 64000;
  return of_a_step * contact.step * (speed + contact.step * contact.acceleration_scale) +
         roundings * std::numeric_limits<Real>::epsilon() * contact.value_scale;
}

}  // namespace ricochet::motion
