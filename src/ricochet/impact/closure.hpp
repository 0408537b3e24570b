// Closures: which curve is flown in an impact step, and which energy the impulse must balance.
#pragma once

#include <optional>
#include <type_traits>

#include "ricochet/discrete/flight.hpp"

namespace ricochet::impact {

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

/// How a closure's energy beyond H changes when μ times a kick is given: linear·μ + quadratic·μ², to leading order.
template <class Real>
struct KickExcess {
  Real linear, quadratic;
};

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

/// Whether a closure has a plain one to offer in its place.
template <class Closure>
bool may_be_plain(const Closure& closure) {
  if constexpr (requires { closure.plain(); })
    return !closure.is_plain();
  else
    return false;
}

/// Curves of shadow closures and the momentum disagree about the slowest hops, and where one hop follows the other that
/// may not end. The rule's own curve starts as the momentum says: while one of these lives, it may take the place of
/// the closure's.
template <class Closure>
class PlainMeanwhile {
  static constexpr bool possible = requires(Closure& closure) { closure.plain(); };

 public:
  explicit PlainMeanwhile(Closure& closure) : closure_(closure) {}
  PlainMeanwhile(const PlainMeanwhile&) = delete;
  PlainMeanwhile& operator=(const PlainMeanwhile&) = delete;
  ~PlainMeanwhile() {
    if constexpr (possible)
      if (usual_) closure_ = *usual_;
  }
  /// Returns whether that changed anything.
  bool make_plain() {
    if constexpr (possible) {
      if (!may_be_plain(closure_)) return false;
      usual_ = closure_;
      closure_ = closure_.plain();
      return true;
    } else {
      return false;
    }
  }

 private:
  struct Nothing {};
  Closure& closure_;
  [[no_unique_address]] std::conditional_t<possible, std::optional<Closure>, Nothing> usual_;
};

}  // namespace ricochet::impact
