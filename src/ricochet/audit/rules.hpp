// Discrete rules, held against a recorded interval: do its two ends satisfy −D1 L_d = p0 and D2 L_d = p1?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ricochet/audit/flow.hpp"

namespace ricochet::audit {

/// L_d(q0,q1,s) = s Σ w_k L(q0 + c_k(q1 − q0), (q1 − q0)/s), written down here once more from the papers (Fetecau 2003,
/// section 4; errata F1): the code that made a run has no say in its audit.
struct DiscreteRule {
  struct Stage {
    double c, w;
  };
  std::string name;
  int order = 2;
  std::vector<Stage> stages;
  std::vector<double> fractions{1.0};  ///< of a composition: its parts, of the trapezoid
  bool grid = false;  ///< states are the middles of the intervals: Moreau and Jean's grid (Leine 2009 (115))

  /// A rule of a scene; nothing for a name that is not known.
  static std::optional<DiscreteRule> named(const std::string& name, double gamma);
  /// The rules that are tried on the motion of an unknown engine.
  static std::vector<DiscreteRule> known();
};

/// What a rule says about one interval.
struct IntervalCheck {
  Vec r0, r1;                 ///< p0 + D1 L_d and p1 − D2 L_d, forces included
  double start = 0, end = 0;  ///< D_{t0} L_d and −D_{t1} L_d: the energy handed over at either end (errata F13)
  double excess_start = 0, excess_end = 0;  ///< of these over H of the ends, with the momenta of the rule
  double rounding0 = 0, rounding1 = 0;      ///< ‖r‖ in the kinetic metric that rounding of the data explains
};

/// `s` is given apart, because t1 − t0 has lost digits: it is known to `precision`·`clock`, the numbers to `precision`.
IntervalCheck check_interval(const Dynamics& dynamics, const DiscreteRule& rule, const State& from, const State& to,
                             double s, double clock, double precision);

/// One step of the grid: from the middle of an interval over its node x to the middle of the next one.
struct GridCheck {
  Vec x;                ///< the node, q_k + ½h v_k
  Vec p_minus, p_plus;  ///< D2 L_d of the interval before the node and −D1 L_d of the one after it
  Vec position;         ///< q_{k+1} − x − ½h v_{k+1}: zero
  double rounding_p = 0, rounding_q = 0;
};
GridCheck check_grid(const Dynamics& dynamics, const DiscreteRule& rule, const State& from, const State& to, double s,
                     double precision);

/// The node that the rule leads to: what a record left out.
State fly(const Dynamics& dynamics, const DiscreteRule& rule, const State& from, double s);

}  // namespace ricochet::audit
