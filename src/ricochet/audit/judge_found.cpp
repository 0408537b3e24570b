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
  // The end of a free interval: before the impact, if one happens at that sample.
  const auto arriving = [&](std::size_t k) {
    return State{tr.t[k], tr.q.col(static_cast<Eigen::Index>(k)), found.arriving.col(static_cast<Eigen::Index>(k))};
  };
  std::size_t free = 0, met = 0;
  for (const Miss& miss : found.miss) {
    const bool broken = miss.p > miss.bound_p || miss.q > miss.bound_q;
    free += !broken;
    met += !broken && miss.exact();
  }
  measures_.exact = free > 0 && 100 * met >= 95 * free;
  std::size_t next = 0, few = 0;
  measures_.sample(state(0), tr.step[0], 0);
  double way = 0;
  for (std::size_t k = 0; k + 1 < tr.size(); ++k) {
    const bool broken = next < found.breaks.size() && found.breaks[next].a == k;
    if (broken) {
      const Break& gap = found.breaks[next++];
      few += next > 1 && gap.a - found.breaks[next - 2].b < (tr.has_momenta() ? 1u : 2u);
      measures_.end_arc(tr.t[gap.a], tr.step[gap.a]);
      if ((at_an_end(gap) && gap.b <= gap.a + 3) || hole_in(gap))
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
    const double across = !found.rule && miss.across > miss.bound_across
                              ? miss.across / std::max(miss.bound_across, std::numeric_limits<double>::min())
                              : 0;
    measures_.motion.add(std::max(miss.ratio(), across), 1, 1, tr.t[k], tr.step[k],
                         across > miss.ratio() ? "positions do not follow the velocities" : "");
    blind_ += miss.blind();
    if (!found.rule) measures_.slack_p += miss.p;
    largest_miss_ = std::max(largest_miss_, miss.p / s);
    ++tried_;
    if (miss.exact()) ++exact_;
    measures_.free_flight(state(k), arriving(k + 1), miss.p);
    measures_.supply(state(k), arriving(k + 1), s);
    measures_.between(state(k), arriving(k + 1), s, tr.step[k], way);
    measures_.sample(state(k + 1), tr.step[k + 1], way);
  }
  measures_.end_arc(tr.t.back(), tr.step.back());
  if (open_ > 0)
    out_.notes.push_back(
        fmt::format("{} impacts are not judged: the motion begins or ends there, or samples are missing", open_));
  if (crowded_ > 0)
    out_.notes.push_back(fmt::format(
        "{} times impacts lie too close together for these samples to tell them apart: not judged", crowded_));
  if (few > 0)
    out_.notes.push_back(fmt::format(
        "{} impacts have fewer than two samples between them and the one before: judged as far as possible", few));
}

bool Judge::at_an_end(const Break& gap) const {
  const std::size_t n = trajectory_.size();
  if (trajectory_.has_momenta()) return gap.b + 1 == n;
  // A kink at the second sample, or at the last but one, is an impact in the interval whose other end has no velocity.
  const State a{trajectory_.t[gap.a], trajectory_.q.col(static_cast<Eigen::Index>(gap.a)), gap.p_minus};
  const State b{trajectory_.t[gap.b], trajectory_.q.col(static_cast<Eigen::Index>(gap.b)), gap.p_plus};
  return (gap.a <= 1 || gap.b + 2 >= n) && reaches_a_gap(a, b, b.t - a.t);
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
  if (p.empty()) {  // an impact in every interval around: rounding is all that is known
    const Miss& here = found.miss[std::min(gap.a, found.miss.size() - 1)];
    return {4 * here.rounding_p, 4 * here.rounding_q};
  }
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
  if (gap.b > gap.a + 3 && (tr.has_momenta() ? !told_apart(gap, found, state) : !opens_within(gap, state))) {
    pass_contact(gap, a, b, error_p, state, way);
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
    ++out_.impacts_left;
    return;
  }
  jump.step = tr.step[gap.a];
  jump.error_p = error_p;
  jump.error_q = error_q;
  const double tolerance = error_q + rounding * tr.precision * (a.q.norm() + b.q.norm());
  if (apart > tolerance && several_fit(a, b, T)) {
    ++crowded_;
    // How many there were cannot be told, but none of them may have gained energy.
    const double before = measures_.supplied;
    measures_.supply(a, b, T);
    const double work = measures_.supplied - before;
    measures_.supplied = before;
    const double H0 = dynamics_->hamiltonian(a.q, a.p, a.t), H1 = dynamics_->hamiltonian(b.q, b.p, b.t);
    const double allowed = rounding * tr.precision * (std::abs(H0) + std::abs(H1)) + std::abs(work) +
                           measures_.energy_band(a.q, a.p, a.t) + 2 * error_p * (speed_of(a, a.p) + speed_of(b, b.p));
    bool moving = false;
    for (int i = 0; i < dynamics_->gaps(); ++i) moving |= dynamics_->moving(i);
    if (!moving)
      measures_.dissipation.add(std::max(0.0, H1 - H0 - work), allowed, allowed, a.t, tr.step[gap.a], "several");
    return;
  }
  const double change = speed_of(a, jump.p_plus - jump.p_minus);
  measures_.continuity.add(apart, tolerance, tolerance + std::max(T, measures_.step) * change, jump.t, jump.step, "");
  // Engines that reverse the velocity where they see an overlap do so at a sample: continuous, but not on the wall.
  const bool located = apart <= tolerance && !measures_.closed({jump.t, jump.q, jump.p_minus}, false, error_q).empty();
  // A motion that has met one impact to the step only is one that does.
  if (!located) way = std::max({way, T, measures_.step});
  jump.way = way;
  if (located && measures_.exact) hand_over(jump, a, b, found.rule);
  if (way > 0)
    for (std::size_t i = gap.a; i <= gap.b; ++i) jump.places.push_back(tr.q.col(static_cast<Eigen::Index>(i)));
  measures_.jump(jump, out_.lines);
}

