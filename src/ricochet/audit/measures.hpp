// The conditions of the two principles, measured one state, one jump, one interval at a time.
#pragma once

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "ricochet/audit/cone.hpp"
#include "ricochet/audit/findings.hpp"
#include "ricochet/audit/trajectory.hpp"

namespace ricochet::audit {

/// A jump of the momentum: recorded, or estimated from both sides.
struct Jump {
  double t = 0;
  std::int64_t step = 0;
  Vec q, p_minus, p_plus;
  double way = 0;                       ///< time by which it may be misplaced: 0 where the impact was located
  double error_p = 0, error_q = 0;      ///< of the estimate, as a speed and a length in the kinetic metric
  std::vector<Vec> places;              ///< further configurations at which the impulse may have acted
  std::optional<double> before, after;  ///< discrete energies handed over by the intervals on both sides
  double excess = 0;                    ///< how far these may be from H
  double beside = 0;                    ///< time by which the momenta are late: their energy is that of p + Q·beside
  double noise = 0;                     ///< of these, from rounding
  bool sharp = false;                   ///< the energy, or else the discrete energy, is kept to rounding
  double duration = 0;                  ///< of a contact that was passed as one
  bool line = true;                     ///< an impact of its own, not a moment of a contact
  bool energy = true;                   ///< its energy is judged here, not with the contact it belongs to
  bool last = true;                     ///< no other impact at the same instant follows
  /// The law of the weak principle's grid: the velocities of the intervals before and after the node, e of each gap,
  /// and whether the law looked at it in this step.
  struct Law {
    Vec before, after, restitution;
    std::vector<bool> looks;
  };
  std::optional<Law> law;
};

struct Measures {
  Measures(const Dynamics& dynamics, double precision, double step);

  /// A sample: admissible, energy, momentum maps. `way` as in Jump; `known`: its momentum is.
  void sample(const State& state, std::int64_t step, double way, bool known = true);
  /// Moving gaps did work that nobody knows: the energy is followed from the next sample on.
  void lose_track() { tracked_ = false; }
  /// Does a gap close and open between two samples?
  void between(const State& from, const State& to, double s, std::int64_t step, double way);
  void jump(const Jump& jump, std::vector<ImpactLine>& lines);
  /// −∂L/∂t + f·v over an interval, from its ends alone: as good as a rule of second order.
  double supply(const State& from, const State& to, double s) const;
  double power_at(const State& at) const;     ///< −∂L/∂t + f·v
  double force_power(const State& at) const;  ///< |Q·v|, the potential included
  void conclude(std::vector<std::string>& notes);

  /// What a second-order rule may do to H: h²(‖a‖² + |v·ȧ|)/4 in the kinetic metric (errata F11 has ‖a‖²h²/8).
  double energy_band(const Vec& q, const Vec& p, double t) const;
  /// Gaps that are closed, within the tolerance of a located impact; and at rest, where that is asked.
  std::vector<int> closed(const State& state, bool resting, double error_q = 0) const;
  std::vector<const Check*> all() const;

  const Dynamics& dynamics;
  double precision, step;
  bool exact = false;        ///< the free motion is met to rounding: no band for the energy
  bool first_order = false;  ///< the rule of the motion is of first order: its energy ripples by O(h)
  bool grid = false;         ///< contacts are held at the nodes of Moreau's grid, by their rates: what rides lags

  /// The energy over an interval without impacts changes by the work of the forces alone.
  void free_flight(const State& from, const State& to, double miss_p, double miss_q, double work);
  /// An impact, or anything that is not judged, ends the arc.
  void end_arc(double t, std::int64_t step);

  Check admissible, euler_lagrange, motion, continuity, first, contact, leaving, second, dissipation, friction, flight,
      inequality, momentum;
  std::size_t jumps = 0;
  double smallest_gap = std::numeric_limits<double>::infinity();
  double energy_first = 0, energy_last = 0, supplied = 0, wall_work = 0, dissipated = 0;
  double unsure = 0;   ///< of the energy supplied, where impacts could not be told apart
  double kicks = 0;    ///< what impacts that keep the discrete energy did to H
  double error_p = 0;  ///< of the momentum of every sample, as a speed, where it was made from positions
  double slack_p = 0;  ///< sum of what the free motion missed, where no rule explains it
  double slack_e = 0;  ///< the same of what it missed in position, times the forces there: an energy

 private:
  struct GapAt {
    double phi = 0, before = 0, after = 0, acceleration = 0, norm = 0, strong = 0, weak = 0;
    double drift = 0, turn = 0;  ///< |∂φ/∂t|, and how far ∇φ is from that of the first sample, in the kinetic metric
    double overlap = 0;          ///< what the weak grade allows of it: the way of a step, and the lag of what rides
    Vec gradient;
  };
  /// Velocities and the acceleration of a place, once for all gaps.
  struct Motion {
    Vec v, w, a;
    double speed = 0;
  };
  Motion motion_at(const Vec& q, const Vec& p_minus, const Vec& p_plus, double t) const;
  GapAt gap_at(int i, const Vec& q, const Motion& motion, double t, double way, double error_q) const;
  /// What the weak grade allows a closed gap to close on with.
  double closing(const Jump& jump, int i, const GapAt& at) const;
  /// What it allows an impulse of the grid to gain, for each unit of it.
  double gained(const Jump& jump, int i, const GapAt& at) const;
  /// Rates of a gap with the velocities of the intervals before and after a node of the grid.
  std::pair<double, double> mean_rates(const Jump& jump, int i, const GapAt& at) const;
  const std::string& name(int gap) const { return dynamics.names()[static_cast<std::size_t>(gap)]; }
  void test_symmetries(const Vec& q, const Vec& v, double t);
  void momentum_maps(const State& state, const Vec& v, std::int64_t step);
  /// Returns the work of moving gaps and belts, where there is friction.
  std::optional<double> friction_cone(const Jump& jump, const std::vector<int>& active, const std::vector<GapAt>& gaps,
                                      const Mat& inverse, double tolerance, double turn, double& weak_rest);

  struct Map {
    bool holds = true;
    double first = 0, largest = 0, size = 0, reach = 0, t = 0;
    std::int64_t step = 0;
  };
  std::vector<Map> maps_;
  /// The most of a gap so far, at samples.
  struct Most {
    double rate = 0, drift = 0, turn = 0;
    Vec first;  ///< ∇φ of the first sample
  };
  std::vector<Most> most_;
  std::size_t samples_ = 0;
  bool tracked_ = false;
  double reference_ = 0;  ///< H less all work, where the energy began to be followed
  double arc_gain_ = 0, arc_error_ = 0, arc_work_ = 0, arc_slack_ = 0, arc_begin_ = 0, arc_band_ = 0, speed_ = 0;
  std::size_t arc_intervals_ = 0;
  double band_ = 0, power_ = 0, energy_size_ = 0, size_ = 0;
  double throughput_ = 0, supplied_before_ = 0;  ///< work of the forces without its sign, and with it
};

}  // namespace ricochet::audit
