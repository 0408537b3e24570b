// The judge of impacts with friction: impulse in the friction cone, no gap still closing, no energy gained.
#pragma once

#include "ricochet/mechanics/law_check.hpp"
#include "ricochet/mechanics/law_friction.hpp"

namespace ricochet::mechanics {

/// As check_law; `gap` counts contacts. Energy is ½rᵀ(v⁺ + v⁻), friction included.
template <class Real, class Lambda>
LawCheck<Real> check_friction_law(const FrictionContacts<Real>& A, const Lambda& r,
                                  const FrictionOutcome<Real>& outcome, Real speed = 0) {
  LawCheck<Real> check;
  const int d = A.dimension, k = d * A.size();
  // As in check_law; several contacts are solved to a residual of 2¹⁶ε at worst (complementarity/friction.hpp).
  const Real eps = std::numeric_limits<Real>::epsilon();
  const Real relative = std::max(1024 * Real(k) * eps, 131072 * eps);
  const auto blame = [&](Verdict verdict, int gap, Real value, Real tolerance) {
    if (check.verdict != Verdict::admissible) return;
    check.verdict = verdict;
    check.gap = gap;
    check.value = value;
    check.tolerance = tolerance;
  };
  Real largest = 0, energy_size = 0;
  for (int i = 0; i < k; ++i) largest = std::max(largest, std::abs(r[i]) * std::sqrt(A.W(i, i)));
  for (int i = 0; i < A.size(); ++i) {
    Real tangential = 0;
    for (int a = 1; a < d; ++a) tangential += r[d * i + a] * r[d * i + a];
    const Real inside = A.mu[i] * r[d * i] - std::sqrt(tangential), size = 16 * eps * A.mu[i] * std::abs(r[d * i]);
    if (!(r[d * i] >= 0)) blame(Verdict::impulse_leaves_cone, i, r[d * i], 0);
    if (!(inside >= -size)) blame(Verdict::impulse_leaves_cone, i, inside, size);
  }
  for (int i = 0; i < k; ++i) {
    Real after = A.v[i], size = std::abs(A.v[i]) + std::sqrt(A.W(i, i)) * (largest + speed);
    for (int j = 0; j < k; ++j) {
      after += A.W(i, j) * r[j];
      size += std::abs(A.W(i, j) * r[j]);
    }
    if (i % d == 0 && !(after >= -relative * size)) blame(Verdict::still_approaching, i / d, after, relative * size);
    check.energy_change += r[i] * (after + A.v[i]) / 2;
    check.energy_scale += std::abs(r[i]) * (std::abs(after) + std::abs(A.v[i])) / 2;
    energy_size += std::abs(r[i]) * size;
  }
  const Real tolerance = relative * energy_size;
  if (!(check.energy_change <= tolerance)) blame(Verdict::energy_gain, -1, check.energy_change, tolerance);
  if (!(std::abs(outcome.dissipated + check.energy_change) <= tolerance))
    blame(Verdict::wrong_dissipation, -1, outcome.dissipated, tolerance);
  return check;
}

}  // namespace ricochet::mechanics
