// One audit under way: the motion is walked through once, by one of three ways, and everything on it is measured.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "ricochet/audit/bridge.hpp"
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
        measures_(*dynamics_, trajectory.precision, typical_step()),
        bridge_(*dynamics_, flow_, measures_) {}

  Findings run();

 private:
  /// Every step of a run is among the samples.
  bool every_step() const;
  double typical_step() const;

  double speed_of(const State& at, const Vec& p) const;

  // ---- a record with its impacts -----------------------------------------------------------------------------------

  void walk_recorded(bool every_step);

  /// Steps between two samples that a rule without contacts leads through.
  bool can_fly(const State& from, const State& end, std::int64_t first, std::int64_t last, bool hit) const;
  /// Step n of the run, or several that end with it, with its impacts; `single`: one step, as the rule knows it. Where
  /// its end was not recorded it is flown. Returns the node at the end.
  State pass_step(State from, const std::optional<State>& recorded, double t1, std::int64_t n, bool single,
                  std::size_t& next);

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
  bool judge_rule(const State& from, const State& to, double s, double clock, const IntervalCheck& check,
                  std::int64_t step, const DiscreteRule& rule);

  /// A graze: the flight began anew where the rule's curve met a gap, without an impulse (docs/contact.md). Whether two
  /// flights of the rule lead through such a node to the end of the step, at rounding.
  bool grazes(const State& from, const State& to, double s, double clock, const DiscreteRule& rule) const;

  /// What the reactions of held gaps, of their friction and of the constraints do not explain of an impulse, and the
  /// work that moving gaps and belts do by those that they explain.
  struct Reaction {
    double rest = 0, work = 0;
  };
  Reaction react(const State& at, const Vec& r, const std::vector<int>& held, bool may_pull = false) const;

  /// Whether the impulses that keep gaps closed may pull at the ends of a flight, though the gaps do not: a rule that
  /// has all of its forces at one end turns with the surface at both.
  bool may_pull(const DiscreteRule& rule, const State& from, const State& to, const std::vector<int>& held) const;

  /// A contact begins or ends within a flight of a rule of first order, at a node that nobody recorded: whether that
  /// explains what the exact motion misses.
  bool unseen_node(const State& from, const State& to, double s, const std::vector<int>& held, Miss miss);

  /// The normals of these gaps, and then of the constraints: one column each.
  Mat directions(const State& at, std::span<const int> gaps) const;

  /// The work of moving gaps on what they carry over a step, or over several that were not recorded.
  void carry(const State& from, const State& to, double s, double clock, const DiscreteRule* rule,
             const IntervalCheck* check);

  /// Without the rates of the gaps that are held.
  State at_rest(const State& from, const std::vector<int>& held) const;

  /// Of the closed gaps at rest those that stay: the others open at once, and would have to pull.
  std::vector<int> staying(const State& at, const std::vector<int>& closed) const;

  /// A piece s of the curve of a whole step may miss more than a flight of its own.
  void allow_curve(Miss& miss, const State& from, double s, const std::vector<int>& held) const;

  /// The exact motion over an interval: a measure of its own where no rule is known, the order of the rule otherwise.
  void judge_motion(const State& from, const State& to, double s, std::int64_t step, bool judged);

  // ---- the grid of the weak principle ------------------------------------------------------------------------------

  void walk_grid(DiscreteRule rule, double step);
  Jump::Law law_between(const State& from, const State& to, double s) const;

  // ---- a motion without a list of impacts --------------------------------------------------------------------------

  void walk_found();

  /// Whether what the free motion misses is what a force would do that the scene does not have.
  void judge_forces(const Search& found);

  /// Samples are missing in it: anything may have happened there.
  bool hole_in(const Break& gap) const;

  /// The table begins or ends in it.
  bool at_an_end(const Break& gap) const;

  /// Typical errors of the motion around a break.
  struct Errors {
    double p = 0, q = 0;
  };
  Errors errors_near(const Break& gap, const Search& found) const;
  /// How far apart two positions may be that are the same.
  double tolerance(const Errors& errors, const State& a, const State& b) const;

  /// Something that is not free motion: pushed by nothing, one impact, a contact, or impacts that cannot be told apart.
  void pass_break(const Break& gap, const Search& found, double& way);
  /// One impact at most, between two states.
  void pass_impact(const Break& gap, const Search& found, const Errors& errors, double& way);
  /// Impacts that cannot be told apart: only their energy as a whole is judged.
  void pass_crowd(const State& a, const State& b, const Errors& errors, std::int64_t step);

  /// A motion of elastic impacts leads from one end of the break to the other, past all samples between but `moved`.
  struct Elastic {
    Chain chain;
    std::vector<std::size_t> moved;
  };
  std::optional<Elastic> elastic(const Break& gap, const Search& found, const Errors& errors) const;
  void pass_elastic(const Elastic& found, const Errors& errors, double way);

  /// Positions only: one impact between a and b, at a closed gap; samples between that are not on the way are reported.
  bool pass_single(const Break& gap, const Search& found, const Errors& errors, double way);
  void report_moved(std::size_t k, double off, double allowed);

  /// A rule that is exact between impacts, as the trapezoid rule is where the force is constant, keeps its discrete
  /// energy at an impact and not H (errata F11): both are compared.
  void hand_over(Jump& jump, const State& a, const State& b, const std::optional<DiscreteRule>& rule) const;

  /// Every interval of a long break is an impact of its own, or several.
  bool told_apart(const Break& gap, const Search& found, const Errors& errors) const;
  /// Without velocities: a gap is open at some sample in between, so it is no contact that lasts.
  bool opens_within(const Break& gap, const Search& found) const;

  /// A gap that can be reached from either end within the interval.
  bool reaches_a_gap(const State& a, const State& b, double T) const;
  /// Positions only: kinks amid a break with no gap within the reach of the intervals beside them.
  std::vector<std::size_t> kinks_without_gap(const Break& gap, const Search& found) const;

  /// An impact that was told apart: the energy supplied around it is integrated up to it, and on from it.
  void found_impact(const Jump& jump);
  /// A jump of a break, whose samples come later: the work of moving gaps waits for them. Returns it.
  double found_push(const Jump& jump);
  /// −∂L/∂t + f·v along the exact motion through the impacts that were told apart; leaves `at` where it arrives.
  double work_between(State& at, const State& to) const;
  /// The samples after a break, with what was supplied until each of them.
  void supply_break(const Break& gap, const Search& found, double way);

  /// A contact of many intervals: a soft impact, rolling, rest. Its impulses are judged one by one, its energy once.
  void pass_contact(const Break& gap, const Search& found, const Errors& errors, double& way);

  // ---- the end -----------------------------------------------------------------------------------------------------

  void conclude();

  const scene::Model& model_;
  const Trajectory& trajectory_;
  std::unique_ptr<Dynamics> dynamics_;
  Flow flow_;
  Measures measures_;
  Bridge bridge_;
  Findings out_;
  std::optional<Jump> pending_;
  double last_end_ = 0, last_noise_ = 0, last_excess_ = 0, largest_miss_ = 0;
  std::size_t pieces_ = 0, flow_stride_ = 1, held_ = 0, lost_ = 0, open_ = 0, holes_ = 0, crowded_ = 0, rough_ = 0,
              blind_ = 0, unseen_ = 0;
  struct Flight {
    State from, to;
    double s = 0;
    bool at_impact = false;
  };
  std::vector<State> passed_;                     ///< impacts of the break under way, with the momenta after them
  std::vector<std::pair<double, double>> walls_;  ///< times of its jumps, and what moving gaps did there
  bool unclear_ = false;                          ///< there are impacts in it that were not told apart
  std::string rule_words_;
  std::int64_t flown_ = 0;  ///< steps since the last recorded state
  bool flying_ = false;
  bool curve_ = false;               ///< an impact step that is one curve of the whole step, cut by its impacts
  bool sparse_ = false;              ///< not every step was recorded
  std::int64_t grazes_left_ = 0;     ///< counted by the run, not yet met
  std::int64_t push_offs_left_ = 0;  ///< the same
  std::int64_t grazed_ = 0;          ///< steps with a graze inside that two flights do not lead through
  std::size_t loose_ = 0;            ///< intervals of several steps that no rule leads through
  bool unseen_force_ = false;        ///< positions alone do not tell a wrong force from the error of a method
  bool reacted_ = false;             ///< a gap was held over the last interval
  std::optional<Flight> last_flight_;
  std::vector<OrderPair> pairs_;
  std::size_t tried_ = 0, exact_ = 0;  ///< free intervals, and those that are met to rounding
};

}  // namespace ricochet::audit
