// What runs tell about their contacts.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ricochet/motion/impact.hpp"

namespace ricochet::scene {

/// An impact, or a contact that begins or ends; q are the centres of mass of the bars or beams.
struct ContactEvent : motion::ImpactOf<std::vector<int>, std::vector<double>> {
  enum Kind { impact, begins, ends } kind = impact;  ///< λ of a contact that ends: the impulse of all of it
  double dissipated = 0;
  double from = 0;  ///< of a contact that ends: when it began
};

/// Gaps that rest beside those that meet act with nothing but rounding: impulses up to this one. (Where an accumulation
/// was passed, one that keeps to its gap meanwhile may be negative.)
template <class Active>
double no_impulse(const Active& active) {
  double largest = 0;
  for (int i = 0; i < active.size(); ++i) largest = std::max(largest, std::abs(static_cast<double>(active.lambda(i))));
  using Limits = std::numeric_limits<double>;
  return active.size() > 1 ? 64 * Limits::epsilon() * largest : -Limits::infinity();
}

/// Notes the gaps that act in an impact of the principle.
template <class ImpactEvent>
void note_acting(const ImpactEvent& event, ContactEvent& out) {
  const double nothing = no_impulse(event.active);
  for (int i = 0; i < event.active.size(); ++i) {
    const double lambda = event.active.lambda(i);
    if (std::abs(lambda) <= nothing) continue;
    out.gaps.push_back(event.active.contact(i).gap);
    out.multipliers.push_back(event.mu * lambda);
  }
}

}  // namespace ricochet::scene
