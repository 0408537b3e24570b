// One impact, as everybody passes it on who does not look into its body: runs, records, pages, audits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ricochet::motion {

/// p⁺ = p⁻ + Σ λ_i ∇φ_i over the gaps that acted. Momenta of bars and beams are those of whole bars and beams.
template <class Gaps, class Numbers>
struct ImpactOf {
  std::int64_t n = 0;  ///< from 1
  double t = 0;
  std::int64_t step = 0;  ///< whole steps before it
  double alpha = 0;       ///< t = t_step + αh
  Gaps gaps{};
  Numbers multipliers{};  ///< λ_i, in the order of the gaps
  double energy_before = 0, energy_after = 0;
  Numbers q{}, p_minus{}, p_plus{};
};

/// Borrowed: valid during the call that passes it.
using ImpactView = ImpactOf<std::span<const std::string_view>, std::span<const double>>;
/// Kept, with the names of the gaps joined by '+' as in impacts.csv.
using KeptImpact = ImpactOf<std::string, std::vector<double>>;

}  // namespace ricochet::motion
