// `[boundary]` of a scene: a two-point problem for its system, solved by both principles.
#pragma once

#include <vector>

#include "ricochet/principle/boundary.hpp"
#include "ricochet/scene/model.hpp"

namespace ricochet::scene {

struct BoundaryTable {
  Eigen::VectorXd start, end;
  double t0 = 0, tf = 0;
  int points = 0;
  Place place;
};

/// Reads `[boundary]` of a scene that was read before; throws Error(bad_scene) with a place.
BoundaryTable read_boundary_table(const Model& model);
/// The same where the scene has one, for its mistakes alone.
void check_boundary_table(const Model& model);

struct BoundarySolutions {
  std::vector<principle::BoundarySolution<double>> weak, strong;
};
/// Throws Error(bad_scene) where the problem is not one that can be enumerated.
BoundarySolutions solve_boundary(const Model& model, const BoundaryTable& table);

}  // namespace ricochet::scene
