// A run with its impacts recorded, and a run on the grid of the weak principle: rules at rounding.
#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "ricochet/audit/judging.hpp"
#include "ricochet/error.hpp"

namespace ricochet::audit {

void Judge::walk_recorded(bool every_step) {
  const Scheme& scheme = *trajectory_.scheme;
  measures_.first_order = scheme.rule && scheme.rule->order == 1;
  out_.scheme = fmt::format("the discrete Euler-Lagrange equations of the rule {}, recorded impacts ({} closure)",
                            scheme.rule ? scheme.rule->name : "?", scheme.closure);
  sparse_ = !every_step;
  grazes_left_ = scheme.grazes;
  push_offs_left_ = scheme.push_offs;
  if (sparse_) out_.notes.push_back("not every step is recorded: those between are flown by the rule");
  const std::size_t intervals = trajectory_.size() - 1;
  flow_stride_ = std::max<std::size_t>(1, intervals / 3000);
  std::size_t next = 0;
  const auto& impacts = trajectory_.impacts;
  State from = trajectory_.state(0);
  measures_.sample(from, trajectory_.step[0], 0);
  for (std::size_t k = 0; k < intervals; ++k) {
    const State end = trajectory_.state(k + 1);
    const std::int64_t first = trajectory_.step[k], last = trajectory_.step[k + 1];
    const bool hit = next < impacts.size() && impacts[next].step < last;
    if (!every_step && can_fly(from, end, first, last, hit)) {
      // The nodes between are flown, by the rule as it is written down here, and the record is met where it goes on.
      flown_ = 0;
      const double t0 = from.t;
      for (std::int64_t n = first; n + 1 < last; ++n, ++flown_)
        from = pass_step(from, std::nullopt, t0 + static_cast<double>(n + 1 - first) * scheme.step, n, true, next);
      pass_step(from, end, end.t, last - 1, true, next);
      flown_ = 0;
    } else {
      loose_ += last - first > 1;
      pass_step(from, end, end.t, last - 1, every_step && last - first == 1, next);
    }
    from = end;
    measures_.sample(from, trajectory_.step[k + 1], 0);
  }
  close_jump(std::nullopt, 0);
  if (grazed_ > 0)
    out_.notes.push_back(fmt::format(
        "{} steps have a node inside where a gap was grazed, which is counted but not recorded: held to the "
        "exact motion only",
        grazed_));
  if (loose_ > 0)
    out_.notes.push_back(fmt::format(
        "{} intervals of several steps have no formula of the rule (contacts, constraints, the closure): held to the "
        "exact motion only",
        loose_));
  if (next < impacts.size())
    out_.notes.push_back(fmt::format("{} recorded impacts lie after the last sample", impacts.size() - next));
}

bool Judge::can_fly(const State& from, const State& end, std::int64_t first, std::int64_t last, bool hit) const {
  const Scheme& scheme = *trajectory_.scheme;
  const bool plain = !hit || scheme.closure == "variational" || scheme.closure == "reflection";
  const double steps = static_cast<double>(last - first);
  constexpr std::int64_t most = 200;  // more of them magnify rounding beyond what can be said of it
  return last > first + 1 && last <= first + most && scheme.rule && plain && dynamics_->constraints() == 0 &&
         std::abs(end.t - from.t - steps * scheme.step) <= 1e-6 * scheme.step && measures_.closed(from, true).empty() &&
         measures_.closed(end, true).empty();
}

/// Step n of the run, or several of them that end in `recorded`. Returns the node at its end.
State Judge::pass_step(State from, const std::optional<State>& recorded, double t1, std::int64_t n, bool single,
                       std::size_t& next) {
  const Scheme& scheme = *trajectory_.scheme;
  const auto& impacts = trajectory_.impacts;
  const bool plain = scheme.closure == "variational" || scheme.closure == "reflection";
  const double t0 = from.t, dt = t1 - t0, clock = std::abs(t0) + std::abs(t1);
  const double h = std::abs(dt - scheme.step) <= 1e-9 * scheme.step ? scheme.step : dt;
  double alpha = 0;
  const bool hit = next < impacts.size() && impacts[next].step <= n;
  const DiscreteRule* rule = single && scheme.rule && (!hit || plain) ? &*scheme.rule : nullptr;
  curve_ = hit && !plain;
  while (next < impacts.size() && impacts[next].step <= n) {
    const motion::KeptImpact& impact = impacts[next++];
    // αh has more digits than t̃ − t.
    const bool exact = single && std::abs(t0 + impact.alpha * h - impact.t) <= 1e-9 * h;
    const double s = exact ? (impact.alpha - alpha) * h : impact.t - from.t;
    alpha = exact ? impact.alpha : (impact.t - t0) / h;
    const State to{impact.t, vector(impact.q), vector(impact.p_minus)};
    // t̃ = t + αh, to the digits of t
    const double digits = std::max(1e-9 * h, rounding * trajectory_.precision * clock);
    if (const double off = std::abs(t0 + impact.alpha * h - impact.t); single && h == scheme.step && off > digits)
      measures_.motion.add(off / digits, 1, 1, impact.t, n, "the time of the impact is not that of its alpha");
    piece(from, to, s, exact ? h : clock, n, rule, true);
    flown_ = 0;  // the impact is recorded
    Jump jump;
    jump.t = impact.t;
    jump.step = impact.step;
    jump.q = to.q;
    jump.p_minus = to.p;
    jump.p_plus = vector(impact.p_plus);
    // The momenta of a rectangle rule lie (½ − c)h beside its positions (as in synchronised()).
    if (curve_ && measures_.first_order)
      jump.beside = (0.5 - scheme.rule->stages.front().c) * (single ? h : scheme.step);
    jump.last = next >= impacts.size() || impacts[next].t > impact.t;
    open_jump(std::move(jump), scheme.closure == "variational" && rule != nullptr && s > 0);
    from = {impact.t, to.q, vector(impact.p_plus)};
  }
  const double rest = single ? (1 - alpha) * h : t1 - from.t;
  State end = recorded ? *recorded : fly(*dynamics_, *scheme.rule, from, rest);
  end.t = t1;
  flying_ = !recorded;
  piece(from, end, rest, single && h == scheme.step ? h : clock, n, rule, hit);
  flying_ = false;
  return end;
}

void Judge::open_jump(Jump jump, bool discrete) {
  close_jump(std::nullopt, 0);
  if (discrete) {
    jump.before = last_end_;
    jump.excess = last_excess_;
    jump.noise = last_noise_;
  }
  pending_ = std::move(jump);
}

void Judge::close_jump(std::optional<double> energy, double excess, double noise) {
  if (!pending_) return;
  Jump jump = std::move(*pending_);
  pending_.reset();
  if (energy && jump.before) {
    jump.after = energy;
    jump.excess += excess;
    jump.noise += noise;
  } else {
    jump.before.reset();
    jump.noise = 0;
  }
  measures_.jump(jump, out_.lines);
}

void Judge::piece(const State& from, const State& to, double s, double clock, std::int64_t step,
                  const DiscreteRule* rule, bool at_impact) {
  if (!(s > 0)) {
    close_jump(std::nullopt, 0);
    const double off = speed_of(from, to.p - from.p) + (to.q - from.q).norm() / measures_.step;
    const double size = speed_of(from, from.p) + from.q.norm() / measures_.step;
    measures_.euler_lagrange.add(off + std::max(0.0, -s), rounding * trajectory_.precision * size,
                                 rounding * trajectory_.precision * size, from.t, step, "");
    return;
  }
  measures_.between(from, to, s, step, 0);
  bool judged = false;
  if (rule != nullptr) {
    IntervalCheck check = check_interval(*dynamics_, *rule, from, to, s, clock, trajectory_.precision);
    if (dynamics_->constraints() > 0) {
      // Reactions belong to the momenta, so those of the rule alone are not those of the ends.
      const double H0 = dynamics_->hamiltonian(from.q, from.p, from.t), H1 = dynamics_->hamiltonian(to.q, to.p, to.t);
      // The energy of a rule of first order is H ± ½h v·∇V; both signs are of order h.
      const double ripple = rule->order == 1 ? s : 0;
      check.excess_start = std::min(std::abs(check.start - H0), 4 * measures_.energy_band(from.q, from.p, from.t) +
                                                                    ripple * measures_.force_power(from));
      check.excess_end = std::min(std::abs(check.end - H1),
                                  4 * measures_.energy_band(to.q, to.p, to.t) + ripple * measures_.force_power(to));
    }
    // What the rule's own quadrature supplies, unless it looks at one end only.
    if (dynamics_->supplied())
      measures_.supplied += rule->order > 1 ? check.end - check.start : measures_.supply(from, to, s);
    close_jump(check.start, check.excess_start, rounding * check.rounding0 * speed_of(from, from.p));
    last_end_ = check.end;
    last_excess_ = check.excess_end;
    last_noise_ = rounding * check.rounding1 * speed_of(to, to.p);
    judged = judge_rule(from, to, s, clock, check, step, *rule);
    carry(from, to, s, clock, rule, &check);
  } else {
    measures_.supplied += measures_.supply(from, to, s);
    close_jump(std::nullopt, 0);
    carry(from, to, s, clock, nullptr, nullptr);
    last_end_ = dynamics_->hamiltonian(to.q, to.p, to.t);
  }
  ++pieces_;
  if (!judged || pieces_ % flow_stride_ == 0) judge_motion(from, to, s, step, judged);
  if (judged && !reacted_ && pairs_.size() < 4000)
    pair_up(from, to, s, at_impact);
  else
    last_flight_.reset();
}

void Judge::pair_up(const State& from, const State& to, double s, bool at_impact) {
  Flight now{from, to, s, at_impact};
  if (last_flight_ && last_flight_->at_impact != at_impact) {
    const Flight& full = at_impact ? *last_flight_ : now;
    const Flight& part = at_impact ? now : *last_flight_;
    try {
      const Miss a = miss_between(*dynamics_, flow_, full.from, full.to, full.s, trajectory_.precision);
      const Miss b = miss_between(*dynamics_, flow_, part.from, part.to, part.s, trajectory_.precision);
      const double h = measures_.step, x = a.p + a.q / h, y = b.p + b.q / h;
      ++tried_;
      const double noise = a.rounding_p + a.rounding_q / h + b.rounding_p + b.rounding_q / h;
      if (x <= noise) ++exact_;
      // In the last bits, or too alike to tell.
      if (full.s > 1.2 * part.s && y > noise / 4) pairs_.push_back({full.s / part.s, x / y});
    } catch (const Error&) {
    }
  }
  last_flight_ = std::move(now);
}

bool Judge::judge_rule(const State& from, const State& to, double s, double clock, const IntervalCheck& check,
                       std::int64_t step, const DiscreteRule& rule) {
  reacted_ = false;
  if (flying_) return true;  // made by the rule: nothing to judge
  // Every step that was flown hands its rounding on.
  const double steps = 1 + 2 * static_cast<double>(flown_);
  const double allowed0 = steps * rounding * check.rounding0, allowed1 = steps * rounding * check.rounding1;
  double r0 = speed_of(from, check.r0), r1 = speed_of(to, check.r1);
  std::string where;
  if (dynamics_->constraints() > 0 || r0 > allowed0 || r1 > allowed1) {
    // Reactions: of the constraints, and of the gaps that stay closed over the interval, pushing only.
    const auto at0 = measures_.closed(from, true), at1 = measures_.closed(to, true);
    std::vector<int> held;
    std::set_intersection(at0.begin(), at0.end(), at1.begin(), at1.end(), std::back_inserter(held));
    r0 = react(from, -check.r0, held).rest;
    r1 = react(to, check.r1, held).rest;
    if ((r0 > allowed0 || r1 > allowed1) && may_pull(rule, from, to, held)) {
      r0 = react(from, -check.r0, held, true).rest;
      r1 = react(to, check.r1, held, true).rest;
    }
    for (const int i : held) where += (where.empty() ? "" : "+") + dynamics_->names()[static_cast<std::size_t>(i)];
    if ((r0 > allowed0 || r1 > allowed1) && at0 != at1) return false;
    if ((r0 > allowed0 || r1 > allowed1) &&
        std::any_of(held.begin(), held.end(), [&](int i) { return dynamics_->friction(i) > 0; })) {
      ++rough_;  // two flights in one step, with a node between them that nobody recorded
      reacted_ = true;
      return true;
    }
    if (held.empty() && (r0 > allowed0 || r1 > allowed1) && grazes_left_ > 0 && reaches_a_gap(from, to, s)) {
      --grazes_left_;
      if (grazes(from, to, s, clock, rule)) return true;
      ++grazed_;
      return false;
    }
    reacted_ = !held.empty();
    held_ += reacted_;
  }
  const bool left = r0 / allowed0 >= r1 / allowed1;
  measures_.euler_lagrange.add(left ? r0 : r1, left ? allowed0 : allowed1, left ? allowed0 : allowed1,
                               left ? from.t : to.t, step, where);
  return true;
}

void Judge::judge_motion(const State& from, const State& to, double s, std::int64_t step, bool judged) {
  const double steps = std::max(1.0, s / measures_.step);
  if (!judged && sparse_)
    for (const State* end : {&from, &to})
      for (const int i : measures_.closed(*end, false))
        if (dynamics_->friction(i) > 0) {  // it sticks or slides, in steps that nobody recorded
          ++rough_;
          return;
        }
  const auto closed = staying(from, measures_.closed(from, true));
  Miss miss;
  try {
    // What is held has lost the last of its normal speed.
    const State start = closed.empty() ? from : at_rest(from, closed);
    miss = miss_between(*dynamics_, flow_, start, to, s, trajectory_.precision, closed);
    if (curve_ && !judged && miss.ratio(steps) > 1) allow_curve(miss, start, s, closed);
    if (!closed.empty()) {
      // As what counts as closed: at rest in the origin rounding is nothing at all.
      Vec v(from.q.size());
      dynamics_->velocity(from.q, from.p, from.t, v);
      Point point;
      dynamics_->evaluate(from.q, v, from.t, point);
      const double way = 1e-9 * (speed_of(from, from.p) + measures_.step * speed_of(from, point.Q));
      const double lost = speed_of(from, from.p - start.p) + way;
      miss.bound_p += lost;
      miss.bound_q += (s + measures_.step) * lost;
    }
  } catch (const Error&) {
    ++lost_;
    return;
  }
  largest_miss_ = std::max(largest_miss_, miss.p / s);
  if (judged) return;
  if (miss.ratio(steps) > 1 && unseen_node(from, to, s, closed, miss)) {
    ++unseen_;
    return;
  }
  // Steps that change a contact, closures that fly a curve of their own, samples several steps apart.
  measures_.motion.add(miss.ratio(steps), 1, 1, from.t, step, "");
  measures_.slack_p += miss.p;
}

void Judge::allow_curve(Miss& miss, const State& from, double s, const std::vector<int>& held) const {
  // However short the piece, the closure follows the motion that the rule follows with its whole step h. That of the
  // trapezoid rule has the energy H + h²(v·V''v/12 − |∇V|²/24): q̇ is off by h²ȧ/6 and ṗ by h²Mä/12, and the ends of a
  // piece by s times that, where a flight of length s may miss by s²a and 2s²ȧ. Other rules of second order have other
  // twelfths, none above 1/6: twice that leaves room for the terms in h⁴. A rule of first order has
  // H ± ½h v·∇V: s/h of what a whole step may miss, h²a and 2h²ȧ.
  const double h = measures_.step;
  const int n = dynamics_->dimension();
  Mat a(n, 5);
  Vec v0(n), v(n), x(n);
  dynamics_->velocity(from.q, from.p, from.t, v0);
  try {
    // Over a step to both sides, because ȧ and ä vanish now and then.
    for (int k = 0; k < 5; ++k) {
      const State at = flow_(from, (k - 2) * h / 2, held);
      dynamics_->velocity(at.q, at.p, at.t, v);
      dynamics_->acceleration(at.q, v, at.t, held, x);
      a.col(k) = x;
    }
  } catch (const Error&) {
    return;  // no motion beyond the gap: the narrower bound stays
  }
  double most = 0, rate = 0, bend = 0;
  const auto length = [&](const Vec& y) { return dynamics_->norm_v(from.q, v0, from.t, y); };
  for (int k = 0; k < 5; ++k) most = std::max(most, length(a.col(k)));
  for (int k = 1; k < 5; ++k) rate = std::max(rate, length(a.col(k) - a.col(k - 1)) / (h / 2));
  for (int k = 1; k < 4; ++k) bend = std::max(bend, length(a.col(k + 1) - 2 * a.col(k) + a.col(k - 1)) / (h * h / 4));
  const double off_p = measures_.first_order ? 2 * h * rate : h * h * bend / 3;
  const double off_q = measures_.first_order ? h * most : h * h * rate / 3;
  miss.bound_p = std::max(miss.bound_p, s * off_p + miss.rounding_p);
  miss.bound_q = std::max(miss.bound_q, s * (off_q + s * off_p) + miss.rounding_q);
}

State Judge::at_rest(const State& from, const std::vector<int>& held) const {
  const int n = dynamics_->dimension();
  Vec v(n), a(n);
  dynamics_->velocity(from.q, from.p, from.t, v);
  dynamics_->free_acceleration(from.q, v, from.t, a);
  const Mat G = directions(from, held);
  Vec rates = Vec::Zero(G.cols());
  for (std::size_t k = 0; k < held.size(); ++k)
    rates[static_cast<Eigen::Index>(k)] = dynamics_->gap_rates(held[k], from.q, v, a, from.t).rate;
  State out = from;
  const Mat W = G.transpose() * inverse_mass(*dynamics_, from.q, v, from.t) * G;
  out.p -= G * W.fullPivLu().solve(rates);
  return out;
}

Jump::Law Judge::law_between(const State& from, const State& to, double s) const {
  const int n = dynamics_->dimension(), gaps = dynamics_->gaps();
  Jump::Law law{Vec(n), Vec(n), Vec::Ones(gaps), std::vector<bool>(static_cast<std::size_t>(gaps), true)};
  dynamics_->velocity(from.q, from.p, from.t, law.before);
  dynamics_->velocity(to.q, to.p, to.t, law.after);
  const auto view = [](const Vec& x) { return std::span<const double>(x.data(), static_cast<std::size_t>(x.size())); };
  for (int i = 0; i < model_.restitution.outputs(); ++i)
    law.restitution[i] = model_.restitution(i, view(from.q), view(law.before), from.t);
  // Contacts are looked for at the node, unless the scene says otherwise: half a step before it, or after it.
  const std::string& activation = model_.scene.integrator.activation;
  const double ahead = activation == "start" ? 0 : s;
  Vec g(n);
  if (activation == "start" || activation == "end")
    for (int i = 0; i < gaps; ++i)
      law.looks[static_cast<std::size_t>(i)] = dynamics_->gap(i, from.q + ahead * law.before, from.t + ahead, g) <= 0;
  return law;
}

void Judge::walk_grid(DiscreteRule rule, double step) {
  measures_.grid = true;
  out_.scheme = fmt::format("the grid of the weak principle (Leine 2009 (115)) with the rule {}", rule.name);
  measures_.sample(trajectory_.state(0), trajectory_.step[0], measures_.step);
  bool acted = false;
  // A gap that is looked for at the start of a step has half of it and all of the next to overlap.
  const double late = model_.scene.integrator.activation == "start" ? 1.5 : 1;
  for (std::size_t k = 0; k + 1 < trajectory_.size(); ++k) {
    const State from = trajectory_.state(k), to = trajectory_.state(k + 1);
    const double dt = to.t - from.t, s = std::abs(dt - step) <= 1e-9 * step ? step : dt;
    const GridCheck check = check_grid(*dynamics_, rule, from, to, s, trajectory_.precision);
    measures_.supplied += measures_.supply(from, to, s);
    const double allowed_q = rounding * check.rounding_q / s, off = check.position.norm() / s;
    measures_.euler_lagrange.add(off, allowed_q, allowed_q, from.t, trajectory_.step[k], "position");
    const double allowed = rounding * check.rounding_p;
    const double r = react({from.t + s / 2, check.x, check.p_minus}, check.p_plus - check.p_minus, {}).rest;
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
      jump.way = late * s;
      jump.line = !acted;
      jump.law = law_between(from, to, s);
      measures_.jump(jump, out_.lines);
      if (acted) ++held_;
      acted = true;
    }
    measures_.sample(to, trajectory_.step[k + 1], late * s);
  }
  out_.order_words = "2 between impacts (the rule), 1 across them (the grid)";
}

}  // namespace ricochet::audit
