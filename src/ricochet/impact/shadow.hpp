// Shadow closures: the pieces of an impact step fly Verlet's shadow of step h, so the energy Verlet keeps is not
// kicked.
#pragma once

#include "ricochet/impact/shadow_lagrangian.hpp"

namespace ricochet::impact {

/// What shadow closures can fly at all: a constant mass and a potential.
template <class Body>
inline constexpr bool shadow_able = requires(const Body& body) {
  requires mechanics::Separable<std::decay_t<decltype(body.mechanics().system())>>;
  body.rule();
};

/// Fetecau's equations as they stand (74)–(79), with L_s of the shadow Lagrangian in place of L_d in the pieces of an
/// impact step. Variational, hence symplectic and reversible; the energy kick per impact falls from O(h²) to O(h⁴)
/// (order 2) or O(h⁶) (order 4). For a constant mass, the trapezoid rule, and no forces or time dependence.
template <int Order>
struct Shadow {
  static constexpr bool balances() { return true; }
  static constexpr const char* name() { return Order == 2 ? "shadow2" : "shadow4"; }

  /// Why a body cannot be flown by this closure; empty if it can.
  template <class Body>
  static std::string refuse(const Body& body) {
    const std::string closure = std::string("the closure ") + name() + " needs ";
    if constexpr (!shadow_able<Body>)
      return closure + "a constant mass and a potential; interpolated takes any Lagrangian";
    else if (!is_trapezoid(body.rule()))
      return closure + "the trapezoid rule, not " + body.rule().name() + "; interpolated takes any rule";
    else if (!body.mechanics().autonomous())
      return closure + "a system without forces and without explicit time";
    else
      return {};
  }

  template <class Body>
  auto fly(const Body& body, const typename Body::Node& from, typename Body::Step step, typename Body::Node& out,
           typename Body::Work& work) const {
    if constexpr (shadow_able<Body>) {
      return piece(body, from, step, out, nullptr, work);
    } else {
      throw Error(ErrorKind::invalid_model, refuse(body));
      return typename Body::Interval{};
    }
  }

  /// The same with an enclosure of the curve. A whole step costs what the rule's step costs: its interval carries the
  /// rule's own E_d, and the trace is the rule's, widened to hold the closure's curve.
  template <class Body>
  auto fly(const Body& body, const typename Body::Node& from, typename Body::Step step, typename Body::Node& out,
           typename Body::Trace& trace, typename Body::Work& work) const {
    if constexpr (shadow_able<Body>) {
      if (step.s == step.h) {
        const auto interval = body.fly(from, step, out, trace, work);
        widen(step.h, trace, work);
        return interval;
      }
      trace.t = from.t;
      trace.length = step.s;
      trace.c0 = from.q;
      return piece(body, from, step, out, &trace, work);
    } else {
      throw Error(ErrorKind::invalid_model, refuse(body));
      return typename Body::Interval{};
    }
  }

  /// The widened trace of a whole step made sharp: there κ = 0, so u is known and L_s need not be solved.
  template <class Body>
  void refine_trace(const Body& body, const typename Body::Node& from, typename Body::Step step,
                    const typename Body::Node& end, typename Body::Trace& trace, typename Body::Work&) const
    requires shadow_able<Body>
  {
    using Vec = typename Body::Vec;
    ShadowLagrangian<Order, typename Body::Mechanics> L(body.mechanics(), from.q, from.t, step.s, step.h);
    const Vec u = (end.q - from.q) / step.s;
    Vec a, product;
    L.evaluate(u);
    enclose(step, L, u, a, product, trace);
  }

  template <class Body>
  auto gap_along(const Body& body, int i, const typename Body::Node& from, typename Body::Step step,
                 const typename Body::Trace&, typename Body::Work& work) const {
    fly(body, from, step, work.sample, work);
    return body.gap(i, work.sample);
  }

 private:
  template <class Rule>
  static bool is_trapezoid(const Rule& rule) {
    return !rule.is_composed() && rule.stages() == 2 && rule.stage(0).c == 0 && rule.stage(1).c == 1 &&
           rule.stage(0).w == rule.stage(1).w;
  }

  /// Between its ends, the curve of a step differs from Verlet's parabola by s(h²−s²)/6 M⁻¹H u + O(h⁴), at most
  /// h³/(9√3) |M⁻¹Hu|, and h M⁻¹Hu ≈ M⁻¹(g1−g0) =: Δa. Twice that, plus a share of the bulge h²|a|/2 for what the two
  /// ends do not show (a force that varies more than that within a step is not resolved by it).
  template <class Trace, class Work, class Real>
  static void widen(Real h, Trace& trace, const Work& work) {
    const auto& a0 = work.flight.curvature;  // −M⁻¹g0/2
    const auto& a1 = work.flight.q_stage;    // M⁻¹g1/2
    trace.exact = false;
    trace.c3.setZero(trace.c0.size());
    trace.radius = (h * h) * ((a0 + a1).cwiseAbs() / 4 + (a0.cwiseAbs() + a1.cwiseAbs()) / 32);
  }

