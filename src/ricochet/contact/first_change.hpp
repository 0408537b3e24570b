// Where along a held flight friction changes what is held.
#pragma once

#include <utility>

#include "ricochet/contact/hold_friction.hpp"
#include "ricochet/numerics/root.hpp"

namespace ricochet::contact {

/// The first change before `end`, with its time, if there is any: `fly(s)` flies a piece into `trial`.
template <class Real, class Fly>
std::pair<typename RoughHold<Real>::Change, Real> first_change(const motion::Body<Real>& body, RoughHold<Real>& hold,
                                                               const motion::Node<Real>& from,
                                                               const motion::Node<Real>& trial, Real h, Real end,
                                                               Fly&& fly) {
  typename RoughHold<Real>::Change first;
  for (int tries = 0; tries < 64; ++tries) {
    fly(end);
    const auto change = hold.change(body, trial, h);
    if (change.kind == change.none || change == first) break;
    if (const auto rest = hold.rest_of(change)) {
      end = *rest;
      first = change;
      continue;
    }
    auto margin = [&](Real s) {
      fly(s);
      return hold.margin(body, trial, h, change);
    };
    // At the start a slip that begins, or friction at its limit, has no margin yet; soon after it has.
    Real start = 0, left = hold.margin(body, from, h, change);
    for (int halves = 1; !(left > 0) && halves <= 4; ++halves) left = margin(start = end / Real(1 << halves));
    Real later = end;
    end = left > 0 ? numerics::bracketed_root<Real>(margin, start, left, end, margin(end)).behind(left) : Real(0);
    first = change;
    if (change.kind == change.slip_rests || !hold.several()) continue;
    // Redundant supports share anew: if nothing changes right after the root, halve the time until it does.
    const auto goes_on = [&](Real s) {
      fly(s);
      return hold.change(body, trial, h).kind == change.none;
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
