// The energy that comes in between impacts: from forces, from a potential that changes, from walls that carry
// something.
#include <Eigen/LU>
#include <cmath>
#include <utility>

#include "ricochet/audit/judging.hpp"
#include "ricochet/error.hpp"

namespace ricochet::audit {

void Judge::found_impact(const Jump& jump) {
  passed_.push_back({jump.t, jump.q, jump.p_plus});
  found_push(jump);
}

double Judge::found_push(const Jump& jump) {
  const double before = measures_.wall_work;
  measures_.jump(jump, out_.lines);
  const double work = measures_.wall_work - before;
  walls_.emplace_back(jump.t, work);
  measures_.wall_work = before;
  return work;
}

double Judge::work_between(State& at, const State& to) const {
  if (!dynamics_->supplied()) return 0;
  State now = at;
  double total = 0, work = 0;
  try {
    for (const State& impact : passed_) {
      if (impact.t < now.t || impact.t > to.t) continue;
      flow_(now, impact.t - now.t, {}, work);
      total += work;
      now = impact;
    }
    now = flow_(now, to.t - now.t, {}, work);
  } catch (const Error&) {
    return measures_.supply(at, to, to.t - at.t);
  }
  at = now;
  return total + work;
}

void Judge::supply_break(const Break& gap, const Search& found, double way) {
  const Trajectory& tr = trajectory_;
  State at = found.state(tr, gap.a);
  at.p = gap.p_minus;
  for (std::size_t i = gap.a + 1; i <= gap.b; ++i) {
    const State to = found.state(tr, i);
    if (!passed_.empty()) {
      measures_.supplied += work_between(at, to);
    } else {
      // The power jumps at impacts that nobody has told apart: what the ends say may be wrong by all of it.
      const double s = to.t - at.t;
      measures_.supplied += measures_.supply(at, to, s);
      if (unclear_ && dynamics_->supplied())
        measures_.unsure += s * (std::abs(measures_.power_at(at)) + std::abs(measures_.power_at(to)));
    }
    if (found.known[i] || passed_.empty()) at = to;
    for (auto& [t, work] : walls_)
      if (t <= to.t) measures_.wall_work += std::exchange(work, 0);
    measures_.sample(to, tr.step[i], way, found.known[i]);
  }
  for (const auto& [t, work] : walls_) measures_.wall_work += work;
  walls_.clear();
}

Mat Judge::directions(const State& at, std::span<const int> gaps) const {
  const auto m = static_cast<Eigen::Index>(gaps.size());
  Mat G(dynamics_->dimension(), m + dynamics_->constraints());
  Vec g(dynamics_->dimension());
  for (Eigen::Index k = 0; k < G.cols(); ++k) {
    const int i = k < m ? gaps[static_cast<std::size_t>(k)] : dynamics_->gaps() + static_cast<int>(k - m);
    dynamics_->gap(i, at.q, at.t, g);
    G.col(k) = g;
  }
  return G;
}

Judge::Reaction Judge::react(const State& at, const Vec& r, const std::vector<int>& held, bool may_pull) const {
  const int n = dynamics_->dimension();
  Vec v(n);
  dynamics_->velocity(at.q, at.p, at.t, v);
  std::vector<Vec> slips;
  std::vector<double> slip_drifts;
  for (const int i : held) {
    if (!(dynamics_->friction(i) > 0)) continue;
    for (Vec& tangent : dynamics_->tangents(i, at.q, at.t)) slips.push_back(std::move(tangent));
    for (const double drift : dynamics_->tangent_drifts(i, at.q, at.t)) slip_drifts.push_back(drift);
  }
  // What pushes only, and what may do either: held gaps if they may, constraints, friction along the slip.
  const Mat G = directions(at, held);
  const Eigen::Index pushing = may_pull ? 0 : static_cast<Eigen::Index>(held.size()), either = G.cols() - pushing;
  Mat lines(n, either + static_cast<Eigen::Index>(slips.size()));
  lines.leftCols(either) = G.rightCols(either);
  for (std::size_t k = 0; k < slips.size(); ++k) lines.col(either + static_cast<Eigen::Index>(k)) = slips[k];
  const Explained explained = explain(r, G.leftCols(pushing), lines, inverse_mass(*dynamics_, at.q, v, at.t));
  const Vec& lambda = may_pull ? explained.free : explained.lambda;
  Reaction out{explained.size, 0};
  // As at an impact: λ∇φ does the work λ∇φ·v = −λ∂φ/∂t on what stays on φ = 0 (errata F13). Of friction, τ∇ψ·v =
  // τψ̇ − τ∂ψ/∂t, the first part is lost in the slip and the second is the belt's.
  for (std::size_t k = 0; k < held.size(); ++k)
    out.work -= lambda[static_cast<Eigen::Index>(k)] * dynamics_->gap_drift(held[k], at.q, at.t);
  for (std::size_t k = 0; k < slips.size(); ++k)
    out.work -= explained.free[either + static_cast<Eigen::Index>(k)] * slip_drifts[k];
  return out;
}

std::vector<int> Judge::staying(const State& at, const std::vector<int>& closed) const {
  if (closed.empty()) return closed;
  const int n = dynamics_->dimension(), c = dynamics_->constraints();
  const auto m = static_cast<Eigen::Index>(closed.size());
  Vec v(n), a(n), without(m + c);
  dynamics_->velocity(at.q, at.p, at.t, v);
  dynamics_->free_acceleration(at.q, v, at.t, a);
  const Mat G = directions(at, closed);
  for (Eigen::Index k = 0; k < m + c; ++k) {
    const int i = k < m ? closed[static_cast<std::size_t>(k)] : dynamics_->gaps() + static_cast<int>(k - m);
    without[k] = dynamics_->gap_rates(i, at.q, v, a, at.t).acceleration;
  }
  const auto with = opening(without, G.leftCols(m), G.rightCols(c), inverse_mass(*dynamics_, at.q, v, at.t));
  if (!with) return closed;
  const double force = dynamics_->norm_v(at.q, v, at.t, a);
  std::vector<int> list;
  for (Eigen::Index k = 0; k < m; ++k)
    if ((*with)[k] <= 1e-9 * (std::abs(without[k]) + speed_of(at, G.col(k)) * force))
      list.push_back(closed[static_cast<std::size_t>(k)]);
  return list;
}

void Judge::carry(const State& from, const State& to, double s, double clock, const DiscreteRule* rule,
                  const IntervalCheck* check) {
  if (!dynamics_->carries()) return;
  const auto at0 = measures_.closed(from, true), at1 = measures_.closed(to, true);
  if (at0.empty() && at1.empty()) return;
  if (s > 1.5 * trajectory_.scheme->step) {
    // Steps between that nobody recorded: known where the same gaps are held all the way, and smooth.
    bool known = at0 == at1;
    for (const int i : at0) known &= !(dynamics_->friction(i) > 0);
    try {
      double work = 0;
      if (known) flow_(at_rest(from, at0), s, at0, work);
      if (known) measures_.wall_work += work - measures_.supply(from, to, s);
    } catch (const Error&) {
      known = false;
    }
    if (!known) measures_.lose_track();
    return;
  }
  // The reactions act at both ends of a flight, whatever its rule; the impulses of a curve of another kind are the same
  // up to the second order.
  std::optional<IntervalCheck> own;
  if (check == nullptr)
    own = check_interval(*dynamics_, *DiscreteRule::named("trapezoid", 1), from, to, s, clock, trajectory_.precision);
  const IntervalCheck& known = own ? *own : *check;
  const bool either = rule != nullptr && at0 == at1 && may_pull(*rule, from, to, at0);
  measures_.wall_work += react(from, -known.r0, at0, either).work + react(to, known.r1, at1, either).work;
}

}  // namespace ricochet::audit
