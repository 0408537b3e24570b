#include "ricochet/audit/judge.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ricochet/audit/judging.hpp"
#include "ricochet/error.hpp"

namespace ricochet::audit {

Findings Judge::run() {
  out_.source = trajectory_.source;
  out_.scene = model_.scene.title.empty() ? model_.scene.name : model_.scene.title;
  out_.samples = trajectory_.size();
  out_.t_begin = trajectory_.t.front();
  out_.t_end = trajectory_.t.back();
  out_.step = measures_.step;
  out_.notes = trajectory_.notes;
  out_.order_words = trajectory_.order_words;
  if (trajectory_.scheme && trajectory_.scheme->weak && trajectory_.scheme->rule && every_step())
    walk_grid(*trajectory_.scheme->rule, trajectory_.scheme->step);
  else if (trajectory_.has_impacts && !(trajectory_.scheme && trajectory_.scheme->weak))
    walk_recorded(every_step());
  else
    walk_found();
  conclude();
  return std::move(out_);
}

bool Judge::every_step() const {
  const std::size_t last = trajectory_.size() - 2;  // the last step may be shorter, and recorded out of turn
  return trajectory_.scheme && trajectory_.step[last] == trajectory_.step.front() + static_cast<std::int64_t>(last);
}

double Judge::typical_step() const {
  if (trajectory_.scheme && !(trajectory_.scheme->weak && !every_step())) return trajectory_.scheme->step;
  std::vector<double> s;
  for (std::size_t k = 0; k + 1 < trajectory_.size(); ++k) s.push_back(trajectory_.t[k + 1] - trajectory_.t[k]);
  std::nth_element(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(s.size() / 2), s.end());
  return s[s.size() / 2];
}

double Judge::speed_of(const State& at, const Vec& p) const {
  Vec v(p.size());
  dynamics_->velocity(at.q, at.p, at.t, v);
  return dynamics_->norm_p(at.q, v, at.t, p);
}

void Judge::conclude() {
  measures_.conclude(out_.notes);
  if (rough_ > 0)
    out_.notes.push_back(fmt::format(
        "{} intervals are not judged: a rough contact changes between sticking and sliding in them, or steps "
        "of it are not recorded",
        rough_));
  if (unseen_ > 0)
    out_.notes.push_back(fmt::format(
        "{} intervals are not judged: a contact begins or ends in them, at a node that a rule of first order does not "
        "record",
        unseen_));
  if (lost_ > 0)
    out_.notes.push_back(
        fmt::format("the exact motion could not be followed over {} intervals: not judged there", lost_));
  for (const Check* check : measures_.all()) {
    if (check->judged == 0) continue;
    out_.checks.push_back(*check);
    out_.verdict = std::max(out_.verdict, check->grade);
  }
  out_.impacts = out_.lines.size();
  out_.impacts_left += open_ + holes_ + crowded_;
  if (blind_ > 0)
    out_.notes.push_back(fmt::format(
        "over {} of {} intervals the digits of the table are too few to show what the forces do: not judged there",
        blind_, tried_));
  // Random forces look like noise: beyond this they are not passed.
  constexpr double most_noise = 1e-9;
  // Nothing speaks against the motion, but nothing was looked at that could speak for it.
  const bool unseen = 10 * blind_ > tried_, unjudged = out_.impacts == 0 && out_.impacts_left > 0;
  if (out_.verdict != Grade::neither &&
      (unseen || unjudged || unseen_force_ || grazed_ > 0 || trajectory_.failed || trajectory_.noise > most_noise))
    out_.verdict = Grade::not_judged;
  // Impacts amid the motion that were not judged: it may be strong, but that is not known.
  if (out_.verdict == Grade::strong && (out_.impacts_left > open_ || rough_ > 0 || unseen_ > 0))
    out_.verdict = Grade::not_judged;
  constexpr std::size_t most_lines = 1000;
  if (out_.lines.size() > most_lines) out_.lines.resize(most_lines);
  const OrderFit fit = fit_order(pairs_);
  if (out_.order_words.empty() && tried_ > 0 && 100 * exact_ >= 95 * tried_) {
    out_.order_words = "exact: the free motion is met to rounding";
  } else if (out_.order_words.empty() && fit.order) {
    out_.order = fit.order;
    out_.order_error = fit.error;
    out_.order_words = fmt::format("{:.2f} +- {:.2f}, from {} flights to and from impacts, each beside a full step",
                                   *fit.order, fit.error, fit.pairs);
  } else if (out_.order_words.empty() && !rule_words_.empty()) {
    out_.order_words = rule_words_;
  } else if (out_.order_words.empty() && trajectory_.scheme && trajectory_.scheme->rule &&
             measures_.euler_lagrange.judged > 0) {
    out_.order_words = fmt::format("{} (the rule {})", trajectory_.scheme->rule->order, trajectory_.scheme->rule->name);
  } else if (out_.order_words.empty()) {
    out_.order_words = "not visible: too few flights are shorter than a step, and no known rule is recognised";
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

Findings judge(const scene::Model& model, const Trajectory& trajectory) {
  if (trajectory.size() < 3)
    throw Error(ErrorKind::bad_scene, fmt::format("{}: {} samples are too few to judge a motion; three are the least",
                                                  trajectory.source, trajectory.size()));
  if (trajectory.q.rows() != model.n)
    throw Error(ErrorKind::bad_scene, fmt::format("{}: the motion has {} coordinates, the scene has {}",
                                                  trajectory.source, trajectory.q.rows(), model.n));
  if (trajectory.scheme) return Judge(model, trajectory).run();
  const auto dynamics = dynamics_of(model);
  if (const auto moved = synchronised(*dynamics, trajectory)) return Judge(model, *moved).run();
  if (const auto noise = noisy(*dynamics, trajectory)) return Judge(model, *noise).run();
  return Judge(model, trajectory).run();
}

}  // namespace ricochet::audit
