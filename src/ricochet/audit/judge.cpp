#include "ricochet/audit/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ricochet/audit/find.hpp"
#include "ricochet/audit/measures.hpp"
#include "ricochet/audit/order.hpp"
#include "ricochet/error.hpp"

namespace ricochet::audit {
namespace {

constexpr double rounding = 64;

class Judge {
 public:
  Judge(const scene::Model& model, const Trajectory& trajectory)
      : model_(model),
        trajectory_(trajectory),
        dynamics_(dynamics_of(model)),
        flow_(*dynamics_),
        measures_(*dynamics_, trajectory.precision, typical_step()) {}

  Findings run() {
    out_.source = trajectory_.source;
    out_.scene = model_.scene.title.empty() ? model_.scene.name : model_.scene.title;
    out_.samples = trajectory_.size();
    out_.t_begin = trajectory_.t.front();
    out_.t_end = trajectory_.t.back();
    out_.step = measures_.step;
    out_.notes = trajectory_.notes;
    const bool every_step = trajectory_.scheme && trajectory_.size() > 2 &&
                            trajectory_.step[trajectory_.size() - 2] ==
                                trajectory_.step.front() + static_cast<std::int64_t>(trajectory_.size()) - 2;
    if (trajectory_.scheme && trajectory_.scheme->weak && trajectory_.scheme->rule && every_step)
      walk_grid(*trajectory_.scheme->rule, trajectory_.scheme->step);
    else if (trajectory_.has_impacts && !(trajectory_.scheme && trajectory_.scheme->weak))
      walk_recorded(every_step);
    else
      walk_found();
    conclude();
    return std::move(out_);
  }

 private:
  double typical_step() const {
    if (trajectory_.scheme) return trajectory_.scheme->step;
    std::vector<double> s;
    for (std::size_t k = 0; k + 1 < trajectory_.size(); ++k) s.push_back(trajectory_.t[k + 1] - trajectory_.t[k]);
    std::nth_element(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(s.size() / 2), s.end());
    return s[s.size() / 2];
  }

  double speed_of(const State& at, const Vec& p) const {
    Vec v(p.size());
    dynamics_->velocity(at.q, at.p, at.t, v);
    return dynamics_->norm_p(at.q, v, at.t, p);
  }

  // ---- a record with its impacts -----------------------------------------------------------------------------------

  void walk_recorded(bool every_step) {
    const Scheme& scheme = *trajectory_.scheme;
    const bool plain = scheme.closure == "variational" || scheme.closure == "reflection";
    measures_.first_order = scheme.rule && scheme.rule->order == 1;
    out_.scheme = fmt::format("the discrete Euler-Lagrange equations of the rule {}, recorded impacts ({} closure)",
                              scheme.rule ? scheme.rule->name : "?", scheme.closure);
    if (!every_step)
      out_.notes.push_back("not every step is recorded: between samples the exact motion is the measure, not the rule");
    const std::size_t intervals = trajectory_.size() - 1;
    flow_stride_ = std::max<std::size_t>(1, intervals / 3000);
    std::size_t next = 0;
    const auto& impacts = trajectory_.impacts;
    State from = trajectory_.state(0);
    measures_.sample(from, trajectory_.step[0], 0);
    for (std::size_t k = 0; k < intervals; ++k) {
      const State end = trajectory_.state(k + 1);
      const double dt = end.t - from.t;
      const bool single = every_step && trajectory_.step[k + 1] - trajectory_.step[k] == 1;
      const double h = std::abs(dt - scheme.step) <= 1e-9 * scheme.step ? scheme.step : dt;
      const double t0 = from.t;
      double alpha = 0;
      const bool hit = next < impacts.size() && impacts[next].step < trajectory_.step[k + 1];
      const DiscreteRule* rule = single && scheme.rule && (!hit || plain) ? &*scheme.rule : nullptr;
      while (next < impacts.size() && impacts[next].step < trajectory_.step[k + 1]) {
        const RecordedImpact& impact = impacts[next++];
        // αh has more digits than t̃ − t.
        const bool exact = single && std::abs(t0 + impact.alpha * h - impact.t) <= 1e-9 * h;
        const double s = exact ? (impact.alpha - alpha) * h : impact.t - from.t;
        alpha = exact ? impact.alpha : (impact.t - t0) / h;
        const State to{impact.t, impact.q, impact.p_minus};
        piece(from, to, s, trajectory_.step[k], rule, true);
        Jump jump;
        jump.t = impact.t;
        jump.step = impact.step;
        jump.q = impact.q;
        jump.p_minus = impact.p_minus;
        jump.p_plus = impact.p_plus;
        jump.last = next >= impacts.size() || impacts[next].t > impact.t;
        open_jump(std::move(jump), scheme.closure == "variational" && rule != nullptr && s > 0);
        from = {impact.t, impact.q, impact.p_plus};
      }
      const double rest = single ? (1 - alpha) * h : end.t - from.t;
      piece(from, end, rest, trajectory_.step[k], rule, hit);
      from = end;
      measures_.sample(from, trajectory_.step[k + 1], 0);
    }
    close_jump(std::nullopt, 0);
    if (next < impacts.size())
      out_.notes.push_back(fmt::format("{} recorded impacts lie after the last sample", impacts.size() - next));
  }

