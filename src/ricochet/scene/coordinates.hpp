// Systems in coordinates, [system] of a scene, in the steps of their kind (coordinates.cpp).
#pragma once

#include <memory>

#include "ricochet/scene/model.hpp"

namespace ricochet::scene {

/// Reads what a scene of a [system] has beside [time] and [parameters].
void read_coordinates_scene(TableReader& root, Scene& scene);
std::shared_ptr<Model> compile_coordinates(Scene scene);

}  // namespace ricochet::scene
