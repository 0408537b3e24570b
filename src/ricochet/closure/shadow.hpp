// Shadow closures: the pieces of an impact step fly Verlet's shadow of step h, so the energy Verlet keeps is not
// kicked.
#pragma once

#include "ricochet/closure/shadow_lagrangian.hpp"
#include "ricochet/closure/variational.hpp"
#include "ricochet/numerics/digits.hpp"

namespace ricochet::closure {

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

  /// The energy with which a piece starts, without its end.
  template <class Body>
  auto leave(const Body& body, const typename Body::Node& from, typename Body::Step step, typename Body::Node&,
             typename Body::Work& work) const
    requires shadow_able<Body>
  {
    require_fit(body);
    work.closure.curvature.at(body.mechanics(), from.q, from.t);
    ShadowLagrangian<Order, typename Body::Mechanics> L(body.mechanics(), work.closure.curvature, step.s, step.h);
    typename Body::Vec u, plain;
    solve(body, from, step, L, u, plain, work);
    const auto E = L.start_energies(u, plain, from.p);
    typename Body::Interval interval{};
    interval.energy = interval.start = interval.end = E.energy;
    interval.has_excess = true;
    interval.excess_start = E.excess_start;
    interval.excess_scale = L.excess_scale();
    return interval;
  }

  /// Verlet's shadow energy has, to leading order and but for a function of q, h²/12 vᵀHv beyond H.
  template <class Body>
  std::optional<KickExcess<typename Body::Real>> excess_of_kick(const Body& body, const typename Body::Node& before,
                                                                const typename Body::Node& after, typename Body::Real h,
                                                                typename Body::Work& work) const
    requires shadow_able<Body>
  {
    typename Body::Vec v, dv, Hdv;
    const auto& mechanics = body.mechanics();
    work.closure.curvature.at(mechanics, before.q, before.t);
    mechanics.velocity(before.q, before.p, before.t, v);
    mechanics.velocity(before.q, typename Body::Vec(after.p - before.p), before.t, dv);
    work.closure.curvature.H.apply(dv, Hdv);
    const auto factor = h * h / 12;
    return {{2 * factor * v.dot(Hdv), factor * dv.dot(Hdv)}};
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
    Vec a;
    L.evaluate(u);
    enclose(step, L, u, a, trace);
  }

