// Motions that lead from one sample to another with impacts between them, made of exact flights.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ricochet/audit/measures.hpp"

namespace ricochet::audit {

/// A chain of flights and elastic impacts: what a strong extremal does from one state on.
struct Chain {
  std::vector<Jump> jumps;    ///< in the order of time
  std::vector<State> passed;  ///< at the times that were asked for, before an impact at the last of them
};

class Bridge {
 public:
  Bridge(const Dynamics& dynamics, const Flow& flow, const Measures& measures)
      : dynamics_(dynamics), flow_(flow), measures_(measures) {}

  /// The elastic motion from a state through `times`, which lie all after it or all before it. Nothing where it does
  /// not exist so far, or where impacts accumulate.
  std::optional<Chain> elastic(const State& from, std::span<const double> times) const;

  /// Where the free motion after a and the free motion before b meet, or come nearest to each other.
  Jump meet(const State& a, const State& b, double& apart) const;

  /// Whether the free motions from a to the jump, and from it to b, leave all gaps open.
  bool open_beside(const Jump& jump, const State& a, const State& b) const;

  /// A gap is met on the way from either end, at different times: more than one impact fits between them.
  bool several_fit(const State& a, const State& b) const;

 private:
  struct Closing {
    double s = 0;
    int gap = 0;
  };
  /// The first gap that closes on the free motion within s (backwards if negative); s = 0 for one that is closed and
  /// approaching.
  std::optional<Closing> next_closing(const State& from, double s) const;
  /// The momentum on the other side of an elastic impact on one gap, constraints kept (Leine 2009 (84), (85)).
  Vec reflected(const State& at, int gap) const;
  double gap_at(int i, const State& at) const;

  const Dynamics& dynamics_;
  const Flow& flow_;
  const Measures& measures_;
};

}  // namespace ricochet::audit
