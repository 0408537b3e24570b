// Gaps with kinks as several gaps without: the pieces of their formulas.
#pragma once

#include "ricochet/scene/numbers.hpp"

namespace ricochet::scene {

struct Model;

/// Puts its smooth pieces in the place of every gap whose formula has kinks, under the names "gap/1", "gap/2", …: laws,
/// restitution and friction of the gap are those of each. Pieces of one maximum are told to be a union. Refuses, with
/// its place, what cannot be split.
void split_gaps(Model& model, const Numbers& numbers);

}  // namespace ricochet::scene
