// Where a run has no derivative, or one that holds on one side only: said, never hidden.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ricochet::tangent {

enum class IrregularKind {
  grazing,       ///< a gap is met without speed: impact times vary like a square root there
  simultaneous,  ///< several gaps close in the same instant: who is first is not a smooth choice
  grid_node,     ///< an impact at a node of the time grid, where the closure's map has a corner or a jump
  touch_down,    ///< a gap closes at rest and is held from there
  held_start,    ///< the run starts on a held gap: only directions that keep it closed have a derivative
  fallback,      ///< the energy balance had no root and the law's own impulse was used (errata F7)
};

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
  }
  return "";
}
constexpr std::string_view sentence(IrregularKind kind) {
  switch (kind) {
    case IrregularKind::grazing:
      return "the gap is only grazed: the derivative does not exist there";
    case IrregularKind::simultaneous:
      return "several gaps close at once: the derivative depends on which is first";
    case IrregularKind::grid_node:
      return "the impact lies on a node of the time grid: the derivative is one-sided there";
    case IrregularKind::touch_down:
      return "the gap closes without speed and is held: the derivative does not exist there";
    case IrregularKind::held_start:
      return "the run starts on a held gap: the derivative exists only along directions that keep it closed";
    case IrregularKind::fallback:
      return "the energy balance of the impact has no root: the derivative is that of the law's own impulse";
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
  bool none() const { return count == 0; }
  void add(Irregular x) {
    if (++count <= 100) first.push_back(std::move(x));
  }
};

}  // namespace ricochet::tangent
