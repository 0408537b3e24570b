// The time of a run: grid times of whole steps, and how much of the present step is left.
#pragma once

#include "ricochet/discrete/interval.hpp"

namespace ricochet::principle {

/// Grid times are t0 + k h, not a running sum, from where h last changed.
template <class R>
class Clock {
 public:
  /// All that a clock depends on between two steps.
  struct State {
    R start{}, grid{}, h{};
    long long steps = 0, grid_steps = 0;
  };

  explicit Clock(R start) { state_.start = start; }

  const State& state() const { return state_; }
  void restore(const State& state) { state_ = state; }
  long long steps() const { return state_.steps; }

  /// Begins a step of length h.
  void begin(R h) { elapsed_ = 0, h_ = h; }
  /// What is left of the step.
  discrete::Step<R> rest() const { return {h_ - elapsed_, h_}; }
  /// Goes on by s within the step; returns the time.
  R advance(R s) {
    elapsed_ += s;
    return state_.start + elapsed_;
  }
  R h() const { return h_; }
  /// The place of the present time within the step, α.
  R alpha() const { return elapsed_ / h_; }
  /// The time n steps of length h from the last whole step. A new step length counts grid times from there.
  R after(R h, long long n) const {
    const bool same = h == state_.h;
    const long long k = n + (same ? state_.steps - state_.grid_steps : 0);
    return (same ? state_.grid : state_.start) + static_cast<R>(k) * h;
  }
  /// Ends n steps of length h; returns the time.
  R end(R h, long long n) {
    const R t = after(h, n);
    if (h != state_.h) {
      state_.grid = state_.start;
      state_.grid_steps = state_.steps;
      state_.h = h;
    }
    state_.steps += n;
    return state_.start = t;
  }

 private:
  State state_;
  R elapsed_{}, h_{};
};

}  // namespace ricochet::principle
