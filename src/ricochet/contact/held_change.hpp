// Where along a held flight something changes of what is held.
#pragma once

#include <utility>

#include "ricochet/contact/held.hpp"
#include "ricochet/numerics/root.hpp"

namespace ricochet::contact {

/// The first change before `end`, with its time, if there is any: `fly(s)` flies a piece into `trial`.
template <class Real, class Fly>
std::pair<typename Held<Real>::Change, Real> first_change(const motion::Island<Real>& island, Held<Real>& held,
                                                          const motion::Node<Real>& from,
                                                          const motion::Node<Real>& trial, Real h, Real end,
                                                          Fly&& fly) {
  typename Held<Real>::Change first;
  for (int tries = 0; tries < 64; ++tries) {
    fly(end);
    const auto change = held.change(island, trial, h);
    if (change.kind == change.none || change == first) break;
    if (const auto rest = held.rest_of(change)) {
      end = *rest;
      first = change;
      continue;
    }
    auto margin = [&](Real s) {
      fly(s);
      return held.margin(island, trial, h, change);
    };
    // At the start a slip that begins, or friction at its limit, has no margin yet; soon after it has.
    Real start = 0, left = held.margin(island, from, h, change);
    const bool later_only = held.rough() > 0 || change.kind == change.hands_over;
    for (int halves = 1; later_only && !(left > 0) && halves <= 4; ++halves)
      left = margin(start = end / Real(1 << halves));
    Real later = end;
    // A force that jumps lets go behind the jump: before it the gap would be closed again.
    end = left > 0 ? numerics::bracketed_root<Real>(margin, start, left, end, margin(end)).behind(left) : Real(0);
    first = change;
    if (change.kind == change.slip_rests || held.rough() < 2) continue;
    // The reactions of several rough gaps need not be unique, and those of least norm, which `margin` sees, need not be
    // what decides. If nothing changes right after the root, they share anew: halve the time until something does.
    const auto goes_on = [&](Real s) {
      fly(s);
      return held.change(island, trial, h).kind == change.none;
    };
    Real sooner = end + Real(tolerances::just_after) * (later - end);
    if (!goes_on(sooner)) continue;
    for (Real middle; (middle = (sooner + later) / 2) > sooner && middle < later;)
      (goes_on(middle) ? sooner : later) = middle;
    end = later;
  }
  return {first, end};
}

}  // namespace ricochet::contact
