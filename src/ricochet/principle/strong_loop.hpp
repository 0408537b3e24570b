// The loop of the strong principle: Hamilton's principle, discretised, with the impact point and the impact time among
// the variables (Fetecau 2003 (74)–(79)).
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "ricochet/contact/flight.hpp"
#include "ricochet/contact/push_off.hpp"
#include "ricochet/principle/budget.hpp"
#include "ricochet/principle/clock.hpp"
#include "ricochet/principle/jump.hpp"
#include "ricochet/principle/laws.hpp"
#include "ricochet/principle/log.hpp"
#include "ricochet/principle/next_event.hpp"

namespace ricochet::principle {

struct StrongOptions {
  int max_impacts_per_step = 200000;  ///< e = 0.999 needs thousands before its accumulation is passed (errata F14)
  double step = 0;                    ///< length of the steps to come, if known: what counts as closed at the start
};

/// It is compiled once for double and once for long double: the body, its gaps and the closure that flies it are behind
/// motion::Island and motion::Flier. `Strong<Body, Closure>` (strong.hpp) is its door for C++ users.
template <class R>
class StrongLoop {
 public:
  using Node = motion::Node<R>;
  using Step = discrete::Step<R>;
  using Interval = discrete::Interval<R>;

  StrongLoop(const motion::Island<R>& island, motion::Flier<R>& flier, Node start, Laws<R> laws, StrongOptions options);
  StrongLoop(const StrongLoop&) = delete;
  StrongLoop& operator=(const StrongLoop&) = delete;

  const Node& node() const { return node_; }
  long long steps() const { return clock_.steps(); }
  long long impacts() const { return impacts_; }
  const motion::GapList& held() const { return held_; }
  const FallbackCounts& fallbacks() const { return budget_.counts(); }

  /// All that the next step depends on: restored into a run of the same body, it goes on bit for bit.
  struct State {
    typename Clock<R>::State clock;
    motion::GapList held;
    long long impacts;
    FallbackCounts fallbacks;
  };
  State state() const { return {clock_.state(), held_, impacts_, budget_.counts()}; }
  void restore(Node node, const State& s);

  /// One step of length h: flights and events, earliest first, any number of them.
  void advance(R h, Log<R>& log);
  /// n steps of length h.
  void run(R h, long long n, Log<R>& log);
  /// Up to n steps at once that nobody looks at, as long as nothing happens in them and where the body has a faster way
  /// than one after the other (bars: many steps per sweep over memory). Returns how many; the bits are those of
  /// advance().
  long long many(R h, long long n);

 private:
  bool depart(Log<R>& log);
  void arrive(const Event<R>& event, Log<R>& log);
  void finish(Log<R>& log);

  // One transition for each kind of event; the flight up to it has been flown.
  void pass(const End<R>&, Log<R>&) {}
  void pass(const Meeting<R>& meeting, Log<R>& log);
  void pass(const Touchdown<R>& touchdown, Log<R>& log);
  void pass(const Release<R>& release, Log<R>& log);
  void pass(const Handover<R>&, Log<R>& log) { log.arrive(clock_.steps(), node_); }
  void pass(const SlipChange<R>& change, Log<R>& log);
  void pass(const Graze<R>& graze, Log<R>& log);

  /// A gap that let go and closes again later in the step may be held again; sooner it would only flicker.
  bool came_back(R s) const { return s > R(contact::tolerances::came_back) * clock_.h(); }
  void push_off(int gap);
  void tell_flight(Log<R>& log, const Node& from, Step step, const Interval& interval);
  void tell_contacts(Log<R>& log);

