// A flight over what is left of a step: free, or held to the gaps that rest.
#pragma once

#include <algorithm>
#include <optional>
#include <type_traits>

#include "ricochet/impact/active_set.hpp"
#include "ricochet/impact/hold.hpp"
#include "ricochet/impact/hold_friction.hpp"
#include "ricochet/impact/locate.hpp"

namespace ricochet::impact {

/// The flight to the end of a step and what is known of it. Along the closure's curve, or held: what is asked of it
/// afterwards (pieces, crossings) is asked of the curve that was chosen at its start.
template <class Body>
struct Flight {
  using Real = typename Body::Real;
  using Node = typename Body::Node;
  using Step = typename Body::Step;
  using Interval = typename Body::Interval;
  using Work = typename Body::Work;
  using Holding = std::conditional_t<Frictional<Body>, RoughHold<Body>, Hold<Body>>;

  Node end;
  typename Body::Trace trace;
  Interval interval;
  GapList near;  ///< gaps that may close along it
  Holding hold;

  /// To the end of `rest`; gaps in `released` have let go in this step and are not held again.
  // The step by reference: g++ 12 writes one that comes in two registers to memory and reads it back as one, a stall
  // that costs a step of the star a tenth.
  template <class Closure>
  void depart(const Body& body, Closure& closure, const Node& from, const Step& rest, const GapList& released,
              Work& work) {
    interval = closure.fly(body, from, rest, end, trace, work);
    body.candidates(trace, near, work);
    if constexpr (Holdable<Body>) {
      add_still(body, from, rest.h, work);
      if (near.empty() && body.constraints() == 0 && !hold.any()) return hold.choose_nothing();
      hold.choose(body, from, rest.h, near, released, work);
      if (!hold.any()) return;
      interval = hold.fly(body, closure, from, rest, end, work);
      body.begin_trace(from, rest, end, trace);
      body.candidates(trace, near, work);
    }
  }

  /// A flight of rectangle-right does not move from rest: gaps that are closed to rounding rest, whichever side of zero
  /// the rounding fell on, and their curve does not show it.
  void add_still(const Body& body, const Node& from, Real h, Work& work) {
    if constexpr (requires { body.rule().lateness(); }) {
      if (body.rule().lateness() < 1) return;
      typename Body::Normal normal;
      for (int i = 0; i < body.gaps(); ++i) {
        if (std::find(near.begin(), near.end(), i) != near.end()) continue;
        const auto contact = body.contact(i, from, h, normal, work);
        if (contact.closed() && contact.resting()) near.push_back(i);
      }
    }
  }

  /// A shorter piece of it.
  template <class Closure>
  Interval piece(const Body& body, Closure& closure, const Node& from, Step length, Node& out, Work& work) {
    if (!hold.any()) return closure.fly(body, from, length, out, work);
    return hold.fly(body, closure, from, length, out, work);
  }

  /// φ̇ of a gap where the curve starts, which for a closure's own curve need not be that of the momentum. `value` is φ
  /// there.
  template <class Closure>
  Real rate_at_start(const Body& body, const Closure& closure, const Node& from, Step rest, int gap, Real value,
                     Work& work) const {
    const auto slope = body.gap_bound(gap, trace, Real(0), Real(0)).slope;
    if (std::abs(slope.mid) > slope.rad) return slope.mid;
    const Real d = Real(1e-6) * rest.s;  // the enclosure does not know the sign: the curve does
    return (closure.gap_along(body, gap, from, {d, rest.h}, trace, work) - value) / d;
  }

  /// The first gap that closes later than `after`.
  template <class Closure>
  std::optional<Crossing<Real>> crossing(const Body& body, Closure& closure, const Node& from, Step rest, Real after,
                                         Work& work) {
    if (near.empty()) return std::nullopt;
    if (!hold.any()) return locate(body, closure, from, rest, end, trace, after, work, near, [](int) { return false; });
    return locate(body, HeldCurve<Body, Closure, Holding>{hold, closure}, from, rest, end, trace, after, work, near,
                  [&](int i) { return hold.holds(i); });
  }
};

}  // namespace ricochet::impact
