// Closures: which curve is flown in an impact step, and which energy the impulse must balance.
#pragma once

#include <optional>
#include <type_traits>

#include "ricochet/discrete/flight.hpp"
#include "ricochet/motion/flier.hpp"

namespace ricochet::closure {

// A closure offers
//
//   fly(body, node, step, out[, trace], work)      the curve of a piece of an impact step, as an Interval; at s = h it
//                                                  is the rule's plain step
//   gap_along(body, i, node, step, trace, work)    φ_i at the end of that piece
//   balances()                                     whether a conservative impulse is sized by E⁺ = E⁻ (Fetecau 2003
//                                                  (75b)); otherwise by the law alone
//   name()
//
// and may offer
//
//   leave(body, node, step, scratch, work)         fly, if only the energy at the start is asked
//   excess_of_kick(body, before, after, h, work)   what a kick does to the closure's energy beyond H
//   plain(), is_plain()                            what to fly instead where its curve has no answer

using motion::KickExcess;

/// Flies the rule's own discrete Lagrangian over the pieces of an impact step.
struct PlainCurve {
  template <class Body>
  auto fly(const Body& body, const typename Body::Node& from, typename Body::Step step, typename Body::Node& out,
           typename Body::Work& work) const {
    return body.fly(from, step, out, work);
  }
  template <class Body>
  auto fly(const Body& body, const typename Body::Node& from, typename Body::Step step, typename Body::Node& out,
           typename Body::Trace& trace, typename Body::Work& work) const {
    return body.fly(from, step, out, trace, work);
  }
  template <class Body>
  auto gap_along(const Body& body, int i, const typename Body::Node& from, typename Body::Step step,
                 const typename Body::Trace& trace, typename Body::Work& work) const {
    return body.gap_along(i, from, step, trace, work);
  }
};

/// Fetecau 2003 (74)–(79): impact point and time are variables of the discrete action, so E_d = −D3 L_d is equal on
/// both sides. Symplectic; the energy itself is kicked by O(h²) (errata F11).
struct Variational : PlainCurve {
  static constexpr bool balances() { return true; }
  static constexpr const char* name() { return "variational"; }
};

/// Kinetic reflection at the located impact point. Keeps H at the impact; not symplectic.
struct Reflection : PlainCurve {
  static constexpr bool balances() { return false; }
  static constexpr const char* name() { return "reflection"; }
};

}  // namespace ricochet::closure
