// Where friction acts: the slip coordinates of a gap and its coefficient, as optional members of a system.
#pragma once

#include <string>

#include "ricochet/mechanics/slip_row.hpp"
#include "ricochet/mechanics/system.hpp"

namespace ricochet::mechanics {

// A system with friction has, beside its gaps,
//
//   int tangents(int i) const;                     // of gap i: 0 smooth, 1 planar, 2 spatial
//   template <class T> T tangent(int i, int a, Point<T> q[, T t]) const;   // its rate is the slip velocity
//   double friction(int i) const;                  // Coulomb's μ ≥ 0
//
// The two slip velocities of a spatial contact are measured in orthonormal directions: their norm is the speed of slip.
// A system may offer `Real tangent_gradient(int i, int a, Point<Real> q, Real t, std::span<Real> g) const`.

template <class S>
concept TimedTangent = requires(const S& s, detail::P q, detail::D t) { s.tangent(0, 0, q, t); };
template <class S>
concept HasTangents = TimedTangent<S> || requires(const S& s, detail::P q) { s.tangent(0, 0, q); };

template <class S>
int tangent_count(const S& s, int i) {
  if constexpr (HasTangents<S>)
    return s.tangents(i);
  else
    return 0;
}
template <class S>
double friction(const S& s, int i) {
  if constexpr (HasTangents<S>)
    return s.friction(i);
  else
    return 0;
}
template <class T, class S>
T tangent(const S& s, int i, int a, Point<T> q, const T& t) {
  if constexpr (TimedTangent<S>)
    return s.tangent(i, a, q, t);
  else if constexpr (HasTangents<S>)
    return s.tangent(i, a, q);
  else
    return T(0);
}

/// Whether any gap has friction.
template <class S>
bool has_friction(const S& s) {
  for (int i = 0; i < gap_count(s); ++i)
    if (friction(s, i) > 0 && tangent_count(s, i) > 0) return true;
  return false;
}
/// φ_i, constraint gap_count + j, or the slip coordinate of a negative row.
template <class T, class S>
T row(const S& s, int i, Point<T> q, const T& t) {
  if constexpr (HasTangents<S>)
    if (i < 0) return mechanics::tangent<T>(s, gap_of_slip(i), axis_of_slip(i), q, t);
  return mechanics::gap<T>(s, i, q, t);
}
template <class S>
bool moving_row(const S& s, int i) {
  if constexpr (requires { s.moving_tangent(0, 0); })
    if (i < 0) return s.moving_tangent(gap_of_slip(i), axis_of_slip(i));
  return i < 0 ? TimedTangent<S> : moving_gap(s, i);
}

}  // namespace ricochet::mechanics
