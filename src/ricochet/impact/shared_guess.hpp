// Flights of one search may start from each other's solutions.
#pragma once

namespace ricochet::impact {

/// While one of these lives, flights from one point start from each other's solutions.
template <class Work>
class SharedGuess {
 public:
  explicit SharedGuess(Work& work) : work_(work) {
    if constexpr (requires { work.closure.guess; })
      if (work_.closure.guess.scopes++ == 0) work_.closure.guess.known = false;
  }
  ~SharedGuess() {
    if constexpr (requires { work_.closure.guess; }) --work_.closure.guess.scopes;
  }
  SharedGuess(const SharedGuess&) = delete;
  SharedGuess& operator=(const SharedGuess&) = delete;

 private:
  Work& work_;
};

}  // namespace ricochet::impact
