// What shadow flights of one run may share: pure results, and within one search a starting guess.
#pragma once

#include "ricochet/closure/shadow_potential.hpp"
#include "ricochet/discrete/flight.hpp"

namespace ricochet::closure {

/// Scratch of the closures, part of a body's work. Everything kept is a function of its key alone, so that a run does
/// not depend on who else flew; except for guesses, which live only within a `SharedGuess`.
template <class Mechanics>
struct ClosureWork {
  using Real = typename Mechanics::Real;
  using Vec = typename Mechanics::Vec;

  /// V, ∇V, M⁻¹∇V and the Hessian at the point asked last: many flights leave from one point.
  struct Curvature {
    const Mechanics* mechanics = nullptr;
    Vec q, g, a;
    Real t{}, V{};
    HessianAt<Mechanics> H;

    void at(const Mechanics& of, const Vec& point, Real time) {
      if (mechanics == &of && t == time && q == point) return;
      mechanics = &of;
      q = point;
      t = time;
      V = H.at(of, point, time, g);
      of.velocity(q, g, t, a);
    }
  } curvature;

  /// The last flight: an arrival is flown once to look at it and once to take it, a departure likewise.
  struct Flight {
    const Mechanics* mechanics = nullptr;
    int closure = 0;
    Vec q, p;
    Real s{}, h{};
    Vec dq, dp;
    discrete::Interval<Real> interval;
    bool traced = false;
    Vec c1, c2, c3, radius;

    bool matches(const Mechanics& of, int kind, const Vec& q0, const Vec& p0, discrete::Step<Real> step) const {
      return mechanics == &of && closure == kind && s == step.s && h == step.h && p == p0 && q == q0;
    }
  } last;

  /// Q and its derivatives at (m,u), and where they were formed.
  struct Quartic {
    Real Q{}, s{};
    Vec Qu, Qm, u;
  };
  /// The last solution from q, as a start for the next one: what u has beyond first order in κ, and Q.
  struct Guess {
    int scopes = 0;
    bool known = false, has_quartic = false;
    Vec q, excess;
    Quartic quartic;
  } guess;
};

}  // namespace ricochet::closure