  /// A jump waits for the interval after it: the second condition is about the energies on both sides.
  void open_jump(Jump jump, bool discrete) {
    close_jump(std::nullopt, 0);
    if (discrete) {
      jump.before = last_end_;
      jump.excess = std::abs(last_end_ - dynamics_->hamiltonian(jump.q, jump.p_minus, jump.t));
    }
    pending_ = std::move(jump);
  }
  void close_jump(std::optional<double> energy, double excess) {
    if (!pending_) return;
    Jump jump = std::move(*pending_);
    pending_.reset();
    if (energy && jump.before) {
      jump.after = energy;
      jump.excess += excess;
    } else {
      jump.before.reset();
    }
    measures_.jump(jump, out_.lines);
  }

  void piece(const State& from, const State& to, double s, std::int64_t step, const DiscreteRule* rule,
             bool at_impact) {
    if (!(s > 0)) {
      close_jump(std::nullopt, 0);
      const double off = speed_of(from, to.p - from.p) + (to.q - from.q).norm() / measures_.step;
      const double size = speed_of(from, from.p) + from.q.norm() / measures_.step;
      measures_.euler_lagrange.add(off + std::max(0.0, -s), rounding * trajectory_.precision * size,
                                   rounding * trajectory_.precision * size, from.t, step, "");
      return;
    }
    measures_.supply(from, to, s);
    measures_.between(from, to, s, step, 0);
    bool judged = false;
    if (rule != nullptr) {
      const IntervalCheck check = check_interval(*dynamics_, *rule, from, to, s, trajectory_.precision);
      close_jump(check.start, std::abs(check.start - dynamics_->hamiltonian(from.q, from.p, from.t)));
      last_end_ = check.end;
      judged = judge_rule(from, to, check, step);
    } else {
      close_jump(std::nullopt, 0);
      last_end_ = dynamics_->hamiltonian(to.q, to.p, to.t);
    }
    ++pieces_;
    if (judged && !at_impact && pieces_ % flow_stride_ != 0) return;
    if (judged && at_impact && order_.size() > 8000) return;
    judge_motion(from, to, s, step, judged);
  }

  /// The discrete Euler–Lagrange equations of an interval; false where a contact begins or ends within it, so that
  /// they do not apply.
  bool judge_rule(const State& from, const State& to, const IntervalCheck& check, std::int64_t step) {
    const double allowed0 = rounding * check.rounding0, allowed1 = rounding * check.rounding1;
    double r0 = speed_of(from, check.r0), r1 = speed_of(to, check.r1);
    std::string where;
    if (dynamics_->constraints() > 0 || r0 > allowed0 || r1 > allowed1) {
      // Reactions: of the constraints, and of the gaps that stay closed over the interval, pushing only.
      const auto at0 = measures_.closed(from, true), at1 = measures_.closed(to, true);
      std::vector<int> held;
      std::set_intersection(at0.begin(), at0.end(), at1.begin(), at1.end(), std::back_inserter(held));
      r0 = unexplained(from, -check.r0, held);
      r1 = unexplained(to, check.r1, held);
      for (const int i : held) where += (where.empty() ? "" : "+") + dynamics_->names()[static_cast<std::size_t>(i)];
      if ((r0 > allowed0 || r1 > allowed1) && at0 != at1) return false;
      if (!held.empty()) ++held_;
    }
    const bool left = r0 / allowed0 >= r1 / allowed1;
    measures_.euler_lagrange.add(left ? r0 : r1, left ? allowed0 : allowed1, left ? allowed0 : allowed1,
                                 left ? from.t : to.t, step, where);
    return true;
  }