  const motion::Island<R>& island_;
  motion::Flier<R>& flier_;
  const Laws<R> laws_;
  Budget<R> budget_;
  Clock<R> clock_;
  Node node_, before_, trial_;
  contact::Flight<R> flight_, trial_flight_;
  Interval arrived_;      ///< of the flight that an event ended
  bool settled_ = false;  ///< trial_flight_ is the flight to come, and nothing happens in it
  Jump<R> jump_;
  contact::PushOff<R> push_off_;
  motion::Covector normal_;
  motion::GapList held_, released_;  ///< released in this step: not held again before they have come back
  long long impacts_ = 0;
};

template <class R>
void StrongLoop<R>::advance(R h, Log<R>& log) {
  motion::PlainMeanwhile<R> usual(flier_);
  clock_.begin(h);
  budget_.begin_step(h);
  released_.clear();
  flight_.hold.forget();
  settled_ = false;
  for (;;) {
    const bool quiet = depart(log);
    const Event<R> event = quiet ? End<R>{} : NextEvent<R>{island_,       flier_,  laws_,  node_,
                                                           clock_.rest(), flight_, trial_, jump_.active()}();
    if (is<End>(event)) return finish(log);
    budget_.spend(event, node_);
    arrive(event, log);
    std::visit([&](const auto& e) { pass(e, log); }, event);
    if (budget_.asks_for_plain_flight(event, node_) && !settled_ && usual.make_plain())
      budget_.count(Fallback::plain_flight);
  }
}

template <class R>
StrongLoop<R>::StrongLoop(const motion::Island<R>& island, motion::Flier<R>& flier, Node start, Laws<R> laws,
                          StrongOptions options)
    : island_(island),
      flier_(flier),
      laws_(std::move(laws)),
      budget_(island_, laws_, options.max_impacts_per_step),
      clock_(start.t),
      node_(std::move(start)),
      before_(node_),
      trial_(node_),
      jump_(island_, flier_, laws_, budget_) {
  flight_.end = trial_flight_.end = node_;
  require_admissible(island_, node_, R(options.step));
}

template <class R>
void StrongLoop<R>::restore(Node node, const State& s) {
  node_ = std::move(node);
  clock_.restore(s.clock);
  held_ = s.held;
  impacts_ = s.impacts;
  budget_.restore(s.fallbacks);
}

template <class R>
void StrongLoop<R>::run(R h, long long n, Log<R>& log) {
  while (n > 0) {
    if (!log.looks_at_steps())
      if (const long long flown = many(h, n); flown > 0) {
        n -= flown;
        continue;
      }
    advance(h, log);
    --n;
  }
}

template <class R>
long long StrongLoop<R>::many(R h, long long n) {
  if (!held_.empty() || island_.has_others()) return 0;  // what flies ahead watches the body's own gaps
  const long long flown = flier_.many(node_, before_, h, n);
  if (flown > 0) island_.set_time(node_, clock_.end(h, flown));
  if (flown >= 0 && !island_.finite(node_)) not_finite(island_, node_);
  return std::max(flown, 0LL);
}

// ---- flying --------------------------------------------------------------------------------------------------------

/// Flies the closure's curve over what is left of the step, held to the gaps that rest. Returns whether a trial of the
/// last impact has flown it already and found that nothing happens.
template <class R>
bool StrongLoop<R>::depart(Log<R>& log) {
  if (settled_)
    std::swap(flight_, trial_flight_);
  else
    flight_.depart(island_, flier_, node_, clock_.rest(), released_);
  if (flight_.hold.ambiguous()) budget_.count(Fallback::ambiguous);
  tell_contacts(log);
  return settled_;
}

/// Goes to the event.
template <class R>
void StrongLoop<R>::arrive(const Event<R>& event, Log<R>& log) {
  before_ = node_;
  const Step piece{length_of(event), clock_.h()};
  arrived_ = flight_.piece(island_, flier_, before_, piece, node_);
  tell_flight(log, before_, piece, arrived_);
  island_.set_time(node_, clock_.advance(piece.s));
  settled_ = false;
}

template <class R>
void StrongLoop<R>::finish(Log<R>& log) {
  tell_flight(log, node_, clock_.rest(), flight_.interval);
  if (!island_.finite(flight_.end)) not_finite(island_, flight_.end);
  std::swap(node_, flight_.end);
  island_.set_time(node_, clock_.end(clock_.h(), 1));
  log.node(clock_.steps(), node_, flight_.interval);
}

// ---- events --------------------------------------------------------------------------------------------------------

template <class R>
void StrongLoop<R>::pass(const Meeting<R>& meeting, Log<R>& log) {
  flight_.hold.forget();
  before_ = node_;
  const auto& active = jump_.gather(meeting, node_, clock_.h());
  if (came_back(meeting.s))
    for (int i = 0; i < active.size(); ++i) std::erase(released_, active.contact(i).gap);
  const auto jumped =
      jump_(arrived_, flight_.hold.any(), meeting, before_, node_, clock_.rest(), released_, trial_flight_, log);
  settled_ = jumped.settled;
  ++impacts_;
  log.impact({impacts_, clock_.steps(), node_.t, clock_.alpha(), before_, node_, active, jumped.mu, jumped.dissipated,
              *jumped.law});
}

template <class R>
void StrongLoop<R>::pass(const Touchdown<R>& touchdown, Log<R>& log) {
  if (came_back(touchdown.s)) std::erase(released_, touchdown.gap);
  log.arrive(clock_.steps(), node_);
}

template <class R>
void StrongLoop<R>::pass(const Release<R>& release, Log<R>& log) {
  released_.push_back(release.gap);
  log.arrive(clock_.steps(), node_);
  push_off(release.gap);
}

template <class R>
void StrongLoop<R>::pass(const SlipChange<R>& change, Log<R>& log) {
  flight_.hold.note(change.change);
  log.arrive(clock_.steps(), node_);
}

template <class R>
void StrongLoop<R>::pass(const Graze<R>& graze, Log<R>& log) {
  log.graze(clock_.steps(), graze.gap, node_);
  if (contact::PushOff<R>::needed(island_) && island_.contact(graze.gap, node_, clock_.h(), normal_).acceleration > 0)
    push_off(graze.gap);
}

/// Where a rule of first order lets go of a surface, or touches it as the motion leaves.
template <class R>
void StrongLoop<R>::push_off(int gap) {
  if (!contact::PushOff<R>::needed(island_)) return;
  if (push_off_.give(island_, flier_, node_, clock_.h(), held_, gap)) budget_.count(Fallback::push_off);
}

// ---- telling -------------------------------------------------------------------------------------------------------

template <class R>
void StrongLoop<R>::tell_flight(Log<R>& log, const Node& from, Step step, const Interval& interval) {
  auto gap_at = [&](int i, R s) {
    if (!flight_.hold.any()) return flier_.gap_along(island_, i, from, {s, step.h}, flight_.trace);
    flight_.piece(island_, flier_, from, {s, step.h}, trial_);
    return island_.gap(i, trial_);
  };
  log.flight(from, step, interval, flight_.trace, gap_at);
}

template <class R>
void StrongLoop<R>::tell_contacts(Log<R>& log) {
  const auto& now = flight_.hold.gaps();
  if (now == held_) return;
  for (const int i : held_)
    if (!flight_.hold.holds(i) && i < island_.gaps()) log.contact(i, node_.t, false);
  for (const int i : now)
    if (std::find(held_.begin(), held_.end(), i) == held_.end() && i < island_.gaps()) log.contact(i, node_.t, true);
  held_ = now;
}

#ifdef RICOCHET_COMPILED_LOOP  // set by linking ricochet::principle, which has them (instances.cpp)
extern template class StrongLoop<double>;
#endif
#ifdef RICOCHET_COMPILED_LONG_DOUBLE  // set by linking ricochet::long_double
extern template class StrongLoop<long double>;
#endif

}  // namespace ricochet::principle
