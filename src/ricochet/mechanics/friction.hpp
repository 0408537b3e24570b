// Where friction acts: the slip coordinates of a gap and its coefficient, as optional members of a system.
#pragma once

#include <concepts>
#include <cstdio>
#include <string>

#include "ricochet/mechanics/mechanics.hpp"

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

/// Beyond this μ a normal and a slip that do not couple do so by rounding: μ times the rounding of W_NT is no longer
/// small against W_NN, and what closes or opens the gap is noise.
inline constexpr double largest_friction = 1e6;

/// Why μ cannot be used; empty if it can.
inline std::string refuse_friction(double mu) {
  if (mu >= 0 && mu <= largest_friction) return {};
  char text[200];
  std::snprintf(text, sizeof text,
                "friction must lie between 0 and %.0e, not %.6g; a contact that never slips is a constraint",
                largest_friction, mu);
  return text;
}

/// The covector ∇ψ of a slip coordinate; returns ∂_tψ, the speed of what it slips on (a belt), with opposite sign.
template <class Mechanics>
typename Mechanics::Real tangent_gradient(const Mechanics& mechanics, int i, int a, const typename Mechanics::Vec& q,
                                          typename Mechanics::Real t, typename Mechanics::Vec& g) {
  using Real = typename Mechanics::Real;
  using S = std::decay_t<decltype(mechanics.system())>;
  g.setZero(mechanics.dimension());
  if constexpr (HasTangents<S>) {
    const S& s = mechanics.system();
    if constexpr (requires { s.tangent_gradient(i, a, Mechanics::point(q), t, Mechanics::span(g)); })
      s.tangent_gradient(i, a, Mechanics::point(q), t, Mechanics::span(g));
    else
      numerics::gradient<Mechanics::N, Real>([&]<class T>(Point<T> x) { return mechanics::tangent(s, i, a, x, T(t)); },
                                             Mechanics::point(q), Mechanics::span(g));
    if constexpr (TimedTangent<S>) {
      using J = numerics::Jet<Real, 1>;
      numerics::Scratch<J, Mechanics::N> scratch(mechanics.dimension());
      const auto X = scratch.span();
      for (int k = 0; k < mechanics.dimension(); ++k) X[static_cast<std::size_t>(k)] = J(q[k]);
      return s.tangent(i, a, Point<J>(X), J::variable(t, 0)).d[0];
    }
  }
  return Real(0);
}

}  // namespace ricochet::mechanics
