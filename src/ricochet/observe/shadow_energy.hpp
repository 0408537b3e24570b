// The energy a free run really keeps: the interpolated shadow Hamiltonian of its rule at a node.
#pragma once

#include "ricochet/closure/interpolated_orbit.hpp"

namespace ricochet::observe {

/// p·q̇ − Ȧ at a node, with q̇ and the action rate Ȧ by the 12th-order central difference over ±6 plain free steps: the
/// shadow Hamiltonian up to O(h¹²) (docs/shadow.md). Lower orders would hide the kicks of the better closures.
///
/// The steps ignore the gaps: L must be defined six steps beyond the boundary. Bodies in generalized coordinates,
/// any rule, no forces and no explicit time.
template <class Body>
class ShadowEnergy {
 public:
  using Real = typename Body::Real;
  using Vec = typename Body::Vec;

  ShadowEnergy(const Body& body, Real h) : body_(body), backward_(closure::adjoint(body.rule())), h_(h) {
    if (!body.mechanics().autonomous())
      throw Error(ErrorKind::invalid_model, "a system with forces or explicit time has no shadow energy");
  }

  Real operator()(const typename Body::Node& node) {
    constexpr int reach = 6;
    // Weights of f(jh) − f(−jh) for h f'(0): (−1)^(j+1) (6!)² / (j (6−j)! (6+j)!).
    constexpr Real weight[reach] = {Real(6) / 7,   Real(-15) / 56, Real(5) / 63,
                                    Real(-1) / 56, Real(1) / 385,  Real(-1) / 5544};
    const auto& mechanics = body_.mechanics();
    const auto n = node.q.size();
    for (auto* x : {&ahead_, &behind_}) {
      x->dq.setZero(n);
      x->dp.setZero(n);
      x->action = 0;
    }
    slope_.setZero(n);
    Real rate = 0;
    for (int j = 0; j < reach; ++j) {
      orbit_.advance(mechanics, body_.rule(), node.q, node.p, node.t, h_, ahead_, false, work_);
      orbit_.advance(mechanics, backward_, node.q, node.p, node.t, -h_, behind_, false, work_);
      slope_ += weight[j] * (ahead_.dq - behind_.dq);
      rate += weight[j] * (ahead_.action - behind_.action);
    }
    return (node.p.dot(slope_) - rate) / h_;
  }

 private:
  using Orbit = closure::Orbit<typename Body::Mechanics>;
  const Body& body_;
  discrete::Rule<Real> backward_;
  Real h_;
  Orbit orbit_;
  typename Orbit::Node ahead_, behind_;
  Vec slope_;
  discrete::FlightWork<typename Body::Mechanics> work_;
};

}  // namespace ricochet::observe
