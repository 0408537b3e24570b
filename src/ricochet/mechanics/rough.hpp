// A system with friction whose slip coordinates can be asked what gaps can be asked: value, rate, covector.
#pragma once

#include <string>
#include <utility>

#include "ricochet/mechanics/friction.hpp"

namespace ricochet::mechanics {

/// S with its slip coordinates as rows of negative number beside the gaps: slip coordinate a of gap i is row
/// slip_row(i, a). Loops over gaps count from zero and never meet them; a rough contact that is held asks for them.
template <HasTangents S>
class Rough : public S {
 public:
  using S::S;
  Rough(S system) : S(std::move(system)) {}  // NOLINT: a system is its own rough one

  static constexpr int slip_row(int gap, int a) { return -1 - 2 * gap - a; }

  template <class T>
  T gap(int i, Point<T> q, const T& t) const {
    if (i < 0) return mechanics::tangent<T>(smooth(), gap_of(i), axis_of(i), q, t);
    return mechanics::gap<T>(smooth(), i, q, t);
  }
  template <class Real>
  Real gap_gradient(int i, Point<Real> q, Real t, std::span<Real> g) const
    requires requires(const S& s) {
      s.gap_gradient(i, q, t, g);
      s.tangent_gradient(i, i, q, t, g);
    }
  {
    return i < 0 ? smooth().tangent_gradient(gap_of(i), axis_of(i), q, t, g) : smooth().gap_gradient(i, q, t, g);
  }
  bool moving_gap(int i) const {
    if (i >= 0) return mechanics::moving_gap(smooth(), i);
    if constexpr (requires(const S& s) { s.moving_tangent(0, 0); })
      return smooth().moving_tangent(gap_of(i), axis_of(i));
    else
      return TimedTangent<S>;
  }
  std::string gap_name(int i) const { return mechanics::gap_name(smooth(), i < 0 ? gap_of(i) : i); }

 private:
  const S& smooth() const { return *this; }
  static constexpr int gap_of(int row) { return (-1 - row) / 2; }
  static constexpr int axis_of(int row) { return (-1 - row) % 2; }
};

}  // namespace ricochet::mechanics
