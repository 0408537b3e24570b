// Infinitely many impacts in a finite time, passed at once.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "ricochet/contact/active_set.hpp"
#include "ricochet/contact/delassus.hpp"
#include "ricochet/mechanics/law.hpp"

namespace ricochet::contact {

/// Infinitely many impacts passed at once (Ballard 2001; errata B2).
template <class Real>
struct Accumulation {
  int gap;
  Real t;             ///< where they accumulate
  long long skipped;  ///< impacts until the speed would fall below what counts as rest
};

/// After an impact: an acting gap that bounces while others rest, seen along the motion that keeps those at rest.
template <class Real>
struct Bounce {
  int gap;
  Real rate, rate_tolerance, acceleration;
  Real restitution;           ///< of this gap
  motion::Covector normal;    ///< ∇φ made tangent to the resting gaps and the constraints
  std::vector<Real> weights;  ///< of the gaps of A in it
};

/// Whether the next rebound counts as rest, or a node of the grid in the middle of this one may: at rest to rounding
/// are heights and speeds with v² ≤ tol², where the hop has v² + 2aφ = v⁺² and both terms count as zero up to tol².
template <class Real>
bool last_to_be_told(const Bounce<Real>& bounce, Real e) {
  const Real tolerance = bounce.rate_tolerance;
  return e * bounce.rate <= tolerance || bounce.rate * bounce.rate <= 2 * tolerance * tolerance;
}

/// Every acting gap that bounces; none if one of them still closes.
template <class Real>
std::vector<Bounce<Real>> bounces(const motion::Island<Real>& island, const ActiveSet<Real>& active,
                                  const motion::Node<Real>& node, Real h) {
  std::vector<Bounce<Real>> all;
  std::vector<int> resting;  // place in A of what rests
  Delassus<Real> kept;
  kept.keep_constraints(island, node, h);
  motion::Covector normal;
  for (int i = 0; i < active.size(); ++i) {
    const auto contact = island.contact(active.contact(i).gap, node, h, normal);
    if (contact::resting(contact)) {
      kept.keep(normal, contact.acceleration);
      resting.push_back(i);
    } else if (contact.rate > 0) {
      all.push_back({contact.gap,
                     contact.rate,
                     rate_tolerance(contact),
                     contact.acceleration,
                     active.restitution(i),
                     normal,
                     {}});
      all.back().weights.assign(static_cast<std::size_t>(active.size()), Real(0));
      all.back().weights[static_cast<std::size_t>(i)] = 1;
    } else {
      return {};
    }
  }
  const std::size_t constraints = kept.size() - resting.size();
  for (Bounce<Real>& bounce : all) {
    const auto& x = kept.make_tangent(island, bounce.normal, &bounce.acceleration);
    for (std::size_t i = 0; i < resting.size(); ++i)
      bounce.weights[static_cast<std::size_t>(resting[i])] = -x[constraints + i];
  }
  return all;
}

/// φ̈ of one acting gap along the motion that keeps all the others closed, and the constraints.
template <class Real>
Real riding_acceleration(const motion::Island<Real>& island, const ActiveSet<Real>& active,
                         const motion::Node<Real>& node, int gap, Real h) {
  Delassus<Real> kept;
  kept.keep_constraints(island, node, h);
  motion::Covector own, normal;
  Real acceleration = island.contact(gap, node, h, own).acceleration;
  for (int i = 0; i < active.size(); ++i) {
    const int other = active.contact(i).gap;
    if (other != gap) {
      const Real free = island.contact(other, node, h, normal).acceleration;
      kept.keep(normal, free);
    }
  }
  kept.make_tangent(island, own, &acceleration);
  return acceleration;
}

/// The time left of a step for an accumulation to end in. With a rule that falls late by a part ℓ of a step
/// (rectangle-right: all of it) every bounce lasts ℓh longer and comes back ℓah faster: speeds do not fall below
/// eℓah/(1−e), and where impacts accumulate is known to 2eℓh/(1−e)² only. That much it may end later.
template <class Real>
Real time_to_rest(const motion::Island<Real>& island, discrete::Step<Real> rest, Real e) {
  const Real late = std::max(Real(0), island.lateness());
  return rest.s + Real(tolerances::accumulates_beyond) * rest.h + 2 * e * late * rest.h / ((1 - e) * (1 - e));
}

/// After an impact at normal speed v⁺ under closing acceleration a the rest of the accumulation lasts 2v⁺/(a(1−e))
/// (errata B2, F14): when that fits into the step, or no bounce that can be told from rest is left, the gap rests from
/// here on. Other acting gaps may rest beside it, or bounce with it if theirs ends at the same time. Under the
/// sequential law accumulations of one gap nest in those of another, without end: they are passed together as soon as
/// all of them, one after the other, fit into the step. The impulse of all the impacts passed is added to that of this
/// one (μ is its size); returns the energy they dissipate. `report(Accumulation)` is told. Where the gap was entered by
/// the curve rather than by the momentum, the two differ in rate by as much after the impact as before it, and it is
/// the curve that bounces.
template <class Real, class Report>
Real pass_accumulation(const motion::Island<Real>& island, ActiveSet<Real>& active, const mechanics::Law<Real>& law,
                       const mechanics::Outcome<Real>& outcome, Real mu, discrete::Step<Real> rest,
                       const Entering<Real>& entering, motion::Node<Real>& node, Report&& report) {
  if (!(outcome.restitution < 1)) return 0;
  const bool own = law.uses_restitution() && law.kind() != mechanics::LawKind::canonical;  // e of each gap
  const auto together = bounces(island, active, node, rest.h);
  const bool nested = law.kind() == mechanics::LawKind::sequential;
  Real left = -1;
  for (const auto& bounce : together) {
    const Real e = own ? bounce.restitution : outcome.restitution;
    // Stacked bodies that bounce fall together, with φ̈ = 0; what brings them to rest is φ̈ on a support at rest.
    const Real acceleration =
        nested ? riding_acceleration(island, active, node, bounce.gap, rest.h) : bounce.acceleration;
    if (!(acceleration < 0) || !(e < 1)) return 0;
    const Real ahead = bounce.gap == entering.gap ? entering.momentum - entering.rate : Real(0);
    const Real lasts = -2 * (bounce.rate - ahead) / (acceleration * (1 - e));
    left = left < 0 ? lasts : nested ? left + lasts : left;
    if (!last_to_be_told(bounce, e) && !((nested ? left : lasts) <= time_to_rest(island, rest, e))) return 0;
    if (!nested && !(std::abs(lasts - left) <= Real(tolerances::ends_together) * left)) return 0;
  }
  numerics::Symmetric<Real> W;
  W.resize(static_cast<int>(together.size()));
  std::vector<Real> impulse;
  for (int i = 0; i < W.size(); ++i) {
    impulse.push_back(-together[static_cast<std::size_t>(i)].rate);
    for (int j = 0; j < W.size(); ++j)
      W(i, j) =
          island.couple(together[static_cast<std::size_t>(i)].normal, together[static_cast<std::size_t>(j)].normal);
  }
  if (!together.empty()) W.solve(impulse);
  Real dissipated = 0;
  for (std::size_t b = 0; b < together.size(); ++b) {
    const auto& bounce = together[b];
    island.kick(node, bounce.normal, impulse[b]);
    for (int i = 0; i < active.size(); ++i)
      active.add_to_impulse(i, impulse[b] * bounce.weights[static_cast<std::size_t>(i)] / mu);
    dissipated -= impulse[b] * bounce.rate / 2;
    const Real e = own ? bounce.restitution : outcome.restitution;
    if (!(e > 0)) continue;
    long long skipped = 0;
    if (bounce.rate > bounce.rate_tolerance && bounce.rate_tolerance > 0)
      skipped = static_cast<long long>(std::ceil(std::log(bounce.rate_tolerance / bounce.rate) / std::log(e)));
    report(Accumulation<Real>{bounce.gap, node.t + left, skipped});
  }
  return dissipated;
}

}  // namespace ricochet::contact
