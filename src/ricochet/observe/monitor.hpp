// The observer every run carries: energy, discrete energy, smallest gap.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "ricochet/contact/tolerance.hpp"
#include "ricochet/principle/strong.hpp"

namespace ricochet::observe {

/// First, last, smallest and largest value of a quantity.
template <class Real>
struct Range {
  Real initial = 0, last = 0, min = 0, max = 0;
  bool empty = true;

  void add(Real x) {
    if (empty) {
      initial = min = max = x;
      empty = false;
    }
    last = x;
    if (x < min || x != x) min = x;  // what is no number once is none from then on
    if (x > max || x != x) max = x;
  }
  Real max_error() const { return std::max(max - initial, initial - min); }
};

/// The deepest that a gap was violated, in units of what it may be by.
template <class Real>
struct Penetration {
  Real ratio = 0;  ///< of `value` to what counts as closed there; of the weak principle, to the way of a step
  Real value = 0, t = 0;
  int gap = -1;
};

/// Follows a run at its nodes and impacts. Gaps are also sampled at `samples` points of every flight on which one may
/// be smaller than ever: enclosures of the whole flight tell where none is, and where the smallest is at an end.
template <class Body>
class Monitor {
 public:
  using Real = typename Body::Real;

  explicit Monitor(const Body& body, int samples = 16) : body_(body), samples_(samples) {
    alone_.assign(static_cast<std::size_t>(body.gaps()), true);
    if constexpr (requires { body.unions(); }) {
      unions_ = body.unions();
      for (int u = 0; u < unions_; ++u)
        for (const int i : body.branches(u)) alone_[static_cast<std::size_t>(i)] = false;
    }
  }

  void start(const typename Body::Node& node) {
    energy.add(body_.hamiltonian(node));
    note_kinetic(node);
    note_gaps(node);
  }
  template <class GapAt>
  void flight(const typename Body::Node& from, typename Body::Step step, const typename Body::Interval& interval,
              const typename Body::Trace& trace, const GapAt& gap_at) {
    discrete_energy.add(interval.energy);
    supplied += interval.supplied;
    if constexpr (requires { interval.wall_work; }) wall_work += interval.wall_work;
    if constexpr (requires { interval.dissipated; }) dissipated += interval.dissipated;
    for (int i = 0; i < body_.gaps(); ++i) {
      if (unions_ > 0 && !alone_[static_cast<std::size_t>(i)]) continue;
      if (is_larger(i, trace) || body_.gap_range(i, trace, Real(0), step.s).lower() >= min_gap) continue;
      note_gap(i, gap_at(i, step.s), from, step.s, step.h);
      const auto slope = body_.gap_bound(i, trace, Real(0), step.s).slope;
      if (slope.lower() > 0 || slope.upper() < 0) continue;
      for (int k = 1; k < samples_; ++k) {
        const Real s = step.s * Real(k) / Real(samples_);
        // A point of a curve that has to be solved for costs a flight; most are seen to be larger without it.
        if (!trace.exact && body_.gap_range(i, trace, s, s).lower() >= min_gap) continue;
        note_gap(i, gap_at(i, s), from, s, step.h);
      }
    }
    if constexpr (requires { body_.unions(); })
      for (int u = 0; u < unions_; ++u) note_union(body_.branches(u), from, step, trace, gap_at);
  }
  void impact(const principle::ImpactEvent<Body>& event) {
    energy.add(body_.hamiltonian(event.after));
    note_kinetic(event.before);
    note_kinetic(event.after);
    dissipated += event.dissipated;
    wall_work -= event.mu * event.active.wall_power();
    note_gaps(event.after, event.active.size() > 0 ? event.active.contact(0).step : Real(0));
  }
  /// One step of the weak principle: through its node and to its end. It resolves an impact to the way of a step.
  void step(const typename Body::Node& middle, const typename Body::Node& end,
            const typename Body::Interval& interval) {
    discrete_energy.add(interval.energy);
    supplied += interval.supplied;
    const Real h = 2 * (end.t - middle.t);
    for (const auto* x : {&middle, &end})
      for (int i = 0; i < body_.gaps(); ++i) note_step(i, value_at(i, *x), *x, h);
  }
  /// The gaps of a state between nodes that somebody keeps.
  void sample(std::span<const Real> gaps) {
    for (std::size_t i = 0; i < gaps.size(); ++i)
      if (gaps[i] < min_gap) min_gap = gaps[i], min_gap_index = static_cast<int>(i);
  }
  void node(long long, const typename Body::Node& node, const typename Body::Interval&) {
    energy.add(body_.hamiltonian(node));  // its gaps were the last sample of the flight
    note_kinetic(node);
  }

