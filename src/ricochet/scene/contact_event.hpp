// What runs tell about their contacts.
#pragma once

#include <vector>

#include "ricochet/motion/impact.hpp"
#include "ricochet/principle/acting.hpp"

namespace ricochet::scene {

/// An impact, or a contact that begins or ends; q are the centres of mass of the bars or beams.
struct ContactEvent : motion::ImpactOf<std::vector<int>, std::vector<double>> {
  enum Kind { impact, begins, ends } kind = impact;  ///< λ of a contact that ends: the impulse of all of it
  double dissipated = 0;
  double from = 0;  ///< of a contact that ends: when it began
};

using principle::no_impulse;

/// Notes the gaps that act in an impact of the principle.
template <class ImpactEvent>
void note_acting(const ImpactEvent& event, ContactEvent& out) {
  principle::each_acting(event, [&](const auto& contact, double impulse) {
    out.gaps.push_back(contact.gap);
    out.multipliers.push_back(impulse);
  });
}

}  // namespace ricochet::scene
