// Long computations ask, now and then, whether anybody still waits for them.
#pragma once

#include <utility>

#include "ricochet/numerics/function_ref.hpp"

namespace ricochet::numerics {

/// What poll() asks on this thread; null where nobody could end the computation.
constinit inline thread_local const FunctionRef<void()>* asked_by_poll = nullptr;

/// Loops that may be long call this now and then. What is asked ends the computation by an exception, in the middle
/// of a step: what was computed is then what a kill would have left.
inline void poll() {
  if (asked_by_poll != nullptr) (*asked_by_poll)();
}

/// While one lives, poll() asks this function.
class Polled {
 public:
  explicit Polled(FunctionRef<void()> ask) : ask_(ask), before_(std::exchange(asked_by_poll, &ask_)) {}
  ~Polled() { asked_by_poll = before_; }
  Polled(const Polled&) = delete;
  Polled& operator=(const Polled&) = delete;

 private:
  FunctionRef<void()> ask_;
  const FunctionRef<void()>* before_;
};

}  // namespace ricochet::numerics
