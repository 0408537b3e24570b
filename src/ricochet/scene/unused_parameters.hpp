// Overrides of parameters that a scene does not have.
#pragma once

#include "ricochet/scene/document.hpp"

namespace ricochet::scene {

/// A parameter that an override brought in and that no expression uses is a misspelt one: refuses it, with the nearest
/// of the others. (One that another override's expression uses is welcome.)
void refuse_unused_parameters(const Value& root);

}  // namespace ricochet::scene
