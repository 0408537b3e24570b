// What can be said of slip coordinates before a run.
#pragma once

namespace ricochet::scene {

struct Model;

/// Refuses slip coordinates that are not finite at the start, two that slip along one direction, and, where it can be
/// told, two that are not orthonormal in the plane of contact: Coulomb's disc would be an ellipse. It can be told of a
/// particle: gap and slip coordinates are linear in three coordinates of one and the same constant mass. Angles of a
/// body have no length of their own, so of a body that turns it cannot.
void check_slip(const Model& model);

}  // namespace ricochet::scene
