// A graze: the rule's curve meets a gap that the momentum already leaves, and a new flight begins there
// (docs/contact.md).
#include "ricochet/audit/judging.hpp"

namespace ricochet::audit {

bool Judge::grazes(const State& from, const State& to, double s, double clock, const DiscreteRule& rule) const {
  constexpr int looks = 16;
  Vec g(dynamics_->dimension());
  for (int i = 0; i < dynamics_->gaps(); ++i) {
    const auto gap_after = [&](double x) {
      const State at = fly(*dynamics_, rule, from, x);
      return dynamics_->gap(i, at.q, at.t, g);
    };
    double open = 0, shut = 0;
    for (int k = 1; k <= looks && shut == 0; ++k) {
      const double x = s * k / looks;
      (gap_after(x) > 0 ? open : shut) = x;
    }
    if (shut == 0) continue;
    while (shut - open > 4 * eps * s) {
      const double x = (open + shut) / 2;
      (gap_after(x) > 0 ? open : shut) = x;
    }
    if (!(shut < s)) continue;
    const State node = fly(*dynamics_, rule, from, shut);
    const IntervalCheck rest = check_interval(*dynamics_, rule, node, to, s - shut, clock, trajectory_.precision);
    // Two flights: twice the rounding of one.
    if (speed_of(node, rest.r0) <= 2 * rounding * rest.rounding0 &&
        speed_of(to, rest.r1) <= 2 * rounding * rest.rounding1)
      return true;
  }
  return false;
}

}  // namespace ricochet::audit
