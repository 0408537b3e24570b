// What runs of bars and of beams tell about their contacts.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

namespace ricochet::scene {

/// An impact, or a contact that begins or ends. Momenta and centres of mass are those of the bars or beams.
struct ContactEvent {
  enum Kind { impact, begins, ends } kind = impact;
  double t = 0, alpha = 0;
  std::vector<int> gaps;
  std::vector<double> multipliers;  ///< impulses along the normals; of a contact that ends, the impulse of all of it
  double energy_before = 0, energy_after = 0, dissipated = 0;
  std::vector<double> q, p_minus, p_plus;
  double from = 0;  ///< of a contact that ends: when it began
};

/// Notes the gaps that act in an impact of the principle. Those that rest beside them act with nothing but rounding,
/// and are left out.
template <class ImpactEvent>
void note_acting(const ImpactEvent& event, ContactEvent& out) {
  double largest = 0;
  for (int i = 0; i < event.active.size(); ++i) largest = std::max(largest, event.active.lambda(i));
  for (int i = 0; i < event.active.size(); ++i) {
    const double lambda = event.active.lambda(i);
    if (event.active.size() > 1 && lambda <= 64 * std::numeric_limits<double>::epsilon() * largest) continue;
    out.gaps.push_back(event.active.contact(i).gap);
    out.multipliers.push_back(event.mu * lambda);
  }
}

}  // namespace ricochet::scene
