// Shadow closures: the pieces of an impact step fly Verlet's shadow of step h, so the energy Verlet keeps is not
// kicked.
#pragma once

#include "ricochet/impact/shadow_lagrangian.hpp"

namespace ricochet::impact {

/// What shadow closures can fly at all: a constant mass and a potential.
template <class Body>
inline constexpr bool shadow_able = requires(const Body& body, typename Body::Work& work) {
  requires mechanics::Separable<std::decay_t<decltype(body.mechanics().system())>>;
  body.rule();
  work.closure.curvature;
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
                    const typename Body::Node& end, typename Body::Trace& trace, typename Body::Work& work) const
    requires shadow_able<Body>
  {
    using Vec = typename Body::Vec;
    work.closure.curvature.at(body.mechanics(), from.q, from.t);
    ShadowLagrangian<Order, typename Body::Mechanics> L(body.mechanics(), work.closure.curvature, step.s, step.h);
    const Vec u = (end.q - from.q) / step.s;
    Vec a, product;
    L.evaluate(u);
    enclose(step, L, u, a, product, trace);
  }

  template <class Body>
  auto gap_along(const Body& body, int i, const typename Body::Node& from, typename Body::Step step,
                 const typename Body::Trace&, typename Body::Work& work) const {
    if constexpr (shadow_able<Body>) {
      require_fit(body);
      using Vec = typename Body::Vec;
      work.closure.curvature.at(body.mechanics(), from.q, from.t);
      ShadowLagrangian<Order, typename Body::Mechanics> L(body.mechanics(), work.closure.curvature, step.s, step.h);
      Vec u;
      solve(body, from, step, L, u, work);
      work.sample = from;
      work.sample.move(step.s * u, Vec::Zero(u.size()));
      work.sample.t += step.s;
    }
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
    trace.radius = (h * h / 4) * (a0.cwiseAbs() + a1.cwiseAbs());
  }

  template <class Body>
  static void require_fit(const Body& body) {
    if (!is_trapezoid(body.rule()) || !body.mechanics().autonomous())
      throw Error(ErrorKind::invalid_model, refuse(body));
  }

  template <class Body>
  auto piece(const Body& body, const typename Body::Node& from, typename Body::Step step, typename Body::Node& out,
             typename Body::Trace* trace, typename Body::Work& work) const {
    require_fit(body);
    auto& flight = work.closure.last;
    const bool known = flight.matches(body.mechanics(), Order, from.q, from.p, step);
    if (!known || (trace != nullptr && !flight.traced)) {
      work.closure.curvature.at(body.mechanics(), from.q, from.t);
      ShadowLagrangian<Order, typename Body::Mechanics> L(body.mechanics(), work.closure.curvature, step.s, step.h);
      flight.closure = 0;
      typename Body::Vec u;
      solve(body, from, step, L, u, work);
      flight.dq = step.s * u;
      L.momentum_gain(u, flight.dp);
      const auto E = L.energies(u, from.p, flight.dp);
      auto& interval = flight.interval;
      interval = {};
      interval.energy = interval.start = interval.end = E.energy;
      interval.has_excess = true;
      interval.excess_start = E.excess_start;
      interval.excess_end = E.excess_end;
      flight.traced = trace != nullptr;
      if (flight.traced) {
        enclose(step, L, u, work.dq, work.dp, *trace);
        flight.c1 = trace->c1, flight.c2 = trace->c2, flight.c3 = trace->c3, flight.radius = trace->radius;
      }
      flight.mechanics = &body.mechanics();
      flight.closure = Order;
      flight.q = from.q, flight.p = from.p, flight.s = step.s, flight.h = step.h;
    } else if (trace != nullptr) {
      trace->c1 = flight.c1, trace->c2 = flight.c2, trace->c3 = flight.c3, trace->radius = flight.radius;
      trace->exact = false;
      trace->refined = true;
    }
    const auto interval = flight.interval;
    if (step.s == step.h) {  // the rule's own step, bit for bit; with the shadow's energy, which impacts balance
      body.fly(from, step, out, work);
      return interval;
    }
    if (&out != &from) out = from;
    out.move(flight.dq, flight.dp);
    out.t += step.s;
    return interval;
  }

