// A computed motion of bars as a field over discrete space-time, and observers that record it.
#pragma once

#include <vector>

#include "ricochet/bodies/bars/chain.hpp"

namespace ricochet::observe {

/// The values q_a^j of a chain at levels t^j. Levels at impacts are among them; their times are variables of the action
/// (Demoures 2016 (3.3), (3.7)), and at their contact nodes the multiplier acts.
template <class Real>
struct SpaceTime {
  struct Level {
    Real t;
    bool located = false;   ///< t is an impact time t̃
    std::vector<int> gaps;  ///< the gaps that act there
    std::vector<Real> q;
  };
  std::vector<Level> levels;

  std::size_t size() const { return levels.size(); }
  void add(Real t, const std::vector<Real>& q) { levels.push_back({t, false, {}, q}); }

  /// (this − other) / divisor in times and values: a difference quotient of two motions with the same impacts.
  SpaceTime quotient(const SpaceTime& other, Real divisor) const {
    SpaceTime out = *this;
    for (std::size_t j = 0; j < levels.size(); ++j) {
      Level& x = out.levels[j];
      const Level& y = other.levels[j];
      x.t = x.located ? (x.t - y.t) / divisor : Real(0);
      for (std::size_t a = 0; a < x.q.size(); ++a) x.q[a] = (x.q[a] - y.q[a]) / divisor;
    }
    return out;
  }
};

/// Records a run of the strong principle: `run.step(h, recorder)`, and `finish(run.node())` at the end.
template <class Body>
struct SpaceTimeRecorder {
  using Real = typename Body::Real;
  SpaceTime<Real> field;
  std::vector<Real> multipliers;  ///< of the located levels, in order, gap by gap

  template <class... Rest>
  void flight(const typename Body::Node& from, typename Body::Step, const Rest&...) {
    field.add(from.t, from.q);
    if (pending_) field.levels.back().located = true, field.levels.back().gaps = gaps_;
    pending_ = false;
  }
  template <class Event>
  void impact(const Event& event) {
    pending_ = true;
    gaps_.clear();
    for (int i = 0; i < event.active.size(); ++i) {
      gaps_.push_back(event.active.contact(i).gap);
      multipliers.push_back(event.mu * event.active.lambda(i));
    }
  }
  void finish(const typename Body::Node& node) { field.add(node.t, node.q); }

 private:
  bool pending_ = false;
  std::vector<int> gaps_;
};

/// Impulses of the contacts of a run of the strong principle, gap by gap: all of them, and when.
template <class Real>
struct ImpulseRecorder {
  struct Impulse {
    Real t, lambda;
    int gap;
  };
  std::vector<Impulse> all;

  template <class Event>
  void impact(const Event& event) {
    for (int i = 0; i < event.active.size(); ++i)
      all.push_back({event.t, event.mu * event.active.lambda(i), event.active.contact(i).gap});
  }
  Real total(int gap) const {
    Real sum = 0;
    for (const Impulse& x : all) sum += x.gap == gap ? x.lambda : Real(0);
    return sum;
  }
  /// Impulse per time over [from, to): the force that contact by repeated impacts amounts to.
  Real mean_force(int gap, Real from, Real to) const {
    Real sum = 0;
    for (const Impulse& x : all)
      if (x.gap == gap && from <= x.t && x.t < to) sum += x.lambda;
    return sum / (to - from);
  }
};

}  // namespace ricochet::observe