void Judge::hand_over(Jump& jump, const State& a, const State& b, const std::optional<DiscreteRule>& rule) const {
  const double s0 = jump.t - a.t, s1 = b.t - jump.t, clock = std::abs(a.t) + std::abs(b.t);
  if (!(s0 > 0 && s1 > 0)) return;
  const DiscreteRule known = rule ? *rule : *DiscreteRule::named("trapezoid", 1);
  const State before{jump.t, jump.q, jump.p_minus}, after{jump.t, jump.q, jump.p_plus};
  const IntervalCheck to = check_interval(*dynamics_, known, a, before, s0, clock, trajectory_.precision);
  const IntervalCheck from = check_interval(*dynamics_, known, after, b, s1, clock, trajectory_.precision);
  jump.before = to.end;
  jump.after = from.start;
  jump.sharp = true;
  // An error of t̃ moves s; E_d = −D₃L_d moves with the force times the way.
  jump.noise = rounding * (to.rounding1 * speed_of(before, before.p) + from.rounding0 * speed_of(after, after.p));
}

std::optional<double> Judge::first_closing(const State& from, double s) const {
  constexpr int parts = 16;
  Vec g(dynamics_->dimension());
  const auto closed = measures_.closed(from, false);
  std::optional<double> first;
  for (int i = 0; i < dynamics_->gaps(); ++i) {
    if (dynamics_->gap(i, from.q, from.t, g) <= 0 || std::count(closed.begin(), closed.end(), i) > 0) continue;
    for (int k = 1; k <= parts && (!first || std::abs(s) * (k - 1) / parts < std::abs(*first)); ++k) {
      State at = flow_(from, s * k / parts);
      if (dynamics_->gap(i, at.q, at.t, g) > 0) continue;
      double open = s * (k - 1) / parts, shut = s * k / parts;
      for (int it = 0; it < 50; ++it) {
        const double middle = (open + shut) / 2;
        at = flow_(from, middle);
        (dynamics_->gap(i, at.q, at.t, g) > 0 ? open : shut) = middle;
      }
      if (!first || std::abs(open) < std::abs(*first)) first = open;
      break;
    }
  }
  return first;
}

bool Judge::several_fit(const State& a, const State& b, double T) const {
  if (!(T > 0)) return false;
  Vec g(dynamics_->dimension());
  for (const State* end : {&a, &b}) {
    const auto closed = measures_.closed(*end, false);
    for (int i = 0; i < dynamics_->gaps(); ++i)  // overlapping: whatever it is, it is not a chain of impacts
      if (dynamics_->gap(i, end->q, end->t, g) < 0 && std::count(closed.begin(), closed.end(), i) == 0) return false;
  }
  try {
    const auto from_a = first_closing(a, T), from_b = first_closing(b, -T);
    return from_a && from_b && *from_a < T + *from_b;
  } catch (const Error&) {
    return false;
  }
}

template <class StateAt>
bool Judge::told_apart(const Break& gap, const Search& found, const StateAt& state) const {
  const auto [error_p, error_q] = errors_near(gap, found);
  for (std::size_t i = gap.a; i < gap.b; ++i) {
    const State a = state(i), b = state(i + 1);
    double apart = 0;
    try {
      const Jump jump = meet(a, b, b.t - a.t, apart);
      const double tolerance = error_q + rounding * trajectory_.precision * (a.q.norm() + b.q.norm());
      const bool located = apart <= tolerance &&
                           !measures_.closed({jump.t, jump.q, jump.p_minus}, false, error_q).empty() &&
                           measures_.closed(a, true).empty();
      if (!located && !several_fit(a, b, b.t - a.t)) return false;
    } catch (const Error&) {
      return false;
    }
  }
  return true;
}

template <class StateAt>
bool Judge::opens_within(const Break& gap, const StateAt& state) const {
  Vec g(dynamics_->dimension());
  for (std::size_t k = gap.a + 1; k < gap.b; ++k) {
    const State at = state(k);
    bool open = measures_.closed(at, false).empty();
    for (int i = 0; i < dynamics_->gaps(); ++i) open &= dynamics_->gap(i, at.q, at.t, g) > 0;
    if (open) return true;
  }
  return false;
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
void Judge::pass_contact(const Break& gap, const State& a, const State& b, double error_p, const StateAt& state,
                         double& way) {
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
  const double size = std::abs(dynamics_->hamiltonian(a.q, a.p, a.t)) +
                      std::abs(dynamics_->hamiltonian(b.q, b.p, b.t)) +
                      std::pow(speed_of(a, a.p) + speed_of(b, b.p), 2);
  const double allowed = measures_.energy_band(a.q, a.p, a.t) * static_cast<double>(gap.b - gap.a) +
                         rounding * tr.precision * size + error_p * (speed_of(a, a.p) + speed_of(b, b.p));
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
