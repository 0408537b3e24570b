// Contacts that a rule of first order holds, begins and ends (docs/contact.md, "Rules of first order").
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "ricochet/audit/judging.hpp"

namespace ricochet::audit {

bool Judge::may_pull(const DiscreteRule& rule, const State& from, const State& to, const std::vector<int>& held) const {
  // With p tangent at both nodes the turn of a surface is worth s v·φ''v/2 at either end. Rules of second order have
  // half of the forces there, too, and push as long as the gap does. Those of first order have all of them at one end:
  // the other pulls where the surface turns away. What pushes is the gap, 0 ≤ R ⊥ φ̈ ≥ 0 at either node.
  return rule.order == 1 && !held.empty() && staying(from, held) == held && staying(to, held) == held;
}

bool Judge::unseen_node(const State& from, const State& to, double s, const std::vector<int>& held, Miss miss) {
  if (!measures_.first_order) return false;
  // The run says where: inside of the flight, as its ends are recorded. The momenta of a curve of the whole step lie
  // beside its ends, and do not say what happens there. Of pushes it says how many there are.
  const double edge = (curve_ && !measures_.closed(from, false).empty() ? -1 : 1) * 1e-9 * measures_.step;
  const auto& changes = trajectory_.scheme->changes;
  const bool known =
      std::any_of(changes.begin(), changes.end(), [&](double t) { return t > from.t + edge && t < from.t + s - edge; });
  if (!known && push_offs_left_ == 0) return false;
  // A hop slower than ah is lost, a gap that lets go gives the φ̇ of a held step, the turn of its surface included: the
  // forces and that turn, over a step. Twice that, as the second impact of an accumulation may be lost, too.
  Vec v(from.q.size()), a(from.q.size()), g(from.q.size());
  double most = 0;
  for (const State* end : {&from, &to})
    for (const int i : measures_.closed(*end, true)) {
      dynamics_->velocity(end->q, end->p, end->t, v);
      dynamics_->free_acceleration(end->q, v, end->t, a);
      dynamics_->gap(i, end->q, end->t, g);
      const double turn = std::abs(dynamics_->gap_rates(i, end->q, v, a, end->t).acceleration - g.dot(a));
      const double norm = speed_of(*end, g);
      most = std::max(most, dynamics_->norm_v(end->q, v, end->t, a) + (norm > 0 ? turn / norm : 0));
    }
  const double push = 2 * measures_.step * most;
  // Along the normals only, as far as these do not turn in the flight.
  std::vector<int> near = measures_.closed(from, false);
  for (const int i : measures_.closed(to, false))
    if (std::find(near.begin(), near.end(), i) == near.end()) near.push_back(i);
  const Mat G = directions(to, near), start = directions(from, near);
  dynamics_->velocity(to.q, to.p, to.t, v);
  const Mat inverse = inverse_mass(*dynamics_, to.q, v, to.t);
  const auto solver = Mat(G.transpose() * inverse * G).fullPivLu();
  double turn = 0;
  for (Eigen::Index k = 0; k < G.cols(); ++k)
    turn = std::max(turn, speed_of(to, G.col(k) - start.col(k)) / speed_of(to, G.col(k)));
  const State end = flow_(held.empty() ? from : at_rest(from, held), s, held);
  const Vec dp = to.p - end.p, dq = to.q - end.q;
  const Vec along_p = dp - G * solver.solve(G.transpose() * (inverse * dp));
  const Vec along_q = dq - inverse * (G * solver.solve(G.transpose() * dq));
  Miss along = miss;
  along.p = speed_of(to, along_p);
  along.q = dynamics_->norm_v(to.q, v, to.t, along_q);
  along.bound_p += turn * push;
  along.bound_q += s * turn * push;
  miss.bound_p += push;
  miss.bound_q += s * push;
  const double steps = std::max(1.0, s / measures_.step);
  if (along.ratio(steps) > 1) return false;
  if (miss.ratio(steps) > 1) return false;
  push_offs_left_ -= !known;
  return true;
}

}  // namespace ricochet::audit
