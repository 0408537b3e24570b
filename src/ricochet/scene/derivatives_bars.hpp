// The derivative of a run of bars, compiled apart from it.
#pragma once

#include <memory>

#include "ricochet/bodies/bars.hpp"
#include "ricochet/principle/strong.hpp"
#include "ricochet/scene/derivatives.hpp"

namespace ricochet::scene {

std::unique_ptr<Derivatives> derivatives_of_bars(const DerivativesTable& table,
                                                 const principle::Strong<bodies::Bars<double>>& run);

}  // namespace ricochet::scene