  double unexplained(const State& at, const Vec& r, const std::vector<int>& held) const {
    const int n = dynamics_->dimension();
    Vec v(n), g(n);
    dynamics_->velocity(at.q, at.p, at.t, v);
    Mat normals(n, static_cast<Eigen::Index>(held.size())), lines(n, dynamics_->constraints());
    for (std::size_t k = 0; k < held.size(); ++k) {
      dynamics_->gap(held[k], at.q, at.t, g);
      normals.col(static_cast<Eigen::Index>(k)) = g;
    }
    for (int c = 0; c < dynamics_->constraints(); ++c) {
      dynamics_->gap(dynamics_->gaps() + c, at.q, at.t, g);
      lines.col(c) = g;
    }
    return explain(r, normals, lines, inverse_mass(*dynamics_, at.q, v, at.t)).size;
  }

  /// The exact motion over an interval: a measure of its own where no rule is known, the order of the rule otherwise.
  void judge_motion(const State& from, const State& to, double s, std::int64_t step, bool judged) {
    const auto closed = measures_.closed(from, true);
    Miss miss;
    try {
      miss = miss_between(*dynamics_, flow_, from, to, s, trajectory_.precision, closed);
    } catch (const Error&) {
      ++lost_;
      return;
    }
    if (closed.empty())
      order_.push_back({s, miss.p + miss.q / measures_.step, miss.rounding_p + miss.rounding_q / measures_.step});
    largest_miss_ = std::max(largest_miss_, miss.p / s);
    if (judged) return;
    // Steps that change a contact, closures that fly a curve of their own, samples several steps apart.
    const double steps = std::max(1.0, s / measures_.step);
    const double ratio = std::max(miss.p / (miss.bound_p * steps), miss.q / (miss.bound_q * steps));
    measures_.motion.add(ratio, 1, 1, from.t, step, "");
    measures_.slack_p += miss.p;
  }

  // ---- the grid of the weak principle ------------------------------------------------------------------------------

  void walk_grid(DiscreteRule rule, double step) {
    out_.scheme = fmt::format("the grid of the weak principle (Leine 2009 (115)) with the rule {}", rule.name);
    measures_.sample(trajectory_.state(0), trajectory_.step[0], measures_.step);
    bool acted = false;
    for (std::size_t k = 0; k + 1 < trajectory_.size(); ++k) {
      const State from = trajectory_.state(k), to = trajectory_.state(k + 1);
      const double dt = to.t - from.t, s = std::abs(dt - step) <= 1e-9 * step ? step : dt;
      const GridCheck check = check_grid(*dynamics_, rule, from, to, s, trajectory_.precision);
      measures_.supply(from, to, s);
      const double allowed_q = rounding * check.rounding_q / s, off = check.position.norm() / s;
      measures_.euler_lagrange.add(off, allowed_q, allowed_q, from.t, trajectory_.step[k], "position");
      const double allowed = rounding * check.rounding_p;
      const double r = unexplained({from.t + s / 2, check.x, check.p_minus}, check.p_plus - check.p_minus, {});
      if (r <= allowed) {
        measures_.euler_lagrange.add(r, allowed, allowed, from.t + s / 2, trajectory_.step[k], "");
        acted = false;
      } else {
        Jump jump;
        jump.t = from.t + s / 2;
        jump.step = trajectory_.step[k];
        jump.q = check.x;
        jump.p_minus = check.p_minus;
        jump.p_plus = check.p_plus;
        jump.way = s;
        jump.line = !acted;
        measures_.jump(jump, out_.lines);
        if (acted) ++held_;
        acted = true;
      }
      measures_.sample(to, trajectory_.step[k + 1], s);
    }
    out_.order_words = "2 between impacts (the rule), 1 across them (the grid)";
  }

  // ---- a motion without a list of impacts --------------------------------------------------------------------------

