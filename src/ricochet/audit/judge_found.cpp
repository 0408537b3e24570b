// A motion without a list of impacts: they are found, estimated from both
// sides, and judged with what that costs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ricochet/audit/judging.hpp"

namespace ricochet::audit {

void Judge::walk_found() {
  const Search found = search(*dynamics_, trajectory_);
  if (found.rule && found.rule->grid) {
    walk_grid(*found.rule, -1);
    out_.scheme += ", recognised in the samples";
    return;
  }
  out_.notes.insert(out_.notes.end(), found.notes.begin(), found.notes.end());
  if (found.rule) {
    measures_.first_order = found.rule->order == 1;
    out_.scheme = fmt::format(
        "the exact motion; the rule {} was recognised, "
        "it holds at rounding between impacts",
        found.rule->name);
    rule_words_ = fmt::format("{} (the rule {})", found.rule->order, found.rule->name);
  } else {
    out_.scheme = trajectory_.has_momenta() ? "the exact motion between samples"
                                            : "the exact motion between samples; velocities from positions";
  }
  const Trajectory& tr = trajectory_;
  std::size_t free = 0, met = 0;
  for (const Miss& miss : found.miss) {
    const bool broken = miss.p > miss.bound_p || miss.q > miss.bound_q;
    free += !broken;
    met += !broken && miss.exact();
    if (!trajectory_.has_momenta()) measures_.error_p = std::max(measures_.error_p, miss.rounding_p);
  }
  // Where every interval has an impact nothing is known of the error but
  // rounding.
  measures_.exact = 100 * met >= 95 * free;
  if (!found.rule && !measures_.exact) rule_words_ = known_method(*dynamics_, trajectory_);
  std::size_t next = 0, few = 0;
  measures_.sample(found.state(tr, 0), tr.step[0], 0, found.known[0]);
  double way = 0;
  for (std::size_t k = 0; k + 1 < tr.size(); ++k) {
    const bool broken = next < found.breaks.size() && found.breaks[next].a == k;
    if (broken) {
      const Break& gap = found.breaks[next++];
      few += next > 1 && gap.a - found.breaks[next - 2].b < (tr.has_momenta() ? 1u : 2u);
      measures_.end_arc(tr.t[gap.a], tr.step[gap.a]);
      passed_.clear();
      unclear_ = false;
      pass_break(gap, found, way);
      supply_break(gap, found, way);
      passed_.clear();
      if (gap.b > gap.a) {
        k = gap.b - 1;
        continue;
      }
    }
    const State from = found.state(tr, k), to = found.arrived(tr, k + 1);
    const double s = tr.t[k + 1] - tr.t[k];
    if (!found.known[k] || !found.known[k + 1]) {  // the end of a table of
                                                   // positions, an impact in it
      measures_.sample(found.state(tr, k + 1), tr.step[k + 1], way, found.known[k + 1]);
      continue;
    }
    const Miss& miss = found.miss[k];
    const double across = !found.rule && miss.across > miss.bound_across
                              ? miss.across / std::max(miss.bound_across, std::numeric_limits<double>::min())
                              : 0;
    const double ratio = miss.ratio(found.rule ? 4 : 1);
    measures_.motion.add(std::max(ratio, across), 1, 1, tr.t[k], tr.step[k],
                         across > ratio ? "positions do not follow the velocities" : "");
    blind_ += miss.blind();
    if (!found.rule) measures_.slack_p += miss.p;
    largest_miss_ = std::max(largest_miss_, miss.p / s);
    ++tried_;
    if (miss.exact()) ++exact_;
    // Samples at uneven times show the order, as short flights do.
    if (const double last = k > 0 ? tr.t[k] - tr.t[k - 1] : s; !broken && last > 0 && k > 0) {
      const Miss& other = found.miss[k - 1];
      const double x = miss.p + miss.q / measures_.step, y = other.p + other.q / measures_.step;
      const bool visible = miss.p > miss.rounding_p && other.p > other.rounding_p && other.p <= other.bound_p;
      if (visible && s > 1.2 * last) pairs_.push_back({s / last, x / y});
      if (visible && last > 1.2 * s) pairs_.push_back({last / s, y / x});
    }
    State at = from;
    const double work = work_between(at, to);
    measures_.free_flight(from, to, miss.p, miss.q, work);
    measures_.supplied += work;
    measures_.between(from, to, s, tr.step[k], way);
    measures_.sample(found.state(tr, k + 1), tr.step[k + 1], way);
  }
  measures_.end_arc(tr.t.back(), tr.step.back());
  if (!found.rule) judge_forces(found);
  if (open_ > 0) out_.notes.push_back(fmt::format("{} impacts are not judged: the motion begins or ends there", open_));
  if (holes_ > 0) out_.notes.push_back(fmt::format("{} impacts are not judged: samples are missing there", holes_));
  if (crowded_ > 0)
    out_.notes.push_back(
        fmt::format("{} times impacts lie too close together for these samples "
                    "to tell them apart: not judged",
                    crowded_));
  if (few > 0)
    out_.notes.push_back(
        fmt::format("{} impacts have fewer than two samples between them and "
                    "the one before: judged as far as possible",
                    few));
}

void Judge::judge_forces(const Search& found) {
  if (measures_.exact) return;
  std::vector<double> unlike, size;
  const Miss* worst = nullptr;
  std::size_t at = 0;
  for (std::size_t k = 0; k < found.miss.size(); ++k) {
    const Miss& m = found.miss[k];
    if (m.p > m.bound_p || m.q > m.bound_q || m.blind() || !(m.signal > 0)) continue;
    size.push_back(m.p / m.signal);
    if (m.p <= 10 * m.rounding_p) continue;
    unlike.push_back(m.unlike);
    if (worst == nullptr || m.p / m.signal > worst->p / worst->signal) worst = &m, at = k;
  }
  constexpr std::size_t enough = 20;
  if (worst == nullptr || unlike.size() < enough || 5 * unlike.size() < 4 * size.size()) return;
  const auto median = [](std::vector<double>& x) {
    std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), x.end());
    return x[x.size() / 2];
  };
  const double share = median(size);
  if (trajectory_.has_momenta()) {
    // A force δF that lasts moves the position by s/2 of what it does to the
    // velocity. The error of a method does not: of order r it is C s^(r+1) in
    // both, so that its part in the position is larger by O(1/s).
    if (median(unlike) > 0.1) return;
    measures_.motion.add(worst->p / worst->rounding_p, 1, 1, trajectory_.t[at], trajectory_.step[at],
                         fmt::format("a force acts that the scene does not have, {:.2g} of those it has", share));
  } else if (share > 1e-3 && rule_words_.empty()) {
    unseen_force_ = true;
    out_.notes.push_back(
        fmt::format("positions alone cannot tell whether {:.2g} of the forces "
                    "is the error of a method, or forces that "
                    "the scene does not have: not judged",
                    share));
  }
}

