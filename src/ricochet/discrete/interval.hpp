// The length of a flight, and what is known of energy over it.
#pragma once

namespace ricochet::discrete {

/// Length of one flight, and the run's step (shadow closures need both).
template <class Real>
struct Step {
  Real s, h;
};

/// What an interval knows of energy. With forces or explicit time dependence the energy handed over at its two ends
/// differs from its mean (errata F13): start = D_{t0} L_d, end = −D_{t1} L_d; both equal E_d = −D3 L_d otherwise.
template <class Real>
struct Interval {
  Real energy = 0;
  Real start = 0, end = 0;
  Real supplied = 0;    ///< work of forces plus ∫ −∂L/∂t over the interval
  Real wall_work = 0;   ///< done by moving gaps that are held along it
  Real dissipated = 0;  ///< by friction in gaps that slide along it
  /// start − H(first node) and end − H(last node), O(h²), where they are known without cancellation: the balance of an
  /// impact then loses no digits to the energy itself.
  bool has_excess = false;
  Real excess_start = 0, excess_end = 0;
  Real excess_scale = 0;  ///< size of the terms they are sums of: what rounds them is ε times that
};

}  // namespace ricochet::discrete
