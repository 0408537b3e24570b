// What was given as functions in a scene: where it may stand, and what it cannot be asked for.
#pragma once

#include <string>

#include "ricochet/scene/model.hpp"

namespace ricochet::scene {

/// Lists them in the model, and chooses a closure that asks no more of the potential than there is. Throws
/// Error(bad_scene) where the scene names one that does.
void note_given(Model& model);

/// Refuses a model some of whose functions are only named in its text: it can be looked at, not run.
void require_functions(const Model& model);
/// Refuses a model some of whose functions are no expressions; `what` needs them.
void require_expressions(const Model& model, const std::string& what);

}  // namespace ricochet::scene
