// A flight over what is left of a step: free, or held to the gaps that rest.
#pragma once

#include <algorithm>
#include <optional>
#include <type_traits>

#include "ricochet/contact/active_set.hpp"
#include "ricochet/contact/held.hpp"
#include "ricochet/contact/locate.hpp"

namespace ricochet::contact {

/// The curve of a held flight, for `locate`: free gaps may close along it.
template <class Real>
class HeldPath final : public motion::Path<Real> {
 public:
  HeldPath(const motion::Island<Real>& island, motion::Flier<Real>& flier, Held<Real>& hold)
      : island_(island), flier_(flier), hold_(hold) {}
  Real gap_along(const motion::Island<Real>& island, int i, const motion::Node<Real>& from, discrete::Step<Real> step,
                 const motion::Trace&) override {
    out_ = from;
    hold_.fly(island_, flier_, from, step, out_);
    return island.gap(i, out_);
  }
  void refine(const motion::Node<Real>& from, discrete::Step<Real> step, const motion::Node<Real>& end,
              motion::Trace& trace) override {
    island_.refine_trace(trace, end, [&](Real s, motion::Node<Real>& x) {
      hold_.fly(island_, flier_, from, {s, step.h}, x);
    });
  }
  void begin_search() override { flier_.begin_search(); }
  void end_search() override { flier_.end_search(); }

 private:
  const motion::Island<Real>& island_;
  motion::Flier<Real>& flier_;
  Held<Real>& hold_;
  motion::Node<Real> out_;
};

/// The flight to the end of a step and what is known of it. Along the closure's curve, or held: what is asked of it
/// afterwards (pieces, crossings) is asked of the curve that was chosen at its start.
template <class Real>
struct Flight {
  using Node = motion::Node<Real>;
  using Step = discrete::Step<Real>;
  using Interval = discrete::Interval<Real>;

  Node end;
  motion::Trace trace;
  Interval interval;
  motion::GapList near;     ///< gaps that may close along it
  motion::Covector normal;  ///< scratch
  Held<Real> hold;

  /// To the end of `rest`; gaps in `released` have let go in this step and are not held again.
  // The step by reference: g++ 12 writes one that comes in two registers to memory and reads it back as one, a stall
  // that costs a step of the star a tenth.
  void depart(const motion::Island<Real>& island, motion::Flier<Real>& closure, const Node& from, const Step& rest,
              const motion::GapList& released) {
    interval = closure.fly(from, rest, end, trace);
    island.candidates(trace, near);
    add_still(island, from, rest.h);
    if (near.empty() && island.constraints() == 0 && !hold.any()) return hold.choose_nothing();
    hold.choose(island, from, rest.h, near, released);
    if (!hold.any()) return;
    interval = hold.fly(island, closure, from, rest, end);
    island.begin_trace(from, rest, end, trace);
    island.candidates(trace, near);
  }

  /// A flight of rectangle-right does not move from rest: gaps that are closed to rounding rest, whichever side of zero
  /// the rounding fell on, and their curve does not show it.
  void add_still(const motion::Island<Real>& island, const Node& from, Real h) {
    if (island.lateness() < 1) return;
    for (const int i : island.closable()) {
      if (std::find(near.begin(), near.end(), i) != near.end()) continue;
      const auto contact = island.contact(i, from, h, normal);
      if (closed(contact) && resting(contact)) near.push_back(i);
    }
  }

  /// A shorter piece of it.
  Interval piece(const motion::Island<Real>& island, motion::Flier<Real>& closure, const Node& from, Step length,
                 Node& out) {
    if (!hold.any()) return closure.fly(from, length, out);
    return hold.fly(island, closure, from, length, out);
  }

  /// φ̇ of a gap where the curve starts, which for a closure's own curve need not be that of the momentum. `value` is φ
  /// there.
  Real rate_at_start(const motion::Island<Real>& island, motion::Flier<Real>& closure, const Node& from, Step rest,
                     int gap, Real value) const {
    const auto slope = island.gap_bound(gap, trace, Real(0), Real(0)).slope;
    if (std::abs(slope.mid) > slope.rad) return slope.mid;
    const Real d = Real(tolerances::just_after) * rest.s;  // the enclosure does not know the sign: the curve does
    return (closure.gap_along(island, gap, from, {d, rest.h}, trace) - value) / d;
  }

  /// The first gap that closes later than `after`.
  std::optional<Crossing<Real>> crossing(const motion::Island<Real>& island, motion::Flier<Real>& closure,
                                         const Node& from, Step rest, Real after) {
    if (near.empty()) return std::nullopt;
    if (!hold.any())
      return locate<Real>(island, closure, from, rest, end, trace, after, near, normal, [](int) { return false; });
    HeldPath<Real> path(island, closure, hold);
    return locate<Real>(island, path, from, rest, end, trace, after, near, normal,
                        [&](int i) { return hold.holds(i); });
  }
};

}  // namespace ricochet::contact
