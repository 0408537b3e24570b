// The size of a conservative impulse where the kinetic energy is no quadratic form of the momentum.
#pragma once

#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>
#include <optional>

#include "ricochet/contact/active_set.hpp"
#include "ricochet/error.hpp"
#include "ricochet/numerics/root.hpp"

namespace ricochet::contact {

/// Multiples of the law's impulse.
template <class Real>
struct ImpulseSize {
  Real mu;     ///< keeps the kinetic energy: the other root of G below
  Real stops;  ///< stops the approach, as a fraction of that: the bottom of G
};

/// A law knows the kinetic metric at p⁻ and sizes its impulse by the parabola of H that goes with it. H itself is
/// convex in p: G(μ) = H(q̃, p⁻ + μΣλ_i∇φ_i) − H(q̃, p⁻) + μΣλ_i∂_tφ_i falls from zero, has one bottom, where the
/// approach has stopped, and one more root, where the energy is what it was.
template <class Real>
class EnergySize {
 public:
  using Node = motion::Node<Real>;

  EnergySize(const motion::Island<Real>& island, const ActiveSet<Real>& active, const Node& node, Node& trial)
      : island_(island), active_(active), node_(node), trial_(trial) {}

  /// Nothing where the law's own size is right: H is the parabola, up to rounding, or the approach is a graze that only
  /// the curve knows of (Entering). A μ that leaves where L has a Legendre transform is too large.
  std::optional<ImpulseSize<Real>> operator()() const {
    const Real before = island_.hamiltonian(node_), wall = active_.wall_power();
    const auto gain = [&](Real mu) {
      trial_ = node_;
      active_.apply(island_, trial_, mu);
      try {
        const Real after = island_.hamiltonian(trial_);
        if (std::isfinite(after)) return after - before + mu * wall;
      } catch (const Error&) {
      }
      return std::numeric_limits<Real>::infinity();
    };
    const Real at_one = gain(1),
               scale = std::abs(island_.kinetic(node_)) + Real(tolerances::law_energy) * std::abs(before);
    if (std::abs(at_one - active_.gain(1)) <= Real(tolerances::same_energy) * scale) return std::nullopt;
    Real lo = at_one < 0 ? Real(1) : Real(0.5), f_lo = at_one < 0 ? at_one : gain(lo), hi = 1, f_hi = at_one;
    for (int it = 0; it < 60 && !(f_lo < 0); ++it) hi = lo, f_hi = f_lo, lo /= 2, f_lo = gain(lo);
    if (!(f_lo < 0)) return std::nullopt;
    for (int it = 0; it < 200 && !(f_hi > 0); ++it) lo = hi, f_lo = f_hi, hi *= 2, f_hi = gain(hi);
    for (int it = 0; it < 200 && !std::isfinite(f_hi); ++it) {  // a speed of light may lie between
      const Real middle = lo + (hi - lo) / 2, f = gain(middle);
      f < 0 ? (lo = middle, f_lo = f) : (hi = middle, f_hi = f);
    }
    if (!(f_lo < 0 && f_hi > 0 && std::isfinite(f_hi)))
      throw Error(ErrorKind::impact_not_found,
                  "no impulse keeps the energy at " + active_.names(island_) +
                      ": the Lagrangian has no Legendre transform where the momentum would have to be",
                  island_.state(node_));
    const Real mu = numerics::bracketed_root<Real>(gain, lo, f_lo, hi, f_hi).x;
    return ImpulseSize<Real>{mu, boost::math::tools::brent_find_minima(gain, Real(0), mu, 20).first / mu};
  }

 private:
  const motion::Island<Real>& island_;
  const ActiveSet<Real>& active_;
  const Node& node_;
  Node& trial_;
};

}  // namespace ricochet::contact
