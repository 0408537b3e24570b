// ∇²V at a point as a matrix, in the cheapest way the system offers.
#pragma once

#include <array>

#include "ricochet/mechanics/mechanics.hpp"

namespace ricochet::tangent {

/// H = ∇²V(q). A system may know it; one with its own gradient in any scalar (the reverse sweep of a tape) gives two
/// columns per gradient in jets two wide; others are evaluated in nested jets.
template <class Mechanics>
void potential_hessian(const Mechanics& mechanics, const typename Mechanics::Vec& q, typename Mechanics::Real t,
                       typename Mechanics::Vec& g, typename Mechanics::Mat& H) {
  using Real = typename Mechanics::Real;
  constexpr int N = Mechanics::N;
  const auto& system = mechanics.system();
  const int n = mechanics.dimension();
  g.resize(n);
  H.resize(n, n);
  constexpr int C = 2;
  using J = numerics::Jet<Real, C>;
  if constexpr (requires { system.potential_hessian(Mechanics::point(q), t, Mechanics::span(g), H); }) {
    system.potential_hessian(Mechanics::point(q), t, Mechanics::span(g), H);
  } else if constexpr (requires(Point<J> x, std::span<J> out) {
                         { system.potential_gradient(x, J(t), out) } -> std::convertible_to<J>;
                       }) {
    numerics::Scratch<std::array<J, 2>, N> scratch(n);
    J* x = scratch.span().front().data();
    const std::span<J> out(x + n, static_cast<std::size_t>(n));
    for (int c = 0; c < n; c += C) {
      const int width = std::min(C, n - c);
      for (int i = 0; i < n; ++i) x[i] = i >= c && i < c + width ? J::variable(q[i], i - c) : J(q[i]);
      system.potential_gradient(Point<J>(x, static_cast<std::size_t>(n)), J(t), out);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < width; ++j) H(i, c + j) = out[static_cast<std::size_t>(i)].d[static_cast<std::size_t>(j)];
    }
    // The two sweeps that give H_ij and H_ji round differently; the tangent of a symplectic step needs one number.
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j) H(i, j) = H(j, i);
  } else {
    numerics::hessian<N, Real>([&]<class T>(Point<T> x) { return mechanics::potential(system, x, T(t)); },
                               Mechanics::point(q), Mechanics::span(g), H);
  }
}

}  // namespace ricochet::tangent
