// The size of an impulse from the balance of the discrete energy over an impact: Fetecau 2003 (75b), with the terms of
// errata F13.
#pragma once

#include <cmath>
#include <limits>
#include <optional>

#include "ricochet/contact/active_set.hpp"
#include "ricochet/contact/energy_size.hpp"
#include "ricochet/contact/flight.hpp"
#include "ricochet/contact/jump.hpp"
#include "ricochet/mechanics/law.hpp"

namespace ricochet::contact {

/// p⁺ = p⁻ + μΣλ_i∇φ_i at `node`, where the law has given the λ_i of `active`. The energy after the jump is that of the
/// interval which begins there and ends at the next impact or with the step, so every trial μ is flown.
template <class Real>
struct EnergyBalance {
  using Node = motion::Node<Real>;
  using Step = discrete::Step<Real>;
  using Interval = discrete::Interval<Real>;

  const motion::Island<Real>& island;
  motion::Flier<Real>& closure;
  const ActiveSet<Real>& active;
  const Node& node;                 ///< q̃, p⁻
  const Step rest;                  ///< what is left of the step
  const motion::GapList& released;  ///< gaps that have let go in this step
  Node& trial;                      ///< scratch: q̃, p⁺
  Flight<Real>& ahead;              ///< scratch: the flight that begins there

  /// `ahead` is the flight to come, and nothing happens in it.
  bool settled = false;

  /// μ with E_start⁺(μ) = E_end⁻ − D − μΣλ_i∂_tφ_i, in differences from H(q̃,p⁻) where the flights know them. Nothing
  /// where no μ separates. `size` is what to expect of μ where the law's parabola does not tell.
  std::optional<Real> impulse(const Interval& arrived, const mechanics::Outcome<Real>& outcome, bool arrived_held,
                              const std::optional<ImpulseSize<Real>>& size = {}) {
    const Real wall = active.wall_power();
    const motion::Search<Real> search(closure);
    const Real unit = size ? size->mu : Real(1);
    // Where only differences from H are known to enter, only they are rounded: energy that moves elsewhere does not
    // count.
    Real scale = std::abs(active.gain(2)) / 2 + std::abs(outcome.dissipated) + arrived.excess_scale;
    const Real whole = std::abs(arrived.energy) + std::abs(island.kinetic(node));
    if (!arrived.has_excess) scale = whole;
    auto surplus = [&](Real x, Until until) {
      const Real mu = x * unit;
      jump(mu);
      Interval leaving;
      try {
        leaving = departing(until);
      } catch (const Error& error) {  // a trial that cannot be flown, or p⁺ where L has no Legendre transform
        if (island.quadratic() && error.kind() != ErrorKind::no_convergence) throw;
        return std::numeric_limits<Real>::quiet_NaN();
      }
      if (arrived.has_excess && leaving.has_excess)
        return active.gain(mu) + (leaving.excess_start - arrived.excess_end) + outcome.dissipated;
      scale = whole;
      return leaving.start - arrived.end + mu * wall + outcome.dissipated;
    };
    const Real stops = size ? size->stops : 1 / (1 + (outcome.conservative ? Real(1) : outcome.restitution));
    const auto expected = size ? Expected<Real>{} : expect(outcome.dissipated);
    auto sized = [&](Until until) {
      auto x = impulse_size<Real>([&](Real y) { return surplus(y, until); }, stops, scale, expected);
      if (x) *x *= unit;
      return x;
    };
    // What flew in freely almost always flies on freely; looking once at the end is cheaper than at every trial.
    const bool free = !arrived_held && rest.s != rest.h;
    auto mu = sized(free ? Until::free_end : Until::step_end);
    bool again = !mu || meets_again(*mu);
    if (free && mu && ahead.hold.any()) {
      mu = sized(Until::step_end);
      again = !mu || meets_again(*mu);
    }
    settled = !again && !ahead.hold.any();
    return again ? sized(Until::next_impact) : mu;
  }

 private:
  enum class Until { free_end, step_end, next_impact };

  void jump(Real mu) {
    trial = node;
    active.apply(island, trial, mu);
  }
  /// Where the root is expected. The gain is a parabola through zero; the law puts its other root at μ = 1. A closure
  /// that knows its energy beyond H at a node, to leading order a quadratic in p, corrects that.
  Expected<Real> expect(Real dissipated) {
    const Real slope_at_one = active.gain(2) / 2;
    jump(1);
    if (const auto excess = closure.excess_of_kick(node, trial, rest.h)) {
      const Real quadratic = slope_at_one - active.gain(1), linear = active.gain(1) - quadratic;
      const Real a = linear + excess->linear, b = quadratic + excess->quadratic;
      if (const Real slope = std::sqrt(a * a - 4 * b * dissipated); a < 0 && b > 0 && slope > 0)
        return {(slope - a) / (2 * b), slope};
    }
    return {1, slope_at_one};
  }
  /// The interval after a trial jump: to the end of the step, freely or held as it comes, or to the next crossing. Only
  /// its energy at the start is asked.
  Interval departing(Until until) {
    if (until == Until::free_end) {
      return closure.leave(trial, rest, ahead.end);
    }
    ahead.depart(island, closure, trial, rest, released);
    const auto next =
        until == Until::next_impact ? ahead.crossing(island, closure, trial, rest, Real(0)) : std::nullopt;
    if (next) return ahead.piece(island, closure, trial, {next->s, rest.h}, ahead.end);
    // A whole step after an impact at its very start is a piece too: closures balance the energy of pieces.
    if (rest.s == rest.h) return ahead.piece(island, closure, trial, rest, ahead.end);
    return ahead.interval;
  }
  bool meets_again(Real mu) {
    jump(mu);
    ahead.depart(island, closure, trial, rest, released);
    return ahead.crossing(island, closure, trial, rest, Real(0)).has_value();
  }
};

}  // namespace ricochet::contact