  template <class Body>
  auto piece(const Body& body, const typename Body::Node& from, typename Body::Step step, typename Body::Node& out,
             typename Body::Trace* trace, typename Body::Work& work) const {
    using Vec = typename Body::Vec;
    const auto& mechanics = body.mechanics();
    if (const bool fits = is_trapezoid(body.rule()) && mechanics.autonomous(); !fits)
      throw Error(ErrorKind::invalid_model, refuse(body));
    ShadowLagrangian<Order, typename Body::Mechanics> L(mechanics, from.q, from.t, step.s, step.h);
    Vec u, delta, aim, product, correction;
    solve(body, from, step, L, u, delta, aim, product, correction);

    typename Body::Interval interval;
    Vec dq = step.s * u, dp;
    L.momentum_gain(u, dp);
    const auto E = L.energies(u, from.p, dp);
    interval.energy = interval.start = interval.end = E.energy;
    interval.has_excess = true;
    interval.excess_start = E.excess_start;
    interval.excess_end = E.excess_end;
    if (trace != nullptr) enclose(step, L, u, delta, product, *trace);
    if (step.s == step.h) {  // the rule's own step, bit for bit; with the shadow's energy, which impacts balance
      body.fly(from, step, out, work);
      return interval;
    }
    if (&out != &from) out = from;
    out.move(dq, dp);
    out.t += step.s;
    return interval;
  }

  /// p0 = −D1 L_s for u: Mu = p0 − s g0/2 + X0(u), corrected by (M − κH0/6)⁻¹ ≈ M⁻¹ + κ/6 M⁻¹H0M⁻¹ times the residual.
  /// Q is small and costly: it is formed anew only when u has moved so far that it changes in the digits kept.
  template <class Body, class Step, class L_s, class Vec>
  static void solve(const Body& body, const typename Body::Node& from, Step step, L_s& L, Vec& u, Vec& delta, Vec& aim,
                    Vec& product, Vec& correction) {
    using Real = typename Body::Real;
    const Real eps = std::numeric_limits<Real>::epsilon(), sixth = L.kappa() / 6;
    const auto& mechanics = body.mechanics();
    aim = from.p - (step.s / 2) * L.g0();
    L.inverse_mass(aim, u);
    L.apply_H0(u, product);
    L.inverse_mass(product, delta);
    u += sixth * delta;

    Real last = std::numeric_limits<Real>::infinity();
    Real size_Q = 0, moved = last;  // size of Q's part of u; how far u went since Q was formed
    for (int it = 0; it < 100; ++it) {
      const Real scale = u.norm();
      if constexpr (Order == 4)
        // Q is a quartic in u at heart: its part changes by a few times its own size per relative change of u.
        if (8 * size_Q * last <= eps * scale * scale || it == 0)
          if (8 * size_Q * moved > eps * scale * scale || it == 0) {
            L.evaluate_Q(u);
            L.inverse_mass(L.XQ(), correction);
            size_Q = correction.norm();
            moved = 0;
          }
      L.evaluate(u);
      mechanics.multiply_mass(u, product);
      product = aim + L.X0() - product;
      if constexpr (Order == 4) product += L.XQ();
      L.inverse_mass(product, delta);
      L.apply_H0(delta, product);
      L.inverse_mass(product, correction);
      delta += sixth * correction;
      const Real increment = delta.norm();
      if (!std::isfinite(increment)) break;
      const bool settled = Order == 2 || 8 * size_Q * moved <= eps * scale * scale;
      // Stop on the increment: at rounding level, or when it no longer shrinks there.
      const Real floor_level = eps * (scale + eps);
      if (settled && (increment <= 2 * floor_level || (increment <= 256 * floor_level && increment >= last / 2)))
        return;
      u += delta;
      moved += increment;
      last = increment;
    }
    throw Error(ErrorKind::no_convergence,
                std::string("the ") + name() + " flight of length " + std::to_string(static_cast<double>(step.s)) +
                    " was not solved; a smaller step helps (step times frequency below " +
                    (Order == 2 ? "0.4" : "0.7") + ")",
                body.state(from));
  }

  /// The curve σ ↦ q0 + σ u(σ), σ ≤ s, as a cubic through its ends: M u(σ) = p0 − σ g0/2 + (h²−σ²)/6 Hu + …, so the
  /// cubic coefficient is −M⁻¹Hu/6; u(0) follows from u(s). What is left starts with σ(s−σ)(h²−…)/24 M⁻¹(V‴[u,u] + H
  /// M⁻¹g), at most h²s²/96 of it between the ends; four times that is taken, and the rounding of q.
  template <class L_s, class Step, class Vec, class Trace>
  static void enclose(Step step, L_s& L, const Vec& u, Vec& a, Vec& product, Trace& trace) {
    using Real = std::decay_t<decltype(step.s)>;
    const Real s = step.s;
    L.apply_H0(u, product);
    L.inverse_mass(product, a);  // M⁻¹H0u
    trace.c3 = a / -6;
    trace.exact = false;
    trace.refined = true;
    // V‴[u,u] from (g1−g0)/s − H0u = (s/2)V‴[u,u] + …
    product = 2 * (L.mean_curvature() - product) / std::max(s, step.h / 64);
    L.inverse_mass(product, a);
    trace.radius = a.cwiseAbs();
    L.apply_H0(L.a0(), product);
    L.inverse_mass(product, a);
    trace.radius += a.cwiseAbs();
    trace.radius *= step.h * step.h * s * s / 24;
    trace.radius += (8 * std::numeric_limits<Real>::epsilon()) * (trace.c0.cwiseAbs() + s * u.cwiseAbs());
    // End and second coefficient as known: c2 = −a0/2, c1 so that the end is met.
    trace.c2 = L.a0() / -2;
    trace.c1 = u - s * (trace.c2 + s * trace.c3);
  }
};

using Shadow2 = Shadow<2>;
using Shadow4 = Shadow<4>;

}  // namespace ricochet::impact
