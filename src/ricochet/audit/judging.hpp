// One audit under way: the motion is walked through once, by one of three ways, and everything on it is measured.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "ricochet/audit/find.hpp"
#include "ricochet/audit/measures.hpp"
#include "ricochet/audit/order.hpp"

namespace ricochet::audit {

class Judge {
 public:
  Judge(const scene::Model& model, const Trajectory& trajectory)
      : model_(model),
        trajectory_(trajectory),
        dynamics_(dynamics_of(model)),
        flow_(*dynamics_),
        measures_(*dynamics_, trajectory.precision, typical_step()) {}

  Findings run();

 private:
  /// Every step of a run is among the samples.
  bool every_step() const;
  double typical_step() const;

  double speed_of(const State& at, const Vec& p) const;

  // ---- a record with its impacts -----------------------------------------------------------------------------------

  void walk_recorded(bool every_step);

  /// A jump waits for the interval after it: the second condition is about the energies on both sides.
  void open_jump(Jump jump, bool discrete);
  void close_jump(std::optional<double> energy, double excess, double noise = 0);

  void piece(const State& from, const State& to, double s, double clock, std::int64_t step, const DiscreteRule* rule,
             bool at_impact);

  /// Short flights beside full steps show the order: the step before the first flight to an impact, and the step after
  /// the last flight from one.
  void pair_up(const State& from, const State& to, double s, bool at_impact);

  /// The discrete Euler–Lagrange equations of an interval; false where a contact begins or ends within it, so that
  /// they do not apply.
  bool judge_rule(const State& from, const State& to, const IntervalCheck& check, std::int64_t step);

  double unexplained(const State& at, const Vec& r, const std::vector<int>& held) const;

  /// The exact motion over an interval: a measure of its own where no rule is known, the order of the rule otherwise.
  void judge_motion(const State& from, const State& to, double s, std::int64_t step, bool judged);

  // ---- the grid of the weak principle ------------------------------------------------------------------------------

  void walk_grid(DiscreteRule rule, double step);

  // ---- a motion without a list of impacts --------------------------------------------------------------------------

  void walk_found();

  /// The table begins or ends in it.
  bool at_an_end(const Break& gap) const;

  /// Samples are missing in it: anything may have happened there.
  bool hole_in(const Break& gap) const;

  /// Typical errors of the motion around a break.
  std::pair<double, double> errors_near(const Break& gap, const Search& found) const;

  template <class StateAt>
  void pass_break(const Break& gap, const Search& found, const StateAt& state, double& way);

  /// A rule that is exact between impacts, as the trapezoid rule is where the force is constant, keeps its discrete
  /// energy at an impact and not H (errata F11): both are compared.
  void hand_over(Jump& jump, const State& a, const State& b, const std::optional<DiscreteRule>& rule) const;

  /// A gap is met on the way from either end, at different times: more than one impact fits between them.
  bool several_fit(const State& a, const State& b, double T) const;

  /// The first time at which a gap that is open at `from` closes on the free motion within s (backwards if negative).
  std::optional<double> first_closing(const State& from, double s) const;

  /// Every interval of a long break is an impact of its own, or several.
  template <class StateAt>
  bool told_apart(const Break& gap, const Search& found, const StateAt& state) const;

  /// Without velocities: a gap is open at some sample in between, so it is no contact that lasts.
  template <class StateAt>
  bool opens_within(const Break& gap, const StateAt& state) const;

  /// A gap that can be reached from either end within the interval.
  bool reaches_a_gap(const State& a, const State& b, double T) const;

  /// Where the motion before and the motion after an impact meet, or come nearest to each other.
  Jump meet(const State& a, const State& b, double T, double& apart) const;

  /// A contact of many intervals: a soft impact, rolling, rest. Its impulses are judged one by one, its energy once.
  template <class StateAt>
  void pass_contact(const Break& gap, const State& a, const State& b, double error_p, const StateAt& state,
                    double& way);

  // ---- the end -----------------------------------------------------------------------------------------------------

  void conclude();

  const scene::Model& model_;
  const Trajectory& trajectory_;
  std::unique_ptr<Dynamics> dynamics_;
  Flow flow_;
  Measures measures_;
  Findings out_;
  std::optional<Jump> pending_;
  double last_end_ = 0, last_noise_ = 0, last_excess_ = 0, largest_miss_ = 0;
  std::size_t pieces_ = 0, flow_stride_ = 1, held_ = 0, lost_ = 0, open_ = 0, crowded_ = 0, rough_ = 0, blind_ = 0;
  struct Flight {
    State from, to;
    double s = 0;
    bool at_impact = false;
  };
  std::string rule_words_;
  bool reacted_ = false;  ///< a gap was held over the last interval
  std::optional<Flight> last_flight_;
  std::vector<OrderPair> pairs_;
  std::size_t tried_ = 0, exact_ = 0;  ///< free intervals, and those that are met to rounding
};

}  // namespace ricochet::audit
