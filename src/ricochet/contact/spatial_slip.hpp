// A slip in space that turns: the mean directions of friction over a flight, and when the slip comes to rest.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ricochet/complementarity/friction_local.hpp"
#include "ricochet/contact/tolerance.hpp"
#include "ricochet/numerics/cash_karp.hpp"

namespace ricochet::contact {

/// Coulomb's sliding of one contact with the coupling W and the free accelerations a of the start of a flight
/// (normal, slip, slip; whatever else is held eliminated). With s = u/|u| the slip velocity u obeys
///   u̇ = a_T + (W_TN − μ W_TT s) λ(s),   λ(s) = −a_N/(W_NN − μ W_NT s).
/// The right side knows the direction of u only. Near rest it turns within any step, however short, so the directions
/// at the two ends of a flight say nothing of what lies between; this equation, integrated with steps that shrink with
/// |u|, does. What changes during the flight is neglected, O(h) of the force over the flight: in a flight that begins n
/// steps before rest the velocity is wrong by O(h²/n) for that, in one far from rest by O(h³).
template <class Real>
class SpatialSlip {
 public:
  using Pair = std::array<Real, 2>;
  using Matrix = complementarity::ContactMatrix<Real, 3>;
  using Vector = complementarity::ContactVector<Real, 3>;

  struct Means {
    Pair start, end;  ///< directions for the kicks at the two ends; shorter than 1 where the slip turned between them
    Pair last;        ///< direction at the end, or just before rest
    Real rests;       ///< time of rest, if it is not after the end; otherwise infinite
  };

  SpatialSlip() = default;
  /// `direction`: of a slip that only begins, u = 0.
  SpatialSlip(const Matrix& W, const Vector& a, Real mu, Pair u, Pair direction)
      : W_(W), a_(a), mu_(mu), u_(u), direction_(direction) {}

  /// With constant W and a, the kicks λ₁(∇φ − μ start·∇ψ) and λ₂(∇φ − μ end·∇ψ) of a flight of length T give exactly
  /// the positions and velocities of the equation above: start weighs the direction at time t with (T − t)λ, end
  /// with tλ.
  Means over(Real T) const;

 private:
  /// u, and ∫w, ∫tw, ∫ws, ∫tws with w ∝ λ.
  struct State {
    Pair u{};
    Real weight = 0, late_weight = 0;
    Pair friction{}, late_friction{};
  };
  struct Rates {
    Pair s, f;
    Real w, size;  ///< weight ∝ λ; size of the terms of f
    bool holds;    ///< its force opens the gap: no Painlevé
  };

  Rates rates(const Pair& u, const Pair& last) const {
    const Real size = std::hypot(u[0], u[1]);
    Rates now;
    now.s = size > 0 ? Pair{u[0] / size, u[1] / size} : last;
    const Real stiffness = W_(0, 0) - mu_ * (W_(0, 1) * now.s[0] + W_(0, 2) * now.s[1]);
    now.holds = stiffness > 0;
    now.w = 1 / stiffness;
    const Real load = -a_[0] * now.w;
    now.size = 0;
    for (int i = 0; i < 2; ++i) {
      const Real friction = mu_ * (W_(1 + i, 1) * now.s[0] + W_(1 + i, 2) * now.s[1]);
      now.f[static_cast<std::size_t>(i)] = a_[1 + i] + load * (W_(1 + i, 0) - friction);
      now.size += std::abs(a_[1 + i]) + std::abs(load) * (std::abs(W_(1 + i, 0)) + std::abs(friction));
    }
    return now;
  }

  /// From t to `end` with the direction of now; u is not asked for any more.
  static void straight(State& y, Real t, Real end, const Rates& now) {
    const Real weight = (end - t) * now.w, late = weight * (t + end) / 2;
    y.weight += weight;
    y.late_weight += late;
    for (std::size_t d = 0; d < 2; ++d) {
      y.friction[d] += weight * now.s[d];
      y.late_friction[d] += late * now.s[d];
    }
  }

  /// One step of Cash and Karp's fifth-order method. False, and nothing done, where friction jams the contact.
  bool advance(State& y, Real t, Real h, const Pair& last) const {
    using Method = numerics::CashKarp<Real>;
    std::array<Rates, 6> k;
    for (std::size_t i = 0; i < 6; ++i) {
      Pair u = y.u;
      for (std::size_t j = 0; j < i; ++j)
        for (std::size_t d = 0; d < 2; ++d) u[d] += h * Method::a[i][j] * k[j].f[d];
      k[i] = rates(u, last);
      if (!k[i].holds) return false;
    }
    for (std::size_t i = 0; i < 6; ++i) {
      const Real w = h * Method::b[i] * k[i].w, at = t + Method::c[i] * h;
      y.weight += w;
      y.late_weight += at * w;
      for (std::size_t d = 0; d < 2; ++d) {
        y.u[d] += h * Method::b[i] * k[i].f[d];
        y.friction[d] += w * k[i].s[d];
        y.late_friction[d] += at * w * k[i].s[d];
      }
    }
    return true;
  }

  Matrix W_ = Matrix::Zero();
  Vector a_ = Vector::Zero();
  Real mu_ = 0;
  Pair u_{}, direction_{};
};

template <class Real>
auto SpatialSlip<Real>::over(Real T) const -> Means {
  State y;
  y.u = u_;
  Means means{direction_, direction_, direction_, std::numeric_limits<Real>::infinity()};
  const Real first = std::hypot(u_[0], u_[1]);
  if (!(first > 0) || !(T > 0)) return means;
  Real t = 0;
  for (int n = 0; t < T && n < 100000; ++n) {
    const Real size = std::hypot(y.u[0], y.u[1]);
    const Rates now = rates(y.u, means.last);
    if (!now.holds) break;
    means.last = now.s;
    const Real along = now.f[0] * now.s[0] + now.f[1] * now.s[1];
    const Real across = now.f[1] * now.s[0] - now.f[0] * now.s[1];
    const Real rest = along < 0 ? t - size / along : std::numeric_limits<Real>::infinity();
    // Straight on where it no longer turns, or next to rest.
    if (std::abs(across) <= 4 * std::numeric_limits<Real>::epsilon() * now.size ||
        (size <= Real(tolerances::slip_rests) * first && along < 0)) {
      if (rest <= T) means.rests = rest;
      straight(y, t, std::min(T, rest), now);
      break;
    }
    // The direction changes at the rate (free acceleration + friction)/|u|; 0.05⁶/6! of it is rounding.
    const Real left = T - t, short_step = Real(0.05) * size / now.size, step = std::min(short_step, left);
    if (!advance(y, t, step, means.last)) break;
    t = step < left ? t + step : T;
  }
  const Real early = T * y.weight - y.late_weight;
  for (std::size_t i = 0; i < 2 && early > 0 && y.late_weight > 0; ++i) {
    means.start[i] = (T * y.friction[i] - y.late_friction[i]) / early;
    means.end[i] = y.late_friction[i] / y.late_weight;
  }
  return means;
}

#ifdef RICOCHET_COMPILED_SLIPS  // set by linking ricochet::contact, which has them (instances.cpp)
extern template class SpatialSlip<double>;
#endif
#ifdef RICOCHET_COMPILED_LONG_DOUBLE  // set by linking ricochet::long_double
extern template class SpatialSlip<long double>;
#endif

}  // namespace ricochet::contact