  void walk_found() {
    Search found = search(*dynamics_, trajectory_);
    if (found.rule && found.rule->grid) {
      walk_grid(*found.rule, -1);
      out_.scheme += ", recognised in the samples";
      return;
    }
    out_.notes.insert(out_.notes.end(), found.notes.begin(), found.notes.end());
    if (found.rule) {
      measures_.first_order = found.rule->order == 1;
      out_.scheme = fmt::format("the exact motion; the rule {} was recognised, it holds at rounding between impacts",
                                found.rule->name);
      out_.order_words = fmt::format("{} (the rule {})", found.rule->order, found.rule->name);
    } else {
      out_.scheme = trajectory_.has_momenta() ? "the exact motion between samples"
                                              : "the exact motion between samples; velocities from positions";
    }
    const Trajectory& tr = trajectory_;
    const auto state = [&](std::size_t k) {
      return State{tr.t[k], tr.q.col(static_cast<Eigen::Index>(k)), found.p.col(static_cast<Eigen::Index>(k))};
    };
    std::size_t next = 0, few = 0;
    measures_.sample(state(0), tr.step[0], 0);
    double way = 0;
    for (std::size_t k = 0; k + 1 < tr.size(); ++k) {
      const bool broken = next < found.breaks.size() && found.breaks[next].a == k;
      if (broken) {
        const Break& gap = found.breaks[next++];
        if (next > 1 && gap.a - found.breaks[next - 2].b < 2) ++few;
        pass_break(gap, found, state, way);
        for (std::size_t i = gap.a + 1; i <= gap.b; ++i) {
          measures_.supply(state(i - 1), state(i), tr.t[i] - tr.t[i - 1]);
          measures_.sample(state(i), tr.step[i], way);
        }
        if (gap.b > gap.a) {
          k = gap.b - 1;
          continue;
        }
      }
      const double s = tr.t[k + 1] - tr.t[k];
      const Miss& miss = found.miss[k];
      const double ratio = std::max(miss.p / miss.bound_p, miss.q / miss.bound_q);
      measures_.motion.add(std::isfinite(ratio) ? ratio : 0, 1, 1, tr.t[k], tr.step[k], "");
      if (!found.rule) measures_.slack_p += miss.p;
      largest_miss_ = std::max(largest_miss_, miss.p / s);
      if (!broken)
        order_.push_back({s, miss.p + miss.q / measures_.step, miss.rounding_p + miss.rounding_q / measures_.step});
      measures_.supply(state(k), state(k + 1), s);
      measures_.between(state(k), state(k + 1), s, tr.step[k], way);
      measures_.sample(state(k + 1), tr.step[k + 1], way);
    }
    if (few > 0)
      out_.notes.push_back(fmt::format(
          "{} impacts have fewer than two samples between them and the one before: judged as far as possible", few));
  }

  /// Typical errors of the motion around a break.
  std::pair<double, double> errors_near(const Break& gap, const Search& found) const {
    std::vector<double> p, q;
    const std::size_t first = gap.a > 10 ? gap.a - 10 : 0, last = std::min(found.miss.size(), gap.b + 10);
    for (std::size_t i = first; i < last; ++i) {
      if (i >= gap.a && i < std::max(gap.b, gap.a + 1)) continue;
      const Miss& m = found.miss[i];
      if (m.p > 2 * m.bound_p || m.q > 2 * m.bound_q) continue;  // another break
      p.push_back(m.p + m.rounding_p);
      q.push_back(m.q + m.rounding_q);
    }
    if (p.empty()) return {0, 0};
    std::sort(p.begin(), p.end());
    std::sort(q.begin(), q.end());
    return {4 * p[p.size() / 2], 4 * q[q.size() / 2]};
  }

