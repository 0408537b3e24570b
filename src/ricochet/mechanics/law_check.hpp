// Ballard 2001 (4.6) and (4.7) as a judge of every impact: the law's own impulse, at the law's own rates.
#pragma once

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "ricochet/mechanics/law.hpp"

namespace ricochet::mechanics {

enum class Verdict {
  admissible,
  impulse_leaves_cone,  ///< λ_i < 0: the gap would pull; with friction also |r_T| > μ r_N
  still_approaching,    ///< φ̇⁺_i < 0: v⁺ is outside V (4.6)
  energy_gain,          ///< ½λᵀ(φ̇⁺ + φ̇⁻) > 0 (4.7)
  wrong_dissipation,    ///< the dissipated energy the law reports is not −½λᵀ(φ̇⁺ + φ̇⁻)
};

template <class Real>
struct LawCheck {
  Verdict verdict = Verdict::admissible;
  int gap = -1;        ///< position in A of the worst gap, where one is to blame
  Real value = 0;      ///< the offending λ_i, φ̇⁺_i or energy
  Real tolerance = 0;  ///< what rounding explains
  Real energy_change = 0;
  Real energy_scale = 0;  ///< ½Σλ_i(|φ̇⁺_i| + |φ̇⁻_i|): the size of the terms in energy_change

  explicit operator bool() const { return verdict == Verdict::admissible; }

  std::string sentence() const {
    const auto number = [](Real x) {
      char text[32];
      std::snprintf(text, sizeof text, "%.6g", static_cast<double>(x));
      return std::string(text);
    };
    switch (verdict) {
      case Verdict::impulse_leaves_cone:
        return "the impulse " + number(value) + " is negative: a unilateral contact cannot pull";
      case Verdict::still_approaching:
        return "the gap still closes at rate " + number(value) + " after the impact (Ballard 2001 (4.6))";
      case Verdict::energy_gain:
        return "the impact gains the energy " + number(value) + ", " + number(value / energy_scale) +
               " of the work exchanged (Ballard 2001 (4.7))";
      case Verdict::wrong_dissipation:
        return "the law reports a dissipation of " + number(value) + " but its impulse dissipates " +
               number(-energy_change);
      case Verdict::admissible:
        break;
    }
    return "the impact is admissible";
  }
};

/// Judges λ and the reported outcome. `speed` is ‖v⁻‖ in the kinetic metric: φ̇ is a difference of terms of size
/// √W_ii‖v‖, so its rounding is relative to that; without it only the rates themselves set the scale.
template <class Real, class Lambda>
LawCheck<Real> check_law(const Contacts<Real>& A, const Lambda& lambda, const Outcome<Real>& outcome, Real speed = 0) {
  LawCheck<Real> check;
  const int k = A.size();
  // The solvers stay below 64 k ε per pivot; conditioning of the active normals takes the rest of this factor.
  const Real relative = 1024 * Real(k) * std::numeric_limits<Real>::epsilon();
  // Below the normal numbers rounding is absolute.
  constexpr Real least = std::numeric_limits<Real>::min();
  const auto blame = [&](Verdict verdict, int gap, Real value, Real tolerance) {
    if (check.verdict != Verdict::admissible) return;
    check.verdict = verdict;
    check.gap = gap;
    check.value = value;
    check.tolerance = tolerance;
  };

  Real largest = 0, energy_size = 0;
  for (int i = 0; i < k; ++i) largest = std::max(largest, std::abs(lambda[i]) * std::sqrt(A.W(i, i)));
  for (int i = 0; i < k; ++i) {
    const Real pull = relative * largest;
    if (!(lambda[i] * std::sqrt(A.W(i, i)) >= -pull)) blame(Verdict::impulse_leaves_cone, i, lambda[i], pull);
  }
  for (int i = 0; i < k; ++i) {
    const Real after = rate_after(A, lambda, i);
    const Real size = rate_size(A, lambda, i) + std::sqrt(A.W(i, i)) * (largest + speed);
    const Real closing = relative * size + least;
    if (!(after >= -closing)) blame(Verdict::still_approaching, i, after, closing);
    check.energy_change += lambda[i] * (after + A.v[i]) / 2;
    check.energy_scale += std::abs(lambda[i]) * (std::abs(after) + std::abs(A.v[i])) / 2;
    energy_size += std::abs(lambda[i]) * size;
  }
  const Real energy_tolerance = relative * energy_size + least;
  if (!(check.energy_change <= energy_tolerance))
    blame(Verdict::energy_gain, -1, check.energy_change, energy_tolerance);
  if (!(std::abs(outcome.dissipated + check.energy_change) <= energy_tolerance) ||
      (outcome.conservative && outcome.dissipated != 0))
    blame(Verdict::wrong_dissipation, -1, outcome.dissipated, energy_tolerance);
  return check;
}

}  // namespace ricochet::mechanics
