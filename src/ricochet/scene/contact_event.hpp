// What runs of bars and of beams tell about their contacts.
#pragma once

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

}  // namespace ricochet::scene