  template <class StateAt>
  void pass_break(const Break& gap, const Search& found, const StateAt& state, double& way) {
    const Trajectory& tr = trajectory_;
    State a = state(gap.a), b = state(gap.b);
    a.p = gap.p_minus;
    b.p = gap.p_plus;
    const double T = b.t - a.t;
    const auto [error_p, error_q] = errors_near(gap, found);
    if (!reaches_a_gap(a, b, T)) {
      // Pushed, or moved, by nothing.
      const double jump =
          gap.a == gap.b ? speed_of(a, b.p - a.p) : found.miss[gap.a].p + found.miss[gap.a].q / measures_.step;
      const double allowed = std::max(error_p, found.miss[gap.a].rounding_p);
      measures_.motion.add(std::max(2.0, jump / (allowed > 0 ? allowed : 1)), 1, 1, a.t, tr.step[gap.a],
                           "no gap is near");
      return;
    }
    if (gap.b > gap.a + 3) {
      pass_contact(gap, a, b, state, way);
      return;
    }
    Jump jump;
    double apart = 0;
    Vec turn = Vec::Zero(a.q.size());
    try {
      jump = meet(a, b, T, apart, turn);
    } catch (const Error&) {
      ++lost_;
      return;
    }
    jump.step = tr.step[gap.a];
    jump.error_p = error_p;
    jump.error_q = error_q;
    const double tolerance = error_q + rounding * tr.precision * (a.q.norm() + b.q.norm());
    const double change = speed_of(a, jump.p_plus - jump.p_minus);
    measures_.continuity.add(apart, tolerance, tolerance + std::max(T, measures_.step) * change, jump.t, jump.step, "");
    // Engines that reverse the velocity where they see an overlap do so at a sample: continuous, but not on the wall.
    const bool located =
        apart <= tolerance && !measures_.closed({jump.t, jump.q, jump.p_minus}, false, error_q).empty();
    jump.way = located ? 0 : std::max(T, measures_.step);
    way = std::max(way, jump.way);
    if (!located)
      for (std::size_t i = gap.a; i <= gap.b; ++i) jump.places.push_back(tr.q.col(static_cast<Eigen::Index>(i)));
    measures_.jump(jump, out_.lines);
  }

  /// A gap that can be reached from either end within the interval.
  bool reaches_a_gap(const State& a, const State& b, double T) const {
    const int n = dynamics_->dimension();
    const double s = std::max(T, measures_.step);
    for (const State* end : {&a, &b}) {
      Vec v(n), acceleration(n);
      dynamics_->velocity(end->q, end->p, end->t, v);
      dynamics_->free_acceleration(end->q, v, end->t, acceleration);
      for (int i = 0; i < dynamics_->gaps(); ++i) {
        const GapRates r = dynamics_->gap_rates(i, end->q, v, acceleration, end->t);
        if (r.value <= 1.5 * s * std::abs(r.rate) + s * s * std::abs(r.acceleration)) return true;
      }
    }
    return false;
  }

  /// Where the motion before and the motion after an impact meet, or come nearest to each other.
  Jump meet(const State& a, const State& b, double T, double& apart, Vec& difference) const {
    const int n = dynamics_->dimension();
    double tau = T / 2;
    State before = a, after = b;
    for (int it = 0; it < 30; ++it) {
      before = flow_(a, tau);
      after = flow_(b, tau - T);
      difference = before.q - after.q;
      Vec v(n), w(n), m(n), zero(n);
      dynamics_->velocity(before.q, before.p, before.t, v);
      dynamics_->velocity(after.q, after.p, after.t, w);
      dynamics_->momentum(before.q, v - w, before.t, m);
      dynamics_->momentum(before.q, Vec::Zero(n), before.t, zero);
      m -= zero;
      const double slope = m.dot(v - w);
      if (!(slope > 0)) break;
      const double next = std::clamp(tau - m.dot(difference) / slope, 0.0, T);
      const double change = std::abs(next - tau);
      tau = next;
      if (change <= 1e-15 * T) break;
    }
    before = flow_(a, tau);
    after = flow_(b, tau - T);
    difference = before.q - after.q;
    Vec v(n), m(n), zero(n);
    dynamics_->velocity(before.q, before.p, before.t, v);
    dynamics_->momentum(before.q, difference, before.t, m);
    dynamics_->momentum(before.q, Vec::Zero(n), before.t, zero);
    apart = dynamics_->norm_p(before.q, v, before.t, m - zero);
    Jump jump;
    jump.t = a.t + tau;
    jump.q = (before.q + after.q) / 2;
    jump.p_minus = before.p;
    jump.p_plus = after.p;
    return jump;
  }

