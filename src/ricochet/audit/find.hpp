// Impacts in a motion that does not name them: where no free motion leads from one sample to the next.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

#include "ricochet/audit/trajectory.hpp"

namespace ricochet::audit {

/// Samples `a` and `b` with something between them that is not free motion; a = b where it happens at the sample.
struct Break {
  std::size_t a = 0, b = 0;
  Vec p_minus, p_plus;  ///< momenta at the sample a, before, and at the sample b, after
};

/// What the free motion misses from one sample to the next, as a speed and a length in the kinetic metric.
struct Miss {
  double p = 0, q = 0;
  double bound_p = 0, bound_q = 0;  ///< what a first-order method may miss, and rounding
  double rounding_p = 0, rounding_q = 0;
  double across = 0, bound_across = 0;  ///< part of q across the acceleration, where no method of first order errs
  double unlike = 0;  ///< how far position and velocity are from what a missing force would do to them, relative
  double signal = 0;  ///< what the forces do to the speed within the interval

  /// The digits of the numbers do not show the forces: nothing can be said of this interval.
  bool blind() const { return rounding_p > signal; }
  bool exact() const { return p <= rounding_p && q <= rounding_q && !blind(); }
  /// The larger of both, relative to its bound.
  double ratio(double steps = 1) const {
    const auto of = [](double x, double bound) {
      return x <= bound ? (bound > 0 ? x / bound : 0) : x / std::max(bound, std::numeric_limits<double>::min());
    };
    return std::max(of(p, bound_p * steps), of(q, bound_q * steps));
  }
};

struct Search {
  std::optional<DiscreteRule> rule;  ///< recognised: it holds at rounding
  std::size_t rule_fits = 0;
  Mat p;                    ///< of every sample; those at the ends of a break are of its own side
  Mat arriving;             ///< the same, of the motion before an impact that happens at a sample
  std::vector<bool> known;  ///< whether the momentum of a sample is: not amid impacts, where only positions are given
  std::vector<Miss> miss;   ///< of every interval; of breaks NaN
  std::vector<Break> breaks;
  std::vector<std::string> notes;

  State state(const Trajectory& trajectory, std::size_t k) const {
    const auto i = static_cast<Eigen::Index>(k);
    return {trajectory.t[k], trajectory.q.col(i), p.col(i)};
  }
  /// The end of a free interval: before the impact, if one happens at that sample.
  State arrived(const Trajectory& trajectory, std::size_t k) const {
    const auto i = static_cast<Eigen::Index>(k);
    return {trajectory.t[k], trajectory.q.col(i), arriving.col(i)};
  }
};

/// Positions only: the momenta of the free motions that end and that begin at each sample.
struct Sides {
  Mat left, right;
  std::size_t lost = 0;  ///< intervals without a free motion: differences stand in
};
Sides sides(const Dynamics& dynamics, const Flow& flow, const Trajectory& trajectory);

/// `held`: gaps that stay where they are, as the constraints do.
Miss miss_between(const Dynamics& dynamics, const Flow& flow, const State& from, const State& to, double s,
                  double precision, std::span<const int> held = {});

/// Symplectic Euler (a rectangle rule) is the trapezoid rule with momenta half a step beside the positions (Fetecau
/// 2003, section 4, has both). The motion with its momenta moved to the positions, where that is what was recorded.
std::optional<Trajectory> synchronised(const Dynamics& dynamics, const Trajectory& trajectory);

/// Numbers may carry noise above their digits: it differs from one interval to the next, as no error of a method does.
/// The motion with the precision that it has, where that is so.
std::optional<Trajectory> noisy(const Dynamics& dynamics, const Trajectory& trajectory);

/// The order and the name of a method that the motion follows at rounding, in words; empty where none is known.
std::string known_method(const Dynamics& dynamics, const Trajectory& trajectory);

Search search(const Dynamics& dynamics, const Trajectory& trajectory);

}  // namespace ricochet::audit
