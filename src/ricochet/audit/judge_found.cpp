// A motion without a list of impacts: they are found, estimated from both sides, and judged with what that costs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ricochet/audit/judging.hpp"
#include "ricochet/error.hpp"

namespace ricochet::audit {

void Judge::walk_found() {
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
    rule_words_ = fmt::format("{} (the rule {})", found.rule->order, found.rule->name);
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
      few += next > 1 && gap.a - found.breaks[next - 2].b < (tr.has_momenta() ? 1u : 2u);
      if ((gap.b + 1 == tr.size() && gap.b <= gap.a + 3) || hole_in(gap))
        ++open_;
      else
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
    measures_.motion.add(miss.ratio(), 1, 1, tr.t[k], tr.step[k], "");
    if (!found.rule) measures_.slack_p += miss.p;
    largest_miss_ = std::max(largest_miss_, miss.p / s);
    ++tried_;
    if (miss.p <= miss.rounding_p && miss.q <= miss.rounding_q) ++exact_;
    measures_.supply(state(k), state(k + 1), s);
    measures_.between(state(k), state(k + 1), s, tr.step[k], way);
    measures_.sample(state(k + 1), tr.step[k + 1], way);
  }
  if (open_ > 0)
    out_.notes.push_back(
        fmt::format("{} impacts are not judged: the motion ends there, or samples are missing", open_));
  if (crowded_ > 0)
    out_.notes.push_back(fmt::format(
        "{} times impacts lie too close together to be told apart without velocities: not judged", crowded_));
  if (few > 0)
    out_.notes.push_back(fmt::format(
        "{} impacts have fewer than two samples between them and the one before: judged as far as possible", few));
}

bool Judge::hole_in(const Break& gap) const {
  for (std::size_t i = gap.a; i < gap.b; ++i)
    if (trajectory_.t[i + 1] - trajectory_.t[i] > 2.5 * measures_.step) return true;
  return false;
}

std::pair<double, double> Judge::errors_near(const Break& gap, const Search& found) const {
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
  const auto above = static_cast<std::size_t>(std::count_if(found.miss.begin() + static_cast<std::ptrdiff_t>(first),
                                                            found.miss.begin() + static_cast<std::ptrdiff_t>(last),
                                                            [](const Miss& m) { return m.p > m.rounding_p; }));
  std::sort(p.begin(), p.end());
  std::sort(q.begin(), q.end());
  double error_p = 4 * p[p.size() / 2], error_q = 4 * q[q.size() / 2];
  // Without momenta: those of a rule differ from the velocities of the free motion between its nodes by O(h²|ȧ|).
  // Samples of an exact motion show that they are by missing nothing.
  if (!trajectory_.has_momenta() && 2 * above > last - first) {
    const double discrete = found.miss[std::min(gap.a, found.miss.size() - 1)].bound_p / 4;
    error_p += discrete;
    error_q += discrete * measures_.step;
  }
  return {error_p, error_q};
}

template <class StateAt>
void Judge::pass_break(const Break& gap, const Search& found, const StateAt& state, double& way) {
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
    // A sample that was moved breaks the intervals on both of its sides.
    const std::size_t at = gap.b == gap.a + 2 ? gap.a + 1 : gap.a;
    measures_.motion.add(std::max(2.0, jump / (allowed > 0 ? allowed : 1)), 1, 1, tr.t[at], tr.step[at],
                         "no gap is near");
    return;
  }
  if (gap.b > gap.a + 3) {
    pass_contact(gap, a, b, state, way);
    return;
  }
  if (tr.has_momenta() && gap.b > gap.a + 1) {
    // Every sample is a whole state: impacts in neighbouring intervals can be told apart.
    for (std::size_t i = gap.a; i < gap.b; ++i) pass_break({i, i + 1, state(i).p, state(i + 1).p}, found, state, way);
    return;
  }
  if (gap.b > gap.a + 1) {
    ++crowded_;
    return;
  }
  Jump jump;
  double apart = 0;
  try {
    jump = meet(a, b, T, apart);
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
  const bool located = apart <= tolerance && !measures_.closed({jump.t, jump.q, jump.p_minus}, false, error_q).empty();
  // A motion that has met one impact to the step only is one that does.
  if (!located) way = std::max({way, T, measures_.step});
  jump.way = way;
  if (way > 0)
    for (std::size_t i = gap.a; i <= gap.b; ++i) jump.places.push_back(tr.q.col(static_cast<Eigen::Index>(i)));
  measures_.jump(jump, out_.lines);
}

bool Judge::reaches_a_gap(const State& a, const State& b, double T) const {
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

Jump Judge::meet(const State& a, const State& b, double T, double& apart) const {
  const int n = dynamics_->dimension();
  double tau = T / 2;
  State before = a, after = b;
  for (int it = 0; it < 30; ++it) {
    before = flow_(a, tau);
    after = flow_(b, tau - T);
    const Vec difference = before.q - after.q;
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
  const Vec difference = before.q - after.q;
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

template <class StateAt>
void Judge::pass_contact(const Break& gap, const State& a, const State& b, const StateAt& state, double& way) {
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

}  // namespace ricochet::audit
