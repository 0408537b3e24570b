// Which gaps of an impact act.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace ricochet::principle {

/// Gaps that rest beside those that meet act with nothing but rounding: impulses up to this one. (Where an accumulation
/// was passed, one that keeps to its gap meanwhile may be negative.)
template <class Active>
double no_impulse(const Active& active) {
  double largest = 0;
  for (int i = 0; i < active.size(); ++i) largest = std::max(largest, std::abs(static_cast<double>(active.lambda(i))));
  using Limits = std::numeric_limits<double>;
  return active.size() > 1 ? 64 * Limits::epsilon() * largest : -Limits::infinity();
}

/// Calls f(contact, λ) for every gap that acts in an impact.
template <class Impact, class F>
void each_acting(const Impact& impact, F&& f) {
  const double nothing = no_impulse(impact.active);
  for (int i = 0; i < impact.active.size(); ++i) {
    const auto lambda = impact.active.lambda(i);
    if (std::abs(static_cast<double>(lambda)) > nothing) f(impact.active.contact(i), impact.mu * lambda);
  }
}

}  // namespace ricochet::principle
