// Laws that dissipate suppose a kinetic energy quadratic in the velocities.
#pragma once

namespace ricochet::scene {

struct Model;

/// Throws Error(bad_scene), with the place of the law, where the lagrangian of a scene certainly is not quadratic and a
/// gap needs it to be. The weak principle solves for the velocity after an impact, and asks for nothing.
void check_quadratic(const Model& model);

}  // namespace ricochet::scene
