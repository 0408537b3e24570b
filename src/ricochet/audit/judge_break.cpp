// Where the free motion breaks: one impact, several, a contact that lasts, or nothing that a gap could explain.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ricochet/audit/judging.hpp"
#include "ricochet/error.hpp"

namespace ricochet::audit {

void Judge::pass_break(const Break& gap, const Search& found, double& way) {
  const Trajectory& tr = trajectory_;
  State a = found.state(tr, gap.a), b = found.state(tr, gap.b);
  a.p = gap.p_minus;
  b.p = gap.p_plus;
  const double T = b.t - a.t;
  const Errors errors = errors_near(gap, found);
  if (!reaches_a_gap(a, b, T)) {
    // Pushed, or moved, by nothing.
    const double jump =
        gap.a == gap.b ? speed_of(a, b.p - a.p) : found.miss[gap.a].p + found.miss[gap.a].q / measures_.step;
    // A sample that was moved breaks the intervals on both of its sides.
    const std::size_t at = gap.b == gap.a + 2 ? gap.a + 1 : gap.a;
    report_moved(at, jump, std::max(errors.p, found.miss[gap.a].rounding_p));
    return;
  }
  const bool several = gap.b > gap.a + 1;
  if (!tr.has_momenta() && several) {
    const auto loose = kinks_without_gap(gap, found);
    for (const std::size_t k : loose) report_moved(k, found.miss[k].p, errors.p);
    if (!loose.empty()) return;
  }
  const bool lasting =
      gap.b > gap.a + 3 && (tr.has_momenta() ? !told_apart(gap, found, errors) : !opens_within(gap, found));
  // With velocities every sample is a state: what happens before a short break at the end is judged on its own.
  const bool all = !tr.has_momenta() || gap.b <= gap.a + 3;
  if (!lasting && all && (at_an_end(gap) || hole_in(gap))) {
    // What comes before the first sample, after the last, or in a hole, nobody has seen: it is judged if all that is
    // seen is what an elastic motion does.
    if (const auto chain = elastic(gap, found, errors); chain && chain->moved.empty())
      pass_elastic(*chain, errors, way);
    else if (!tr.has_momenta() && pass_single(gap, found, errors, way))
      return;
    else if (hole_in(gap)) {
      ++holes_;
      pass_crowd(a, b, errors, tr.step[gap.a]);
    } else {
      ++open_;
      unclear_ = true;
    }
    return;
  }
  if (lasting) {
    pass_contact(gap, found, errors, way);
    return;
  }
  if (several) {
    if (!tr.has_momenta() && pass_single(gap, found, errors, way)) return;
    const auto chain = elastic(gap, found, errors);
    if (chain && (!tr.has_momenta() || !chain->moved.empty())) {
      pass_elastic(*chain, errors, way);
    } else if (tr.has_momenta()) {
      // Every sample is a whole state: impacts in neighbouring intervals can be told apart.
      for (std::size_t i = gap.a; i < gap.b; ++i) {
        const Break one{i, i + 1, found.state(tr, i).p, found.state(tr, i + 1).p};
        if (at_an_end(one) || hole_in(one))
          pass_break(one, found, way);
        else
          pass_impact(one, found, errors, way);
      }
    } else {
      ++crowded_;
      pass_crowd(a, b, errors, tr.step[gap.a]);
    }
    return;
  }
  pass_impact(gap, found, errors, way);
}

void Judge::pass_impact(const Break& gap, const Search& found, const Errors& errors, double& way) {
  const Trajectory& tr = trajectory_;
  State a = found.state(tr, gap.a), b = found.state(tr, gap.b);
  a.p = gap.p_minus;
  b.p = gap.p_plus;
  const double T = b.t - a.t;
  if (!reaches_a_gap(a, b, T)) {
    report_moved(gap.a, found.miss[gap.a].p + found.miss[gap.a].q / measures_.step, errors.p);
    return;
  }
  Jump jump;
  double apart = 0;
  try {
    jump = bridge_.meet(a, b, apart);
  } catch (const Error&) {
    ++lost_;
    ++out_.impacts_left;
    return;
  }
  jump.step = tr.step[gap.a];
  jump.error_p = errors.p;
  jump.error_q = errors.q;
  const double near = tolerance(errors, a, b);
  // Engines that reverse the velocity where they see an overlap do so at a sample: continuous, but not on the wall.
  const bool located = apart <= near && !measures_.closed({jump.t, jump.q, jump.p_minus}, false, errors.q).empty();
  if (!(located && bridge_.open_beside(jump, a, b)) && T > 0) {
    if (const auto chain = elastic(gap, found, errors)) {
      pass_elastic(*chain, errors, way);
      return;
    }
    if (!located && bridge_.several_fit(a, b)) {
      ++crowded_;
      pass_crowd(a, b, errors, tr.step[gap.a]);
      return;
    }
  }
  const double change = speed_of(a, jump.p_plus - jump.p_minus);
  measures_.continuity.add(apart, near, near + std::max(T, measures_.step) * change, jump.t, jump.step, "");
  // A motion that has met one impact to the step only is one that does.
  if (!located) way = std::max({way, T, measures_.step});
  jump.way = way;
  if (located && measures_.exact) hand_over(jump, a, b, found.rule);
  if (way > 0)
    for (std::size_t i = gap.a; i <= gap.b; ++i) jump.places.push_back(tr.q.col(static_cast<Eigen::Index>(i)));
  found_impact(jump);
}

void Judge::pass_crowd(const State& a, const State& b, const Errors& errors, std::int64_t step) {
  unclear_ = true;
  for (int i = 0; i < dynamics_->gaps(); ++i)
    if (dynamics_->moving(i)) {
      measures_.lose_track();
      return;
    }
  // How many there were cannot be told, but none of them may have gained energy.
  const double work = measures_.supply(a, b, b.t - a.t);
  const double H0 = dynamics_->hamiltonian(a.q, a.p, a.t), H1 = dynamics_->hamiltonian(b.q, b.p, b.t);
  const double speed = speed_of(a, a.p) + speed_of(b, b.p);
  const double allowed = rounding * trajectory_.precision * (std::abs(H0) + std::abs(H1) + speed * speed) +
                         std::abs(work) + measures_.energy_band(a.q, a.p, a.t) + 2 * errors.p * speed;
  measures_.second.add(std::abs(H1 - H0 - work), allowed, std::numeric_limits<double>::infinity(), a.t, step,
                       "several");
  measures_.dissipation.add(std::max(0.0, H1 - H0 - work), allowed, allowed, a.t, step, "several");
}

std::optional<Judge::Elastic> Judge::elastic(const Break& gap, const Search& found, const Errors& errors) const {
  const Trajectory& tr = trajectory_;
  const std::size_t n = tr.size();
  std::size_t first = gap.a, last = gap.b;
  bool backwards = false;
  if (!tr.has_momenta()) {
    // From the side whose velocity is known, to the end of the table if the break is there.
    const bool start = gap.a <= 1, end = gap.b + 2 >= n;
    if (start && end) return std::nullopt;
    backwards = start;
    if (start) first = 0;
    if (end) last = n - 1;
  }
  if (last == first) return std::nullopt;
  const std::size_t begin = backwards ? last : first, target = backwards ? first : last;
  State from = found.state(tr, begin);
  if (begin == gap.a && !backwards) from.p = gap.p_minus;
  if (begin == gap.b && backwards) from.p = gap.p_plus;
  std::vector<std::size_t> rows;
  std::vector<double> times;
  for (std::size_t k = begin; k != target;) {
    k = backwards ? k - 1 : k + 1;
    rows.push_back(k);
    times.push_back(tr.t[k]);
  }
  auto chain = bridge_.elastic(from, times);
  if (!chain) return std::nullopt;
  // Every impact hands its error on.
  const double more = 1 + 2 * static_cast<double>(chain->jumps.size());
  Elastic out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    State at = found.state(tr, rows[i]);
    if (rows[i] == gap.b) at.p = gap.p_plus;
    State& passed = chain->passed[i];
    const double time = std::abs(from.t) + std::abs(at.t);
    const double allowed =
        more * (tolerance(errors, from, at) +
                rounding * tr.precision * time * std::max(speed_of(at, at.p), speed_of(from, from.p)));
    bool fits = (at.q - passed.q).norm() <= allowed;
    const bool velocity = tr.has_momenta() || (found.known[rows[i]] && rows[i] == gap.b);
    if (velocity && fits) {
      // An impact at the sample itself: the momentum before it is as good.
      const double off = std::min(speed_of(at, at.p - passed.p),
                                  chain->jumps.empty() ? std::numeric_limits<double>::infinity()
                                                       : speed_of(at, at.p - chain->jumps.back().p_minus) +
                                                             std::abs(chain->jumps.back().t - at.t) / measures_.step);
      fits = off <= more * (errors.p + rounding * tr.precision * (speed_of(at, at.p) + speed_of(from, from.p)));
    }
    if (!fits && rows[i] == target) return std::nullopt;
    if (!fits) out.moved.push_back(rows[i]);
  }
  if (out.moved.size() > 1) return std::nullopt;
  for (Jump& jump : chain->jumps) {
    std::size_t k = first;
    while (k + 1 < last && tr.t[k + 1] <= jump.t) ++k;
    jump.step = tr.step[k];
  }
  out.chain = std::move(*chain);
  return out;
}

