// Where a run has no derivative, or one that holds on one side only: said, never hidden.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace ricochet::tangent {

enum class IrregularKind {
  grazing,          ///< a gap is met without speed: impact times vary like a square root there
  simultaneous,     ///< several gaps close in the same instant: who is first is not a smooth choice
  grid_node,        ///< an impact at a node of the time grid, where the closure's map has a corner or a jump
  touch_down,       ///< a gap closes at rest and is held from there
  held_start,       ///< the run starts on a held gap: only directions that keep it closed have a derivative
  fallback,         ///< the energy balance had no root and the law's own impulse was used (errata F7)
  elastic_limit,    ///< a restitution of exactly 1 is asked to vary: below 1 another branch of the run begins
  projected_start,  ///< directions that violate a bilateral constraint: projected on those that keep it
};
constexpr std::size_t irregular_kinds = 8;

constexpr std::string_view name(IrregularKind kind) {
  switch (kind) {
    case IrregularKind::grazing:
      return "grazing";
    case IrregularKind::simultaneous:
      return "simultaneous";
    case IrregularKind::grid_node:
      return "grid_node";
    case IrregularKind::touch_down:
      return "touch_down";
    case IrregularKind::held_start:
      return "held_start";
    case IrregularKind::fallback:
      return "fallback";
    case IrregularKind::elastic_limit:
      return "elastic_limit";
    case IrregularKind::projected_start:
      return "projected_start";
  }
  return "";
}
constexpr std::string_view sentence(IrregularKind kind) {
  switch (kind) {
    case IrregularKind::grazing:
      return "the gap is only grazed: the derivative does not exist there";
    case IrregularKind::simultaneous:
      return "several gaps close at once: the derivative is one of several one-sided ones, by which gap is first";
    case IrregularKind::grid_node:
      return "the impact lies on a node of the time grid: the derivative is one-sided there";
    case IrregularKind::touch_down:
      return "the gap closes without speed and is held: the derivative does not exist there";
    case IrregularKind::held_start:
      return "the run starts on a held gap: the derivative exists only along directions that keep it closed, on which "
             "the columns are projected";
    case IrregularKind::fallback:
      return "the energy balance of the impact has no root: the derivative is that of the law's own impulse";
    case IrregularKind::elastic_limit:
      return "the restitution is exactly 1: the derivative by it is the one-sided one of smaller values";
    case IrregularKind::projected_start:
      return "some columns violate a bilateral constraint: they are projected on directions that keep it";
  }
  return "";
}

struct Irregular {
  IrregularKind kind;
  double t = 0;
  long long impact = 0;  ///< its number, 0 if it is none
  std::string gap;
};

/// The first of them, and how many there are.
struct Irregularities {
  std::vector<Irregular> first;
  long long count = 0;
  std::array<long long, irregular_kinds> of_kind{};
  bool none() const { return count == 0; }
  long long number_of(IrregularKind kind) const { return of_kind[static_cast<std::size_t>(kind)]; }
  /// The first hundred are listed, and the first of every kind besides: a common kind does not hide a rare one.
  void add(Irregular x) {
    const bool new_kind = ++of_kind[static_cast<std::size_t>(x.kind)] == 1;
    if (++count <= 100 || new_kind) first.push_back(std::move(x));
  }
};

}  // namespace ricochet::tangent
