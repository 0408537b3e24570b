// The size of a conservative impulse: one scalar equation, bracketed away from its trivial root.
#pragma once

#include <cmath>
#include <limits>
#include <optional>

#include "ricochet/contact/tolerance.hpp"
#include "ricochet/numerics/root.hpp"

namespace ricochet::contact {

/// Where the root is expected, and the slope of the surplus there; a slope of zero expects nothing.
template <class Real>
struct Expected {
  Real mu = 1, slope = 0;
};

/// The root near the expected one: secant steps from the expected slope. Nothing when they do not converge at once.
///
/// What is left of the surplus is rounding when it moves μ by less than p⁺ can show, or is below the rounding of the
/// energies it is the difference of; one more step by the known slope is then free. The last secant step is also taken
/// unseen, when the one after it would be rounding (|next|·|last| bounds it, the parabola's curvature being twice its
/// slope).
template <class Real>
std::optional<Real> nearby_impulse(numerics::FunctionRef<Real(Real)> surplus, Expected<Real> expected, Real reach,
                                   const Real& energy_scale) {
  constexpr Real eps = std::numeric_limits<Real>::epsilon();
  const Real slope = expected.slope;
  Real x = expected.mu, f = surplus(x), d = -f / slope;
  const Real rounding = std::max(4 * eps * slope, eps / 4 * energy_scale);
  if (!(std::abs(d) + std::abs(x - 1) < reach)) return std::nullopt;
  if (std::abs(f) <= rounding) return x + d;
  for (int it = 0; it < 6; ++it) {
    x += d;
    const Real f_next = surplus(x);
    if (std::abs(f_next) <= rounding) return x - f_next / slope;
    const Real steep = (f_next - f) / d, next = -f_next / steep;
    if (!(steep > slope / 2 && steep < 2 * slope) || !(std::abs(next) <= std::abs(d) / 8)) return std::nullopt;
    if (std::abs(next) * std::abs(d) <= eps / 8) return x + next;
    f = f_next;
    d = next;
  }
  return std::nullopt;
}

/// μ ≥ `stops` with surplus(μ) = E⁺(μ) − E⁻ + D = 0, where p⁺ = p⁻ + μ Σ λ_i ∇φ_i and μ = 1 is the law's own (kinetic)
/// impulse.
///
/// E⁺ is close to a parabola in μ whose other root, near μ = 0, lets the body pass (errata F6). At μ = `stops` (½ for
/// an elastic law, 1/(1+e) in general) the law's impulse just stops the approach, so separation needs more. No root
/// there is grazing (errata F7): the caller names it. `energy_scale` is that of the energies of which the surplus is a
/// difference; a trial may find it larger.
template <class Real>
std::optional<Real> impulse_size(numerics::FunctionRef<Real(Real)> surplus, Real stops, const Real& energy_scale,
                                 Expected<Real> expected = {}) {
  constexpr Real eps = std::numeric_limits<Real>::epsilon();
  if (expected.slope > 0)
    if (const auto near = nearby_impulse<Real>(surplus, expected, (1 - stops) / 8, energy_scale)) return near;
  const Real at_one = surplus(Real(1));
  if (at_one == 0) return Real(1);
  Real lo = stops, f_lo = 0, hi = 1, f_hi = at_one;
  // Up from `lo`, where energy is missing, until there is enough of it. Where a trial cannot be flown (beyond the
  // momenta a Lagrangian has, or too fast for the step) shorter steps lead up to that place, at most four trials for
  // every two digits of `lo`; it takes more only where such places come and go.
  const auto climb = [&](Real step) {
    constexpr int most = 2 * std::numeric_limits<Real>::digits + 64;
    Real growth = 2;
    for (int trials = 0; trials < most && hi < Real(tolerances::most_impulse) && step > eps * lo; ++trials) {
      hi = lo + step;
      f_hi = surplus(hi);
      if (f_hi >= 0) return true;
      if (f_hi < 0)
        lo = hi, f_lo = f_hi, step *= growth;
      else
        step /= 4, growth = 1;
    }
    return false;
  };
  if (at_one < 0) {
    lo = 1, f_lo = at_one;
    if (!climb(Real(0.0625))) return std::nullopt;
  } else {
    // Walk down from the law's own impulse towards `stops`, where the parabola has its bottom.
    bool found = false;
    for (const Real down : {Real(0.125), Real(0.5), Real(1)}) {
      const Real candidate = 1 - down * (1 - stops);
      const Real f = surplus(candidate);
      if (f < 0) {
        lo = candidate, f_lo = f, found = true;
        break;
      }
      if (!(f > 0)) return f == 0 ? std::optional<Real>(candidate) : std::nullopt;
      hi = candidate, f_hi = f;
    }
    if (!found) {
      // The bottom may lie a little above `stops`: golden-section search for a negative value before giving up.
      const Real ratio = (std::sqrt(Real(5)) - 1) / 2;
      Real a = stops, b = 1, x = b - ratio * (b - a), y = a + ratio * (b - a), fx = surplus(x), fy = surplus(y);
      for (int it = 0; it < 40 && !found; ++it) {
        if (fx < 0 || fy < 0) {
          found = true;
          lo = fx < 0 ? x : y;
          f_lo = fx < 0 ? fx : fy;
        } else if (fx < fy) {
          b = y, y = x, fy = fx, x = b - ratio * (b - a), fx = surplus(x);
        } else {
          a = x, x = y, fx = fy, y = a + ratio * (b - a), fy = surplus(y);
        }
      }
      if (!found) return std::nullopt;
      hi = 1, f_hi = at_one;
    }
    if (f_hi != f_hi && !climb((hi - lo) / 4)) return std::nullopt;  // the law's own impulse cannot be flown
  }
  const auto root = numerics::bracketed_root<Real>(surplus, lo, f_lo, hi, f_hi);
  // A sign change that is a discontinuity (the next impact appears or vanishes) is not a balance.
  if (!(std::abs(root.residual) <= Real(tolerances::balance_roundings) * eps * energy_scale)) return std::nullopt;
  return root.x;
}

}  // namespace ricochet::contact