void Judge::pass_elastic(const Elastic& found, const Errors& errors, double way) {
  for (Jump jump : found.chain.jumps) {
    jump.error_p = errors.p;
    jump.error_q = errors.q;
    jump.way = way;
    found_impact(jump);
  }
  for (const std::size_t k : found.moved) report_moved(k, 0, 0);
}

bool Judge::pass_single(const Break& gap, const Search& found, const Errors& errors, double way) {
  const Trajectory& tr = trajectory_;
  if (gap.a == gap.b) return false;
  State a = found.state(tr, gap.a), b = found.state(tr, gap.b);
  a.p = gap.p_minus;
  b.p = gap.p_plus;
  Jump jump;
  double apart = 0;
  std::vector<std::size_t> moved;
  const double near = tolerance(errors, a, b);
  try {
    jump = bridge_.meet(a, b, apart);
    if (apart > near || measures_.closed({jump.t, jump.q, jump.p_minus}, false, errors.q).empty() ||
        !bridge_.open_beside(jump, a, b))
      return false;
    for (std::size_t k = gap.a + 1; k < gap.b; ++k) {
      const State at = tr.t[k] < jump.t ? flow_(a, tr.t[k] - a.t) : flow_(b, tr.t[k] - b.t);
      if ((at.q - tr.q.col(static_cast<Eigen::Index>(k))).norm() > near) moved.push_back(k);
    }
  } catch (const Error&) {
    return false;
  }
  if (moved.size() > 1) return false;
  jump.step = tr.step[gap.a];
  jump.error_p = errors.p;
  jump.error_q = errors.q;
  jump.way = way;
  measures_.continuity.add(apart, near, near, jump.t, jump.step, "");
  found_impact(jump);
  for (const std::size_t k : moved) report_moved(k, 0, 0);
  return true;
}

