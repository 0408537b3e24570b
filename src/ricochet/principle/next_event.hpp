// What ends a flight: the first thing that happens along it.
#pragma once

#include <cmath>
#include <limits>
#include <optional>

#include "ricochet/contact/active_set.hpp"
#include "ricochet/contact/flight.hpp"
#include "ricochet/contact/held_change.hpp"
#include "ricochet/numerics/root.hpp"
#include "ricochet/principle/budget.hpp"
#include "ricochet/principle/event.hpp"
#include "ricochet/principle/laws.hpp"
#include "ricochet/principle/refusals.hpp"

namespace ricochet::principle {

/// Looks along a flight from `node` over what is left of a step.
template <class Real>
struct NextEvent {
  using Node = motion::Node<Real>;

  const motion::Island<Real>& island;
  motion::Flier<Real>& closure;
  const Laws<Real>& laws;
  const Node& node;
  const discrete::Step<Real> rest;
  contact::Flight<Real>& flight;
  Node& trial;                       ///< scratch: a node on the flight
  contact::ActiveSet<Real>& active;  ///< scratch

  /// Of a time within the step.
  const Real rounding = 4 * std::numeric_limits<Real>::epsilon() * rest.h;

  /// A crossing that approaches is an impact; one that rests and presses is a touch-down; one that does neither touches
  /// zero and leaves the flight as it is, or is a graze. What is held may change before it.
  Event<Real> operator()() {
    const motion::Search<Real> search(closure);
    Event<Real> event = first_crossing();
    if (flight.hold.any()) find_change(event);
    return event;
  }

 private:
  void fly_to(Real s) { flight.piece(island, closure, node, {s, rest.h}, trial); }

  Event<Real> first_crossing() {
    Real after = 0;
    for (int touches = 0;; ++touches) {
      auto next = flight.crossing(island, closure, node, rest, after);
      if (!next) return End<Real>{rest.s};
      if (touches > most_grazes) grazes_without_end(next->gap, laws, island, node);
      fly_to(next->s);
      if (acts()) return Meeting<Real>{next->s, next->gap};
      auto contact = island.contact(next->gap, trial, rest.h, flight.normal);
      if (contact.value < -contact::tolerance(contact)) {
        next->s = entry(next->gap, touches > 0 ? after - rounding : Real(0), next->s, contact::tolerance(contact));
        fly_to(next->s);
        if (acts()) return Meeting<Real>{next->s, next->gap};
        contact = island.contact(next->gap, trial, rest.h, flight.normal);
      }
      const Real falls_together = contact::acceleration_tolerance(contact);  // φ̈ = 0 counts as held, with λ = 0
      if (contact::closed(contact) && contact::resting(contact) && contact.acceleration <= falls_together &&
          next->s > 16 * rounding)  // what rests at the start and is not held has just let go
        return Touchdown<Real>{next->s, next->gap};
      if (touches > 0 && next->s <= after + rounding)
        if (const auto found = graze(*next, contact)) return *found;
      after = next->s + rounding;
    }
  }

  /// Whether an impact happens at the trial node.
  bool acts() {
    return active.gather(island, trial, rest.h, [&](int gap, const Node& at) { return laws.restitution_of(gap, at); });
  }

  /// Enclosures of curves that have to be solved for are measured, not proved. Where one was too narrow the crossing it
  /// led to lies behind the true one, which is then found on the curve itself.
  Real entry(int gap, Real open, Real late, Real tolerance) {
    auto value = [&](Real s) {
      fly_to(s);
      return island.admissible(gap, trial);
    };
    Real s = late, at_late = value(late);
    for (int halves = 0; halves < 50; ++halves) {
      s = open + (s - open) / 2;
      const Real at_s = value(s);
      if (at_s > 0) {
        const auto root = numerics::bracketed_root<Real>(value, s, at_s, late, at_late);
        if (std::abs(root.residual) > tolerance) jumps_through_zero(gap, root.residual, island, trial);
        return root.x;
      }
      late = s, at_late = at_s;
    }
    return open;
  }

  /// The curve enters where the momentum does not: the two agree to the order of the rule only, and grazing is slower
  /// than that. A flight that begins there with the momentum as it is mostly leaves. Where the curve of a closure
  /// enters at its very start too, its own rate is the one that the impact turns round: whole, whatever the
  /// restitution, so a hop that is to end begins anew with the rule's own curve instead.
  std::optional<Event<Real>> graze(const contact::Crossing<Real>& at, const motion::Contact<Real>& contact) {
    if (at.s > 16 * rounding) return Graze<Real>{at.s, at.gap};
    const Real rate = flight.rate_at_start(island, closure, node, rest, at.gap, contact.value);
    if (island.slips(at.gap) > 0 || !(rate < -contact::rate_tolerance(contact))) return std::nullopt;
    if (closure.may_be_plain() && laws.restitution_of(at.gap, node) < 1) return Graze<Real>{Real(0), at.gap};
    return Meeting<Real>{Real(0), at.gap, {at.gap, rate, contact.rate}};
  }

  /// Replaces `event` by a change of what is held before it: a gap may let go, a slip come to rest, a stuck one begin.
  void find_change(Event<Real>& event) {
    const auto [change, s] = contact::first_change<Real>(island, flight.hold, node, trial, rest.h, length_of(event),
                                                         [&](Real length) { fly_to(length); });
    if (change.kind == change.none) return;
    if (change.kind == change.release)
      event = Release<Real>{s, change.gap};
    else if (change.kind == change.hands_over)
      event = Handover<Real>{s, change.gap};
    else
      event = SlipChange<Real>{s, change.gap, change};
  }
};

}  // namespace ricochet::principle
