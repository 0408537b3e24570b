// What friction asks of a system beside its gaps: which μ have a meaning, and the covectors of slip coordinates.
#pragma once

#include <concepts>
#include <cstdio>
#include <string>

#include "ricochet/mechanics/mechanics.hpp"

namespace ricochet::mechanics {

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