  /// What errors of an energy are relative to.
  Real scale(Real initial) const { return std::max(std::abs(initial), largest_kinetic); }
  /// 0 where the scale vanishes.
  Real relative(Real error, Real initial) const { return scale(initial) > 0 ? error / scale(initial) : Real(0); }

  /// What the energy should be by the balance of work: H0 + forces and ∂_tV − impacts + moving walls (Ballard 2001,
  /// Proposition 4.5, with equality; errata F4, F13). The difference to H is the scheme's own O(h²).
  Real balance_error() const { return energy.last - (energy.initial + supplied - dissipated + wall_work); }

  Range<Real> energy, discrete_energy;
  Real supplied = 0, dissipated = 0, wall_work = 0;
  Real largest_kinetic = 0;
  Real min_gap = std::numeric_limits<Real>::infinity();
  int min_gap_index = -1;
  Penetration<Real> deepest;

 private:
  /// Whether the run has found the gap larger than the smallest so far: most gaps are far away.
  bool is_larger(int i, const typename Body::Trace& trace) const {
    if constexpr (requires { trace.least; })
      return static_cast<std::size_t>(i) < trace.least.size() && trace.least[static_cast<std::size_t>(i)] >= min_gap;
    else
      return false;
  }
  void note_gaps(const typename Body::Node& node, Real h = 0) {
    for (int i = 0; i < body_.gaps(); ++i) note_gap(i, value_at(i, node), node, Real(0), h);
  }
  /// What must not be negative at a node: of a union the largest branch counts.
  Real value_at(int i, const typename Body::Node& node) const {
    if constexpr (requires { body_.admissible(i, node); })
      if (unions_ > 0) return body_.admissible(i, node);
    return body_.gap(i, node);
  }
  /// Of a union the largest branch counts, which may be one here and another there.
  template <class GapAt>
  void note_union(std::span<const int> branches, const typename Body::Node& from, typename Body::Step step,
                  const typename Body::Trace& trace, const GapAt& gap_at) {
    for (const int i : branches)
      if (is_larger(i, trace) || body_.gap_range(i, trace, Real(0), step.s).lower() >= min_gap) return;
    for (int k = 1; k <= samples_; ++k) {
      const Real s = step.s * Real(k) / Real(samples_);
      int most = branches.front();
      Real largest = -std::numeric_limits<Real>::infinity();
      for (const int i : branches)
        if (const Real value = gap_at(i, s); value > largest) largest = value, most = i;
      note_gap(most, largest, from, s, step.h);
    }
  }
  /// The value of a gap after a flight of length s from a node.
  void note_gap(int i, Real value, const typename Body::Node& from, Real s = 0, Real h = 0) {
    if (!(value < min_gap)) return;
    min_gap = value;
    min_gap_index = i;
    if constexpr (has_contacts)
      if (value < 0 && h > 0) {
        const auto contact = body_.contact(i, from, h, normal_, work_);
        note_depth({-value / contact::tolerance(contact), value, from.t + s, i});
      }
  }
  /// The same in a step of the weak principle; its scale is the way of the gap in one at the highest speed so far.
  void note_step(int i, Real value, const typename Body::Node& node, Real h) {
    if (!(value < min_gap)) return;
    min_gap = value;
    min_gap_index = i;
    if constexpr (has_contacts)
      if (value < 0) {
        const auto contact = body_.contact(i, node, h, normal_, work_);
        const Real way = h * (std::sqrt(2 * largest_kinetic * body_.couple(normal_, normal_)) +
                              std::abs(contact.wall_rate) + h * contact.acceleration_scale);
        note_depth({-value / (way + contact::tolerance(contact)), value, node.t, i});
      }
  }
  void note_depth(const Penetration<Real>& found) {
    if (found.ratio > deepest.ratio) deepest = found;
  }
  static constexpr bool has_contacts =
      requires(const Body& body, const typename Body::Node& node, typename Body::Normal& normal,
               typename Body::Work& work) { body.contact(0, node, Real(1), normal, work); };
  void note_kinetic(const typename Body::Node& node) {
    largest_kinetic = std::max(largest_kinetic, body_.kinetic(node));
  }

  const Body& body_;
  typename Body::Normal normal_;
  typename Body::Work work_;
  int samples_;
  int unions_ = 0;
  std::vector<bool> alone_;  ///< which gaps are no branches of unions
};

}  // namespace ricochet::observe
