// A flight: the discrete Euler–Lagrange equations in position–momentum form, over any length s.
#pragma once

#include <algorithm>

#include "ricochet/discrete/interval.hpp"
#include "ricochet/discrete/rule.hpp"
#include "ricochet/mechanics/mechanics.hpp"
#include "ricochet/numerics/digits.hpp"
#include "ricochet/numerics/factor.hpp"

namespace ricochet::discrete {

/// Scratch of a flight, made once per run.
template <class Mechanics>
struct FlightWork {
  using Vec = typename Mechanics::Vec;
  Vec u;          ///< mean velocity (q'−q)/s of the last flight
  Vec v0;         ///< velocity at its start
  Vec curvature;  ///< coefficient of s² when the curve is exactly quadratic
  typename Mechanics::Point1 at;
  typename Mechanics::Point2 second;
  Vec g, residual, trial, q_stage;
  typename Mechanics::Mat jacobian;
  numerics::Lu<typename Mechanics::Mat> lu;
};

/// True when the end of a flight is exactly q + s v0 + s² c: no solve, no remainder.
template <class Mechanics>
bool is_explicit(const Mechanics& mechanics, const Rule<typename Mechanics::Real>& rule) {
  using S = std::decay_t<decltype(mechanics.system())>;
  return mechanics::Separable<S> && rule.explicit_for_constant_mass() && !mechanics.forced();
}

/// One interval of an explicit rule with constant mass: p = −D1 L_d solved in closed form.
template <class Mechanics, class Vec, class Real>
Interval<Real> fly_explicit(const Mechanics& mechanics, const Rule<Real>& rule, const Vec& q, const Vec& p, Real t,
                            Real s, Vec& dq, Vec& dp, FlightWork<Mechanics>& work) {
  Interval<Real> interval;
  Real w_left = 0, w_right = 0;
  for (std::size_t k = 0; k < rule.stages(); ++k) (rule.stage(k).c == 0 ? w_left : w_right) += rule.stage(k).w;

  Real V_left = 0, V_right = 0, supply_left = 0, supply_right = 0;
  mechanics.velocity(q, p, t, work.v0);
  const bool both = w_left != 0 && w_right != 0;
  if (w_left != 0) {
    V_left = mechanics.potential_gradient(q, t, work.g);
    supply_left = w_left * mechanics.potential_rate(q, t);
    work.g *= w_left;
    work.residual = p - s * work.g;  // = M u
    mechanics.velocity(q, work.g, t, work.curvature);
    work.curvature = -work.curvature;
    work.u = work.v0 + s * work.curvature;
  } else {
    work.u = work.v0;
    work.curvature.setZero(mechanics.dimension());
    work.g.setZero(mechanics.dimension());
    work.residual = p;
  }
  const Real kinetic = work.u.dot(work.residual) / 2;
  if (both) interval.excess_start = (s / 2) * work.curvature.dot(work.residual + p);
  dq = s * work.u;
  if (w_right != 0) {
    work.q_stage = q + dq;
    V_right = mechanics.potential_gradient(work.q_stage, t + s, work.trial);
    supply_right = w_right * mechanics.potential_rate(work.q_stage, t + s);
    work.trial *= w_right;
    work.g += work.trial;
  }
  dp = -s * work.g;  // (D1 + D2) L_d
  if (both) {
    // E_d − H = ½(u−v)·(Mu+p) + w(V_other − V) at either end.
    mechanics.velocity(q, work.trial, t, work.q_stage);
    interval.excess_start += w_right * (V_right - V_left) - s * supply_left;
    interval.excess_end =
        (s / 2) * work.q_stage.dot(work.residual + p + dp) + w_left * (V_left - V_right) + s * supply_right;
    interval.has_excess = true;
    interval.excess_scale = std::abs(V_left) + std::abs(V_right);
  }
  interval.energy = kinetic + w_left * V_left + w_right * V_right;
  interval.supplied = s * (supply_left + supply_right);
  interval.start = interval.energy - s * supply_left;
  interval.end = interval.energy + s * supply_right;
  return interval;
}

/// One interval of any rule: solve Σ_k w_k [L_v − s(1−c_k) Q](q + c_k s u, u) = p for the mean velocity u by Newton.
/// The unknown is u, never q': (q'−q)/s has no digits for short s (errata F6). p' = p + (D1+D2) L_d.
template <class Mechanics, class Vec, class Real>
Interval<Real> fly_implicit(const Mechanics& mechanics, const Rule<Real>& rule, const Vec& q, const Vec& p, Real t,
                            Real s, Vec& dq, Vec& dp, FlightWork<Mechanics>& work) {
  const Real eps = std::numeric_limits<Real>::epsilon();
  const int n = mechanics.dimension();
  auto& [u, v0, curvature, at, second, g, residual, trial, q_stage, J, lu] = work;
  mechanics.velocity(q, p, t, v0);
  u = v0;

  auto equations = [&](const Vec& x, bool with_jacobian) {
    residual = -p;
    if (with_jacobian) J.setZero(n, n);
    for (std::size_t k = 0; k < rule.stages(); ++k) {
      const auto [c, w] = rule.stage(k);
      q_stage = q + (c * s) * x;
      if (with_jacobian)
        mechanics.evaluate(q_stage, x, t + c * s, at, second);
      else
        mechanics.evaluate(q_stage, x, t + c * s, at);
      const Real pull = s * (1 - c);
      residual += w * (at.Lv - pull * at.Q);
      if (with_jacobian) J += w * (second.Lvv - pull * second.Qv + (c * s) * (second.Lvq - pull * second.Qq));
    }
    return residual.norm();
  };

  Real last_increment = std::numeric_limits<Real>::infinity();
  bool converged = false;
  for (int it = 0; it < 60 && !converged; ++it) {
    const Real norm = equations(u, true);
    if (!std::isfinite(norm)) break;
    lu.compute(J);
    trial = residual;
    lu.solve(trial);
    Real increment = trial.norm();
    // Safeguard: shorten the step while it does not reduce the residual (far from the solution only).
    Real damping = 1;
    if (increment > Real(1e-3) * (u.norm() + eps)) {
      g = u - trial;
      while (damping > Real(1e-4) && !(equations(g, false) < norm)) {
        damping /= 2;
        g = u - damping * trial;
      }
    }
    u -= damping * trial;
    // Stop on the increment: at rounding level, or when it no longer shrinks there.
    const Real floor_level = eps * (u.norm() + v0.norm());
    converged =
        increment <= 4 * floor_level || (it > 2 && increment <= 4096 * floor_level && increment >= last_increment / 2);
    last_increment = increment;
  }
  if (!converged)
    throw Error(ErrorKind::no_convergence, "the discrete Euler–Lagrange equations of rule " + rule.name() +
                                               " were not solved over a flight of length " +
                                               numerics::six_digits(static_cast<double>(s)) +
                                               "; a smaller step may help");

  Interval<Real> interval;
  Real before = 0, after = 0;
  dp.setZero(n);
  for (std::size_t k = 0; k < rule.stages(); ++k) {
    const auto [c, w] = rule.stage(k);
    q_stage = q + (c * s) * u;
    mechanics.evaluate(q_stage, u, t + c * s, at);
    interval.energy += w * at.energy;
    before += w * (1 - c) * at.supply;
    after += w * c * at.supply;
    dp += (s * w) * at.Q;
  }
  dq = s * u;
  interval.supplied = s * (before + after);
  interval.start = interval.energy - s * before;
  interval.end = interval.energy + s * after;
  return interval;
}

/// A flight of length s from (t,q,p): the increments dq, dp of its end, and its energies. s = 0 returns H.
template <class Mechanics, class Vec, class Real>
Interval<Real> fly(const Mechanics& mechanics, const Rule<Real>& rule, const Vec& q, const Vec& p, Real t, Real s,
                   Vec& dq, Vec& dp, FlightWork<Mechanics>& work) {
  auto once = [&](const Vec& a, const Vec& b, Real time, Real length) {
    using S = std::decay_t<decltype(mechanics.system())>;
    if constexpr (mechanics::Separable<S>)
      if (is_explicit(mechanics, rule)) return fly_explicit(mechanics, rule, a, b, time, length, dq, dp, work);
    return fly_implicit(mechanics, rule, a, b, time, length, dq, dp, work);
  };
  if (!rule.is_composed()) return once(q, p, t, s);

  // Composition: t_j = t + Γ_j s, so D_{t1} L_d = Σ_j Γ_{j+1} D_{t1} L_j + Γ_j D_{t0} L_j; E_d = Σ_j γ_j E_j (errata
  // F11).
  Interval<Real> total;
  Vec v0 = q, sum_q = Vec::Zero(mechanics.dimension()), sum_p = sum_q;
  Real gamma = 0;
  for (std::size_t j = 0; j < rule.fractions().size(); ++j) {
    const Real f = rule.fractions()[j];
    const Interval<Real> part = once(Vec(q + sum_q), Vec(p + sum_p), t + gamma * s, f * s);
    sum_q += dq;
    sum_p += dp;
    if (j == 0) v0 = work.v0;
    const Real next = j + 1 == rule.fractions().size() ? Real(1) : gamma + f;
    total.energy += f * part.energy;
    total.supplied += part.supplied;
    total.start += (1 - gamma) * part.start - (1 - next) * part.end;
    total.end += next * part.end - gamma * part.start;
    gamma = next;
  }
  dq = sum_q;
  dp = sum_p;
  work.v0 = v0;
  return total;
}

}  // namespace ricochet::discrete
