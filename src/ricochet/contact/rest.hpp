// An impact that brings everything to rest.
#pragma once

#include <cmath>
#include <limits>

#include "ricochet/contact/active_set.hpp"
#include "ricochet/contact/energy_size.hpp"

namespace ricochet::contact {

/// Lets the body rest where an impact, μλ from the kinetic energy `before`, left no more of its speed than the impulses
/// are rounded by. Rates count as rest relative to the speed there is (rate_tolerance): where nothing else
/// moves, the remainder would be motion of its own, strike again, and so on down to the smallest numbers there are.
template <class Real>
void stop_rounding(const motion::Island<Real>& island, const ActiveSet<Real>& active, Real mu, Real before,
                   motion::Node<Real>& node) {
  // The energy of any other Lagrangian is a difference, which knows no speeds as small as that.
  if (island.quadratic()) {
    const auto A = active.seen_by_law();
    Real size = std::sqrt(2 * before);
    for (int i = 0; i < active.size(); ++i) size += std::abs(mu * active.lambda(i)) * std::sqrt(A.W(i, i));
    const Real rounding = 64 * Real(active.size()) * std::numeric_limits<Real>::epsilon() * size;
    if (std::sqrt(2 * island.kinetic(node)) <= rounding) island.stop(node);
  }
}

}  // namespace ricochet::contact