void Judge::report_moved(std::size_t k, double off, double allowed) {
  measures_.motion.add(std::max(2.0, off / (allowed > 0 ? allowed : 1)), 1, 1, trajectory_.t[k], trajectory_.step[k],
                       off > 0 ? "no gap is near" : "this sample is not on the way of its neighbours");
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

bool Judge::told_apart(const Break& gap, const Search& found, const Errors& errors) const {
  for (std::size_t i = gap.a; i < gap.b; ++i) {
    const State a = found.state(trajectory_, i), b = found.state(trajectory_, i + 1);
    double apart = 0;
    try {
      const Jump jump = bridge_.meet(a, b, apart);
      const bool located = apart <= tolerance(errors, a, b) &&
                           !measures_.closed({jump.t, jump.q, jump.p_minus}, false, errors.q).empty() &&
                           measures_.closed(a, true).empty();
      if (!located && !elastic({i, i + 1, a.p, b.p}, found, errors) && !bridge_.several_fit(a, b)) return false;
    } catch (const Error&) {
      return false;
    }
  }
  return true;
}

bool Judge::opens_within(const Break& gap, const Search& found) const {
  Vec g(dynamics_->dimension());
  for (std::size_t k = gap.a + 1; k < gap.b; ++k) {
    const State at = found.state(trajectory_, k);
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

std::vector<std::size_t> Judge::kinks_without_gap(const Break& gap, const Search& found) const {
  const Trajectory& tr = trajectory_;
  const int n = dynamics_->dimension();
  // No faster than at the ends, and what the forces do until then.
  double speed = 0, force = 0;
  for (const auto& [k, p] : {std::pair(gap.a, &gap.p_minus), std::pair(gap.b, &gap.p_plus)}) {
    const State at{tr.t[k], tr.q.col(static_cast<Eigen::Index>(k)), *p};
    Vec v(n);
    dynamics_->velocity(at.q, at.p, at.t, v);
    Point point;
    dynamics_->evaluate(at.q, v, at.t, point);
    speed = std::max(speed, speed_of(at, at.p));
    force = std::max(force, speed_of(at, point.Q));
  }
  speed += force * (tr.t[gap.b] - tr.t[gap.a]);
  const auto reached = [&](std::size_t k) {  // in the interval after sample k
    const State a = found.state(tr, k), b = found.state(tr, k + 1);
    Vec g(n), v = Vec::Zero(n);
    for (int i = 0; i < dynamics_->gaps(); ++i) {
      const double way = dynamics_->gap(i, a.q, a.t, g) + dynamics_->gap(i, b.q, b.t, g);
      const double norm = dynamics_->norm_p(b.q, v, b.t, g);
      if (way <= 2 * (b.t - a.t) * (norm * speed + std::abs(dynamics_->gap_drift(i, b.q, b.t)))) return true;
    }
    return false;
  };
  std::vector<std::size_t> loose;
  for (std::size_t k = gap.a; k <= gap.b; ++k)
    if (!(k > 0 && reached(k - 1)) && !(k + 1 < tr.size() && reached(k))) loose.push_back(k);
  return loose;
}

void Judge::pass_contact(const Break& gap, const Search& found, const Errors& errors, double& way) {
  const Trajectory& tr = trajectory_;
  State a = found.state(tr, gap.a), b = found.state(tr, gap.b);
  a.p = gap.p_minus;
  b.p = gap.p_plus;
  double work = 0;
  for (std::size_t i = gap.a; i < gap.b; ++i) {
    const State from = found.state(tr, i), to = found.state(tr, i + 1);
    work += measures_.supply(from, to, to.t - from.t);
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
    work += found_push(jump);
    ++held_;
  }
  const double H0 = dynamics_->hamiltonian(a.q, a.p, a.t), H1 = dynamics_->hamiltonian(b.q, b.p, b.t);
  const double gain = H1 - H0 - work, speed = speed_of(a, a.p) + speed_of(b, b.p);
  const double allowed = measures_.energy_band(a.q, a.p, a.t) * static_cast<double>(gap.b - gap.a) +
                         rounding * tr.precision * (std::abs(H0) + std::abs(H1) + speed * speed) + errors.p * speed;
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
