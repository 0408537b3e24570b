// What a step may take: every bound of the loop, and every fallback counted.
#pragma once

#include <algorithm>
#include <utility>

#include "ricochet/contact/tolerance.hpp"
#include "ricochet/principle/event.hpp"
#include "ricochet/principle/fallback.hpp"
#include "ricochet/principle/refusals.hpp"

namespace ricochet::principle {

/// How often one flight may touch zero, or one step graze it, before the step is given up.
inline constexpr int most_grazes = 1000;
/// Elastic hops that graze are left to the closure, which keeps their energy, up to this many in a step. The rule's own
/// curve ends those that follow.
inline constexpr int grazes_by_closure = 20;
/// Changes between sticking and sliding one after the other that take no time.
inline constexpr int most_stalls = 100;
/// Events at one instant, and per gap if there are many: what acts together is one event, and what it sets in motion a
/// few more.
inline constexpr int most_at_once = 1000, most_at_once_per_gap = 100;

template <class R>
class Budget {
 public:
  Budget(const motion::Island<R>& island, const Laws<R>& laws, int most_events)
      : island_(island), laws_(laws), most_events_(most_events) {}

  void begin_step(R h) {
    events_ = grazes_ = stalls_ = 0;
    instant_ = R(contact::tolerances::same_instant) * h;
    at_once_ = 0;
  }
  /// Takes an event that ends a flight from `node` into account, or ends the run with a sentence.
  void spend(const Event<R>& event, const motion::Node<R>& node) {
    if (events_++ >= most_events_) too_many_impacts(most_events_, laws_, island_, node);
    if (at_once_ == 0 || node.t + length_of(event) - since_ > instant_) {
      since_ = node.t + length_of(event);
      at_once_ = 0;
    }
    if (!grazes(event) && ++at_once_ > std::max(most_at_once, most_at_once_per_gap * island_.gaps()))
      no_room(gap_ != gap_of(event) ? gap_ : gap_before_, gap_of(event), laws_, island_, node);
    if (gap_of(event) != gap_) gap_before_ = std::exchange(gap_, gap_of(event));
    if (grazes(event)) {
      count(Fallback::graze);
      if (++grazes_ > most_grazes) grazes_without_end(gap_of(event), laws_, island_, node);
    }
    const auto* slip = std::get_if<SlipChange<R>>(&event);
    stalls_ = slip != nullptr && slip->s == 0 ? stalls_ + 1 : 0;
    if (stalls_ > most_stalls) undecided(gap_of(event), island_, node);
  }
  /// Whether the rest of the step is to be flown on the rule's own curve, which starts as the momentum says: hops
  /// without end, and those that a law with e < 1 is to bring to rest.
  bool asks_for_plain_flight(const Event<R>& event, const motion::Node<R>& node) const {
    return grazes_ > grazes_by_closure || (is<Graze>(event) && laws_.restitution_of(gap_of(event), node) < 1);
  }

  void count(Fallback f) { ++counts_[static_cast<std::size_t>(f)]; }
  const FallbackCounts& counts() const { return counts_; }
  void restore(const FallbackCounts& counts) { counts_ = counts; }

 private:
  const motion::Island<R>& island_;
  const Laws<R>& laws_;
  int most_events_;
  int events_ = 0, grazes_ = 0;
  int at_once_ = 0;  ///< events since `since_`, which is an instant ago at most
  R instant_ = 0, since_ = 0;
  int gap_ = -1, gap_before_ = -1;  ///< of the last events
  int stalls_ = 0;                  ///< changes of friction in no time, one after the other
  FallbackCounts counts_{};
};

}  // namespace ricochet::principle
