// One planar contact with Coulomb friction: Routh's method, exact from event to event.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <limits>

#include "ricochet/mechanics/law.hpp"
#include "ricochet/mechanics/law_restitution.hpp"

namespace ricochet::mechanics {

/// u(p) = u⁻ + Wp, dp_T = −μ sign(u_T) dp_N while it slips. Every segment is linear in p_N: slip until u_T = 0, then
/// stick if |W_TN| ≤ μ W_TT, else slip to the side W_TN pushes to. While it jams (W_NN ≤ μ s W_NT) slip must end,
/// because then μ W_TT ≥ |W_NT| (W is semidefinite); afterwards u_N only grows.
template <class Real>
class PlanarImpact {
 public:
  using Matrix = Eigen::Matrix<Real, 2, 2>;
  using Vector = Eigen::Matrix<Real, 2, 1>;

  LawStatus run(const Matrix& W, const Vector& before, Real mu, Real e, Restitution kind, Vector& impulse) {
    impulse.setZero();
    events = {};
    Vector u = before;
    Progress<Real> at{0, u[0], 0};
    Phases<Real> phases(kind, e, at);
    bool stuck = false;
    for (int segment = 0; segment < 16; ++segment) {
      spent_ = 0;
      const bool at_rest = stuck || u[1] == 0;
      stuck = at_rest && std::abs(W(1, 0)) <= mu * W(1, 1);
      const Real side = at_rest ? sign(W(1, 0)) : sign(u[1]);
      const Real ratio = stuck ? (W(1, 1) > 0 ? -W(1, 0) / W(1, 1) : Real(0)) : -mu * side;  // dp_T/dp_N
      const Real normal = W(0, 0) + W(0, 1) * ratio;                                         // du_N/dp_N
      const Real tangential = stuck ? Real(0) : W(1, 0) + W(1, 1) * ratio;                   // du_T/dp_N
      if (at_rest && segment > 0) ++(stuck ? events.sticks : events.reversals);
      if (!stuck && normal <= 0) ++events.jams;

      const Real until_rest = !at_rest && tangential * side < 0 ? -u[1] / tangential : infinity();
      for (;;) {
        const Real until_end = phases.remaining(at, normal);
        if (until_rest < infinity() && spent_ + until_end > until_rest) break;
        if (!(until_end < infinity())) return LawStatus::infeasible;  // wedged: W is singular and nothing opens the gap
        advance(until_end, ratio, normal, tangential, at, u, impulse);
        if (!phases.compressing()) return LawStatus::solved;
        at.normal_rate = u[0] = 0;
        phases.begin_restitution(at);
      }
      advance(until_rest - spent_, ratio, normal, tangential, at, u, impulse);
      u[1] = 0;
    }
    return LawStatus::no_convergence;
  }

  SlipEvents events;

 private:
  static constexpr Real infinity() { return std::numeric_limits<Real>::infinity(); }
  static Real sign(Real x) { return x > 0 ? Real(1) : x < 0 ? Real(-1) : Real(0); }

  void advance(Real length, Real ratio, Real normal, Real tangential, Progress<Real>& at, Vector& u, Vector& impulse) {
    spent_ += length;
    at.normal_impulse += length;
    at.normal_work += length * (at.normal_rate + normal * length / 2);
    at.normal_rate = u[0] += normal * length;
    u[1] += tangential * length;
    impulse[0] += length;
    impulse[1] += ratio * length;
  }

  Real spent_ = 0;  // impulse since the segment began
};

}  // namespace ricochet::mechanics