  /// A contact of many intervals: a soft impact, rolling, rest. Its impulses are judged one by one, its energy once.
  template <class StateAt>
  void pass_contact(const Break& gap, const State& a, const State& b, const StateAt& state, double& way) {
    const Trajectory& tr = trajectory_;
    const double supplied = measures_.supplied;
    for (std::size_t i = gap.a; i < gap.b; ++i) {
      const State from = state(i), to = state(i + 1);
      State end;
      try {
        end = flow_(from, to.t - from.t);
      } catch (const Error&) {
        ++lost_;
        continue;
      }
      Jump jump;
      jump.t = to.t;
      jump.step = tr.step[i];
      jump.q = to.q;
      jump.p_minus = end.p;
      jump.p_plus = to.p;
      jump.way = to.t - from.t;
      jump.places = {from.q};
      jump.line = jump.energy = jump.last = false;
      way = std::max(way, jump.way);
      measures_.jump(jump, out_.lines);
      ++held_;
    }
    double work = 0;
    for (std::size_t i = gap.a; i < gap.b; ++i) {
      measures_.supply(state(i), state(i + 1), tr.t[i + 1] - tr.t[i]);
      work = measures_.supplied - supplied;
    }
    measures_.supplied = supplied;  // counted again, sample by sample, by the caller
    const double gain = dynamics_->hamiltonian(b.q, b.p, b.t) - dynamics_->hamiltonian(a.q, a.p, a.t) - work;
    const double allowed = measures_.energy_band(a.q, a.p, a.t) * static_cast<double>(gap.b - gap.a);
    Point point;
    Vec v(a.q.size());
    dynamics_->velocity(a.q, a.p, a.t, v);
    dynamics_->evaluate(a.q, v, a.t, point);
    const double power = std::abs(point.Q.dot(v)) * measures_.step;
    measures_.second.add(std::abs(gain), allowed, std::numeric_limits<double>::infinity(), a.t, tr.step[gap.a], "");
    measures_.dissipation.add(std::max(0.0, gain), allowed, allowed + power, a.t, tr.step[gap.a], "");
    ImpactLine line;
    line.t = a.t;
    line.step = tr.step[gap.a];
    line.impulse = speed_of(a, b.p - a.p);
    line.energy = gain;
    line.duration = b.t - a.t;
    line.gaps = "contact";
    out_.lines.push_back(line);
    ++out_.contacts;
  }

  // ---- the end -----------------------------------------------------------------------------------------------------

  void conclude() {
    measures_.conclude(out_.notes);
    if (lost_ > 0)
      out_.notes.push_back(
          fmt::format("the exact motion could not be followed over {} intervals: not judged there", lost_));
    for (const Check* check : measures_.all()) {
      if (check->judged == 0) continue;
      out_.checks.push_back(*check);
      out_.verdict = std::max(out_.verdict, check->grade);
    }
    out_.impacts = out_.lines.size();
    constexpr std::size_t most_lines = 1000;
    if (out_.lines.size() > most_lines) out_.lines.resize(most_lines);
    const OrderFit fit = fit_order(order_);
    if (fit.order && out_.order_words.empty()) {
      out_.order = fit.order;
      out_.order_error = fit.error;
      out_.order_pieces = fit.points;
      out_.order_words =
          fmt::format("{:.2f} +- {:.2f}, from {} intervals of different lengths", *fit.order, fit.error, fit.points);
    } else if (out_.order_words.empty()) {
      out_.order_words = fit.exact ? "exact: the free motion is met to rounding"
                                   : "not visible: the intervals are all of one length, and no known rule fits them";
    }
    out_.numbers = {{"smallest gap", measures_.smallest_gap},
                    {"energy at the start", measures_.energy_first},
                    {"energy at the end", measures_.energy_last},
                    {"energy supplied by forces", measures_.supplied},
                    {"work of moving gaps", measures_.wall_work},
                    {"energy dissipated by impacts", measures_.dissipated},
                    {"largest force missed between impacts", largest_miss_},
                    {"intervals in contact", static_cast<double>(held_)}};
  }

  const scene::Model& model_;
  const Trajectory& trajectory_;
  std::unique_ptr<Dynamics> dynamics_;
  Flow flow_;
  Measures measures_;
  Findings out_;
  std::optional<Jump> pending_;
  double last_end_ = 0, largest_miss_ = 0;
  std::size_t pieces_ = 0, flow_stride_ = 1, held_ = 0, lost_ = 0;
  std::vector<OrderPoint> order_;
};

}  // namespace

Findings judge(const scene::Model& model, const Trajectory& trajectory) {
  if (trajectory.size() < 3)
    throw Error(ErrorKind::bad_scene, fmt::format("{}: {} samples are too few to judge a motion; three are the least",
                                                  trajectory.source, trajectory.size()));
  if (trajectory.q.rows() != model.n)
    throw Error(ErrorKind::bad_scene, fmt::format("{}: the motion has {} coordinates, the scene has {}",
                                                  trajectory.source, trajectory.q.rows(), model.n));
  return Judge(model, trajectory).run();
}

}  // namespace ricochet::audit
