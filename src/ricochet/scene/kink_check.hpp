// An `if` in a gap that is neither a minimum nor a maximum: do its formulas meet smoothly?
#pragma once

#include "ricochet/expression/builder.hpp"
#include "ricochet/scene/function.hpp"
#include "ricochet/scene/scene.hpp"

namespace ricochet::scene {

struct Model;

/// Looks along straight lines through the start, near and far, and refuses a piece of a gap that jumps, or has a kink,
/// where it is not negative: behind its own wall nobody comes. `piece` and what decides in it are outputs of `tape`.
void check_kinks(const Model& model, const Gap& gap, const Function& tape,
                 const expression::TapeBuilder::Pieces::Doubt& doubt);

}  // namespace ricochet::scene