  /// p0 = −D1 L_s for u: Mu = p0 − s g0/2 + X0(u), corrected by (M − κH0/6)⁻¹ ≈ M⁻¹ + κ/6 M⁻¹H0M⁻¹ times the residual.
  /// Q is small and costly: it is formed anew only when u has moved so far that it changes in the digits kept.
  template <class Body, class L_s, class Vec>
  static void solve(const Body& body, const typename Body::Node& from, typename Body::Step step, L_s& L, Vec& u,
                    typename Body::Work& work) {
    using Real = typename Body::Real;
    const Real eps = std::numeric_limits<Real>::epsilon(), sixth = L.kappa() / 6, h2 = step.h * step.h;
    const auto& mechanics = body.mechanics();
    auto& guess = work.closure.guess;
    Vec plain, delta, product, correction;
    const Vec aim = from.p - (step.s / 2) * L.g0();
    L.inverse_mass(aim, plain);
    Real last = std::numeric_limits<Real>::infinity();
    Real size_Q = 0, moved = 0;  // size of Q's part of u; how far u went since Q was formed
    bool formed = Order == 2;
    const bool guessed = guess.scopes > 0 && guess.known && guess.q == from.q;
    if (guessed) {
      u = plain + guess.excess;
      if constexpr (Order == 4) {
        L.XQ() = guess.XQ;
        L.inverse_mass(L.XQ(), correction);
        size_Q = correction.norm();
      }
    } else {
      L.apply_H0(plain, product);
      L.inverse_mass(product, delta);
      u = plain + sixth * delta;
    }

    for (int it = 0; it < 100; ++it) {
      const Real scale = u.norm();
      if constexpr (Order == 4) {
        // Q is a quartic in u at heart: its part changes by a few times its own size per relative change of u.
        const Real sensitive = 8 * size_Q / (scale * scale);
        const bool due = formed ? sensitive * moved > eps : (!guessed || it > 0);
        if (due && (sensitive * last <= eps || it == 0)) {
          L.evaluate_Q(u);
          L.inverse_mass(L.XQ(), correction);
          size_Q = correction.norm();
          moved = 0;
          formed = true;
        }
      }
      L.evaluate(u);
      mechanics.multiply_mass(u, product);
      product = aim + L.X0() - product;
      if constexpr (Order == 4) product += L.XQ();
      L.inverse_mass(product, delta);
      L.apply_H0(delta, product);
      L.inverse_mass(product, correction);
      const Real residual = delta.norm(),
                 stiffness = h2 * correction.norm() / (residual + std::numeric_limits<Real>::min());
      delta += sixth * correction;
      const Real increment = delta.norm(), rounding = eps * scale;
      if (!std::isfinite(increment)) break;
      // Stop on the increment, which is applied. What was formed before it is wrong by (hω)² of it, and the next one
      // would be smaller by the last ratio; rounding also stops where increments no longer shrink.
      const bool settled = formed && 8 * size_Q * moved <= rounding * scale;
      const bool small = increment <= 256 * rounding && increment * stiffness <= rounding / 4 &&
                         increment * increment <= rounding / 4 * last;
      u += delta;
      if (settled && (increment <= 2 * rounding || small || (increment <= 256 * rounding && increment >= last / 2))) {
        L.shift(delta);
        if (guess.scopes > 0) {
          guess.known = true;
          guess.q = from.q;
          guess.excess = u - plain;
          if constexpr (Order == 4) guess.XQ = L.XQ();
        }
        return;
      }
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
  /// M⁻¹g), at most h²s²/96 of it between the ends; sixteen times that is taken, and the rounding of q.
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
    trace.radius *= step.h * step.h * s * s / 6;
    trace.radius += (8 * std::numeric_limits<Real>::epsilon()) * (trace.c0.cwiseAbs() + s * u.cwiseAbs());
    // End and second coefficient as known: c2 = −a0/2, c1 so that the end is met.
    trace.c2 = L.a0() / -2;
    trace.c1 = u - s * (trace.c2 + s * trace.c3);
  }
};

using Shadow2 = Shadow<2>;
using Shadow4 = Shadow<4>;

}  // namespace ricochet::impact
