// The start of a run. A Lagrangian must have a mass there: ∂²L/∂v² positive definite, as the matrix `mass` of a scene
// must be; and forces must be numbers.
#pragma once

#include <limits>

#include "ricochet/bodies/erased.hpp"
#include "ricochet/numerics/factor.hpp"
#include "ricochet/scene/model.hpp"
#include "ricochet/scene/start_check.hpp"

namespace ricochet::scene {

/// At a velocity. A pivot below rounding means singular: Cholesky's last digits would decide otherwise.
template <class Body>
void require_mass(const Scene& scene, const Body& body, const typename Body::Vec& q, const typename Body::Vec& v) {
  using Mechanics = typename Body::Mechanics;
  typename Mechanics::Point1 first;
  typename Mechanics::Point2 second;
  body.mechanics().evaluate(q, v, 0, first, second);
  const auto& M = second.Lvv;
  if (!M.allFinite()) return;  // the energy at the start tells
  numerics::Cholesky<typename Mechanics::Mat> factors;
  bool definite = factors.compute(M);
  const auto n = static_cast<double>(M.rows());
  for (Eigen::Index i = 0; definite && i < M.rows(); ++i)
    definite = factors.pivot(i) * factors.pivot(i) > 8 * n * std::numeric_limits<double>::epsilon() * M(i, i);
  if (!definite)
    fail(scene.system.lagrangian ? scene.system.lagrangian->place : scene.system.mass_place,
         "the mass ∂²L/∂v² of the lagrangian is not positive definite at the start");
}

/// The start of a scene in the phase space of a body.
template <class Body>
typename Body::Node start_of(const Model& model, const Body& body) {
  const typename Body::Vec q = model.q0, v = model.v0;
  constexpr bool any = !bodies::quadratic_energy<Body>();
  if constexpr (any) require_mass(model.scene, body, q, typename Body::Vec(body.mechanics().zero()));
  typename Body::Node node = model.scene.system.momentum ? typename Body::Node{0, q, v} : body.node(q, v);
  if (model.scene.system.momentum && body.finite(node)) {
    if constexpr (any) require_mass(model.scene, body, q, body.velocity(node));
    if (!model.scene.forces.empty()) check_forces(model, Eigen::VectorXd(body.velocity(node)));
  }
  return node;
}

}  // namespace ricochet::scene
