// Gaps at the instants of a step of the weak principle.
#pragma once

#include <limits>

#include "ricochet/motion/island.hpp"
#include "ricochet/motion/weak_step.hpp"

namespace ricochet::principle {

/// A covector at the node of a step, and the part of its rate that is not the body's.
template <class R>
struct WeakRow {
  motion::Covector covector;
  R wall = 0;
};

/// Gaps that the body brings itself are read by its own step; those of other families at nodes made for them.
template <class R>
class WeakGaps {
 public:
  using Value = typename motion::WeakStep<R>::Value;

  WeakGaps(const motion::Island<R>& island, motion::WeakStep<R>& step) : island_(island), step_(step) {}

  /// φ_i(q_k + γ h v_k), and its rounding.
  Value value(int i, const motion::Node<R>& from, R gamma, R h) {
    if (island_.is_own(i)) return step_.gap(i, from, gamma, h);
    step_.ahead(from, gamma * h, node_);
    const auto c = island_.contact(i, node_, h, covector_);
    return {c.value, 16 * std::numeric_limits<R>::epsilon() * c.value_scale};
  }
  /// Row i at x_k: a gap, behind the gaps a constraint; for a ≥ 0 the slip coordinate a of gap i.
  void row(int i, int a, WeakRow<R>& row) {
    if (island_.is_own(i)) {
      row.wall = step_.row(island_.own_number(i), a, row.covector);
      return;
    }
    step_.at_middle(motion::Side::before, node_);
    row.wall = island_.contact(a < 0 ? i : motion::slip_row(i, a), node_, R(0), row.covector).wall_rate;
  }
  /// c_j(x_k + h v_{k+1})/h.
  R departure(int j, R h) {
    if (island_.is_own(island_.gaps() + j)) return step_.departure(j, h);
    step_.beyond(h, node_);
    return island_.gap(island_.gaps() + j, node_) / h;
  }

 private:
  const motion::Island<R>& island_;
  motion::WeakStep<R>& step_;
  motion::Node<R> node_;
  motion::Covector covector_;
};

}  // namespace ricochet::principle
