// Where a run of the strong principle stands.
#pragma once

#include "ricochet/motion/contact.hpp"
#include "ricochet/principle/fallback.hpp"

namespace ricochet::principle {

/// All that the next step of a run depends on: restored into a run of the same body, it goes on bit for bit.
template <class Real, class Node>
struct StrongState {
  Node node;
  motion::GapList held;
  Real t_start, t_grid, h;
  long long steps, steps_grid, impacts;
  FallbackCounts fallbacks;
};

}  // namespace ricochet::principle
