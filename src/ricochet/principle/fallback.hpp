// The names of everything that is not the plain algorithm.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ricochet::principle {

/// Everything that is not the plain algorithm has a name, is counted and ends up in the summary.
enum class Fallback {
  reflection,   ///< the energy balance has no admissible root (grazing, errata F7): the law's own impulse was used
  energy_gain,  ///< a law gained energy and `allow_energy_gain` let it pass
  smallest_restitution,  ///< gaps of different e acted together: the canonical law used the smallest for all
  ambiguous,     ///< Coulomb's law had several solutions for resting contacts (Painlevé): the stable one was taken
  graze,         ///< a flight met a gap slower than its curve and its momentum agree: it began anew there
  push_off,      ///< a rule of first order left a surface: it was pushed, since its curve would have entered again
  plain_flight,  ///< grazes that a closure does not end: the rule's own curve, with reflections, for the rest of a step
  cut_sequence,  ///< more pairwise impacts than the bound of the sequential law: a plastic one stood for the rest
  sunk,          ///< a step of the weak principle in which a contact lay deeper than the way of a step
  union_corner,  ///< several branches of a union were met at once: an impact with Clarke's cones
  unbalanced_crossing,  ///< no jump at a crossing of a virtual tip balances the energy (errata D8): passed without one
  count_
};
/// The loops of the strong and the weak principle count what stands before it; the grid counts it and what follows.
inline constexpr Fallback first_of_grid = Fallback::unbalanced_crossing;
using FallbackCounts = std::array<long long, static_cast<std::size_t>(first_of_grid)>;

constexpr std::string_view name(Fallback fallback) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(Fallback::count_)> names{
      "reflection",   "energy_gain", "smallest_restitution", "ambiguous_friction", "graze", "push_off", "plain_flight",
      "cut_sequence", "sunk",        "union_corner",         "unbalanced_crossing"};
  return names[static_cast<std::size_t>(fallback)];
}

/// The names from `first` to `end`, exclusive, with their counts in a run: unless told otherwise, those of either
/// principle.
template <class Run>
std::vector<std::pair<std::string, std::int64_t>> fallbacks_of(const Run& run, Fallback first = {},
                                                               Fallback end = first_of_grid) {
  std::vector<std::pair<std::string, std::int64_t>> list;
  for (int f = static_cast<int>(first); f < static_cast<int>(end); ++f)
    list.emplace_back(name(static_cast<Fallback>(f)), run.fallbacks(static_cast<Fallback>(f)));
  return list;
}

}  // namespace ricochet::principle