  template <class Body>
  auto gap_along(const Body& body, int i, const typename Body::Node& from, typename Body::Step step,
                 const typename Body::Trace& trace, typename Body::Work& work) const {
    if constexpr (shadow_able<Body>) {
      require_fit(body);
      using Vec = typename Body::Vec;
      work.closure.curvature.at(body.mechanics(), from.q, from.t);
      ShadowLagrangian<Order, typename Body::Mechanics> L(body.mechanics(), work.closure.curvature, step.s, step.h);
      Vec u, plain;
      if (trace.cubic) u = trace.c1 + step.s * (trace.c2 + step.s * trace.c3);
      solve(body, from, step, L, u, plain, work, {.from_u = trace.cubic, .only_u = true});
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
  /// h³/(9√3) |M⁻¹Hu|, and h M⁻¹Hu ≈ M⁻¹(g1−g0). With h²/8 (|M⁻¹g0| + |M⁻¹g1|) that is covered twice, and a quarter of
  /// the bulge of the step besides (a force that varies more within a step is not resolved by it).
  template <class Trace, class Work, class Real>
  static void widen(Real h, Trace& trace, const Work& work) {
    const auto& a0 = work.flight.curvature;  // −M⁻¹g0/2
    const auto& a1 = work.flight.q_stage;    // M⁻¹g1/2
    trace.exact = false;
    trace.cubic = false;
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
      typename Body::Vec u, plain;
      solve(body, from, step, L, u, plain, work);
      flight.dq = step.s * u;
      L.momentum_gain(u, flight.dp);
      const auto E = L.start_energies(u, plain, from.p);
      auto& interval = flight.interval;
      interval = {};
      interval.energy = interval.start = interval.end = E.energy;
      interval.has_excess = true;
      interval.excess_start = E.excess_start;
      interval.excess_end = L.end_excess(E, from.p, flight.dp);
      interval.excess_scale = L.excess_scale();
      flight.traced = trace != nullptr;
      if (flight.traced) {
        enclose(step, L, u, work.dq, *trace);
        flight.c1 = trace->c1, flight.c2 = trace->c2, flight.c3 = trace->c3, flight.radius = trace->radius;
      }
      flight.mechanics = &body.mechanics();
      flight.closure = Order;
      flight.q = from.q, flight.p = from.p, flight.s = step.s, flight.h = step.h;
    } else if (trace != nullptr) {
      trace->c1 = flight.c1, trace->c2 = flight.c2, trace->c3 = flight.c3, trace->radius = flight.radius;
      trace->exact = false;
      trace->cubic = trace->refined = true;
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

  struct Wanted {
    bool from_u = false;  ///< u holds a guess
    bool only_u = false;  ///< what L_s keeps beside u will not be asked for
  };
  /// p0 = −D1 L_s for u = plain + correction(u), plain = M⁻¹(p0 − s g0/2): steps (I − κ/6 M⁻¹H0)⁻¹ ≈ I + κ/6 M⁻¹H0
  /// times the residual. Q is small and costly: it is formed anew only when (m,u) has moved so far that it changes in
  /// the digits kept.
  template <class Body, class L_s, class Vec>
  static void solve(const Body& body, const typename Body::Node& from, typename Body::Step step, L_s& L, Vec& u,
                    Vec& plain, typename Body::Work& work, Wanted wanted = {}) {
    using Real = typename Body::Real;
    const Real eps = std::numeric_limits<Real>::epsilon(), sixth = L.kappa() / 6, h2 = step.h * step.h;
    auto& guess = work.closure.guess;
    auto size = [](const Vec& x) { return x.template lpNorm<Eigen::Infinity>(); };
    Vec delta, before, more;
    L.inverse_mass(from.p, plain);
    plain -= (step.s / 2) * L.a0();
    L.apply_MH0(plain, more);
    const Vec first = plain + sixth * more;
    const bool shared = guess.scopes > 0 && guess.known && guess.q == from.q;
    if (shared)
      u = first + guess.excess;
    else if (!wanted.from_u)
      u = first;
    if (!shared) guess.has_quartic = false;
    // At rest in a held contact u vanishes; what rounds it is what cancels.
    const Real scale = size(u) + step.s * size(L.a0()), rounding = eps * scale;
    // Q's part of what is wanted, relative to the whole (a larger one than this is formed at every step); how far (m,u)
    // went since Q was formed.
    Real share = 0, moved = 0;
    auto weigh_Q = [&] {
      share = size(L.correction_Q()) / scale;
      if (!wanted.only_u) share = std::max(share, L.share_Q(u, from.p));
      if (!(share < Real(1) / 32)) share = Real(1) / 32;
    };
    if constexpr (Order == 4)
      if (guess.has_quartic) {
        L.adopt(guess.quartic);
        weigh_Q();
        moved = size(u - guess.quartic.u) + scale * std::abs(step.s - guess.quartic.s) / step.h;
      }
    bool formed = Order == 2 || guess.has_quartic;
    int late = 0;  // Q was formed again where u had come to rest

    Real last = std::numeric_limits<Real>::infinity(), stiffness = 0;
    for (int it = 0; it < 100; ++it) {
      if constexpr (Order == 4)
        // Q is a quartic in u at heart: its part changes by a few times its own size per relative change of u.
        if (!formed || (8 * share * moved > rounding && 8 * share * last <= rounding)) {
          L.evaluate_Q(u);
          weigh_Q();
          moved = 0;
          formed = true;
        }
      L.evaluate(u);
      delta = plain + L.correction() - u;
      if constexpr (Order == 4) delta += L.correction_Q();
      Real increment = size(delta);
      if (increment > 256 * rounding || it == 0) {
        L.apply_MH0(delta, more);
        stiffness = increment > 0 ? h2 * size(more) / increment : Real(0);
        delta += sixth * more;
        increment = size(delta);
      }
      if (wanted.only_u && it > 0 && increment < last / 64) {
        // The errors shrink alike from step to step: by as much again, and the rest is rounding.
        delta += (delta.dot(before) / before.squaredNorm()) * delta;
      }
      if (wanted.only_u) before = delta;
      u += delta;
      if (!std::isfinite(increment)) break;
      // What was formed before this increment is wrong by (hω)² of it, and the next one would be smaller by the last
      // ratio. Rounding also stops where increments no longer shrink.
      const bool done =
          increment <= 2 * rounding || (wanted.only_u && it > 0 && increment * increment <= 256 * rounding * last) ||
          (increment <= 256 * rounding && (increment >= last / 2 || (increment * stiffness <= rounding &&
                                                                     increment * increment <= rounding / 4 * last)));
      moved += increment;
      last = increment;
      if (!done) continue;
      if (Order == 4 && 8 * share * moved > rounding && late < 2) {
        ++late;
        formed = false;
        continue;
      }
      L.shift(delta);
      if (guess.scopes > 0) {
        guess.known = true;
        guess.q = from.q;
        guess.excess = u - first;
        if constexpr (Order == 4) {
          guess.quartic = L.quartic();
          guess.has_quartic = true;
        }
      }
      return;
    }
    throw Error(ErrorKind::no_convergence,
                std::string("the ") + name() + " flight of length " +
                    numerics::six_digits(static_cast<double>(step.s)) +
                    " was not solved; a smaller step may help (step times frequency below " +
                    (Order == 2 ? "0.4" : "0.7") + ")",
                body.state(from));
  }

  /// The curve σ ↦ q0 + σ u(σ), σ ≤ s, as a cubic through its ends: M u(σ) = p0 − σ g0/2 + (h²−σ²)/6 Hu + …, so the
  /// cubic coefficient is −M⁻¹Hu/6; u(0) follows from u(s). What is left starts with σ(s−σ)(h²−…)/24 M⁻¹(V‴[u,u] + H
  /// M⁻¹g), at most h²s²/96 of it between the ends; eight times that is taken, and the rounding of q.
  template <class L_s, class Step, class Vec, class Trace>
  static void enclose(Step step, L_s& L, const Vec& u, Vec& a, Trace& trace) {
    using Real = std::decay_t<decltype(step.s)>;
    const Real s = step.s;
    L.apply_MH0(u, a);
    trace.c3 = a / -6;
    trace.exact = false;
    trace.cubic = trace.refined = true;
    // M⁻¹V‴[u,u] from M⁻¹(g1−g0)/s − M⁻¹H0u = (s/2)M⁻¹V‴[u,u] + …
    trace.radius = (2 / std::max(s, step.h / 64)) * (L.jerk() - a).cwiseAbs();
    L.apply_MH0(L.a0(), a);
    trace.radius += a.cwiseAbs();
    trace.radius *= step.h * step.h * s * s / 12;
    trace.radius += (8 * std::numeric_limits<Real>::epsilon()) * (trace.c0.cwiseAbs() + s * u.cwiseAbs());
    // End and second coefficient as known: c2 = −a0/2, c1 so that the end is met.
    trace.c2 = L.a0() / -2;
    trace.c1 = u - s * (trace.c2 + s * trace.c3);
  }
};

using Shadow2 = Shadow<2>;
using Shadow4 = Shadow<4>;

}  // namespace ricochet::closure
