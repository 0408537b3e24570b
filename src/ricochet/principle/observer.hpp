// Who watches a run of the strong principle, and what it is told.
#pragma once

#include "ricochet/impact/accumulation.hpp"
#include "ricochet/impact/active_set.hpp"

namespace ricochet::principle {

/// One impact, as observers see it.
template <class Body>
struct ImpactEvent {
  using Real = typename Body::Real;
  long long number;  ///< from 1
  long long step;
  Real t, alpha;  ///< t̃ = t_k + αh
  const typename Body::Node& before;
  const typename Body::Node& after;
  const impact::ActiveSet<Body>& active;
  Real mu;          ///< multipliers are μ λ_i
  Real dissipated;  ///< D of the law
};

using impact::Accumulation;

/// Observers may define any of: flight(from, step, interval, trace, gap_at), impact(event), node(k, node, interval),
/// contact(gap, t, begins), accumulation(a), arrive(k, node) where a flight ends without an impact, graze(gap, node) in
/// place of it where it only touched.
struct NoObserver {};

/// Whether an observer wants to see every step: steps that nobody looks at may be made many at once.
template <class Observer, class Body>
concept LooksAtSteps =
    requires(Observer& o, const typename Body::Node& node, const typename Body::Interval& interval) {
      o.node(0LL, node, interval);
    } || requires(Observer& o, const typename Body::Node& node, typename Body::Step step,
                  const typename Body::Interval& interval, const typename Body::Trace& trace,
                  typename Body::Real (&gap_at)(int, typename Body::Real)) {
      o.flight(node, step, interval, trace, gap_at);
    };

}  // namespace ricochet::principle
