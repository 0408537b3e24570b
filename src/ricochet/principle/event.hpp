// What can end a flight: a closed sum.
#pragma once

#include <variant>

#include "ricochet/contact/active_set.hpp"
#include "ricochet/contact/held.hpp"

namespace ricochet::principle {

/// Every event carries the length s of the flight that it ends.
template <class R>
struct End {  ///< nothing happens up to the end of the step
  R s;
};
template <class R>
struct Meeting {  ///< closed gaps approach: an impact
  R s;
  int gap;
  contact::Entering<R> entering{};  ///< a gap that only the curve of the flight enters, slower than its momentum knows
};
template <class R>
struct Touchdown {  ///< a gap closes at rest: contact begins without an impact
  R s;
  int gap;
};
template <class R>
struct Release {  ///< a held gap would pull
  R s;
  int gap;
};
template <class R>
struct Handover {  ///< another branch of the union whose branch is held becomes the larger one
  R s;
  int gap;
};
template <class R>
struct SlipChange {  ///< a slip comes to rest, or friction reaches its limit
  R s;
  int gap;
  typename contact::Held<R>::Change change;
};
template <class R>
struct Graze {  ///< the curve touches zero, which the momentum does not
  R s;
  int gap;
};

template <class R>
using Event = std::variant<End<R>, Meeting<R>, Touchdown<R>, Release<R>, Handover<R>, SlipChange<R>, Graze<R>>;

template <template <class> class Kind, class R>
bool is(const Event<R>& event) {
  return std::holds_alternative<Kind<R>>(event);
}
template <class R>
R length_of(const Event<R>& event) {
  return std::visit([](const auto& e) { return e.s; }, event);
}
/// The gap that an event is about; −1 for the end of a step.
template <class R>
int gap_of(const Event<R>& event) {
  return std::visit(
      [](const auto& e) {
        if constexpr (requires { e.gap; })
          return e.gap;
        else
          return -1;
      },
      event);
}
/// Whether the curve and the momentum disagree about it.
template <class R>
bool grazes(const Event<R>& event) {
  if (is<Graze>(event)) return true;
  const auto* meeting = std::get_if<Meeting<R>>(&event);
  return meeting != nullptr && meeting->entering.gap >= 0;
}

}  // namespace ricochet::principle
