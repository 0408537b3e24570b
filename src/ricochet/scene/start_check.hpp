// What a scene says about its start must have a meaning there.
#pragma once

#include <Eigen/Core>

namespace ricochet::scene {

struct Model;

/// Throws Error(bad_scene) where a gap is closed at the start and has no normal there.
void check_normals(const Model& model);

/// Throws Error(inadmissible_start) where a gap is violated whatever the coordinates are beyond nine digits. Which of
/// the smaller violations is a closed gap the run decides, by the way of its steps.
void check_admissible(const Model& model);

/// Throws Error(bad_scene) where a force is not a finite number at the start, with this velocity.
void check_forces(const Model& model, const Eigen::VectorXd& velocity);

}  // namespace ricochet::scene