bool Judge::hole_in(const Break& gap) const {
  for (std::size_t i = gap.a; i < gap.b; ++i)
    if (trajectory_.t[i + 1] - trajectory_.t[i] > 2.5 * measures_.step) return true;
  return false;
}

bool Judge::at_an_end(const Break& gap) const {
  const std::size_t n = trajectory_.size();
  // Positions only: a kink at the second sample, or at the last but one, may be
  // an impact in the interval beyond.
  return trajectory_.has_momenta() ? gap.b + 1 == n : gap.a <= 1 || gap.b + 2 >= n;
}

Judge::Errors Judge::errors_near(const Break& gap, const Search& found) const {
  std::vector<double> p, q;
  const std::size_t first = gap.a > 10 ? gap.a - 10 : 0, last = std::min(found.miss.size(), gap.b + 10);
  for (std::size_t i = first; i < last; ++i) {
    if (i >= gap.a && i < std::max(gap.b, gap.a + 1)) continue;
    const Miss& m = found.miss[i];
    if (m.p > 2 * m.bound_p || m.q > 2 * m.bound_q) continue;  // another break
    p.push_back(m.p + m.rounding_p);
    q.push_back(m.q + m.rounding_q);
  }
  if (p.empty()) {  // an impact in every interval around: rounding is all that
                    // is known
    const Miss& here = found.miss[std::min(gap.a, found.miss.size() - 1)];
    return {4 * here.rounding_p, 4 * here.rounding_q};
  }
  const auto above = static_cast<std::size_t>(std::count_if(found.miss.begin() + static_cast<std::ptrdiff_t>(first),
                                                            found.miss.begin() + static_cast<std::ptrdiff_t>(last),
                                                            [](const Miss& m) { return m.p > m.rounding_p; }));
  std::sort(p.begin(), p.end());
  std::sort(q.begin(), q.end());
  Errors errors{4 * p[p.size() / 2], 4 * q[q.size() / 2]};
  // Without momenta: those of a rule differ from the velocities of the free
  // motion between its nodes by O(h²|ȧ|). Samples of an exact motion show that
  // they are by missing nothing.
  if (!trajectory_.has_momenta() && 2 * above > last - first) {
    const double discrete = found.miss[std::min(gap.a, found.miss.size() - 1)].bound_p / 4;
    errors.p += discrete;
    errors.q += discrete * measures_.step;
  }
  return errors;
}

double Judge::tolerance(const Errors& errors, const State& a, const State& b) const {
  return errors.q + rounding * trajectory_.precision * (a.q.norm() + b.q.norm());
}

}  // namespace ricochet::audit
