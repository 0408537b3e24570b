// The impact laws of a scene, for a body made of it.
#pragma once

#include "ricochet/principle/laws.hpp"
#include "ricochet/scene/model.hpp"

namespace ricochet::scene {

/// The body must outlive the laws: a restitution may depend on the velocity.
template <class Body>
principle::ImpactLaws<Body> laws_of(const Model& model, const Body& body) {
  using Law = mechanics::Law<double>;
  const auto& impact = model.scene.impact;
  principle::ImpactLaws<Body> laws;
  laws.law = model.user_law ? Law::user("user", model.user_law) : *Law::named(impact.law);
  if (!model.user_law)
    for (const std::string& law : model.laws) laws.per_gap.push_back(*Law::named(law));
  laws.constant_restitution = model.constant_restitution;
  laws.dissipation = impact.balance ? principle::Dissipation::balance : principle::Dissipation::momentum;
  laws.allow_energy_gain = impact.allow_energy_gain;
  if (model.laws.empty()) return laws;
  laws.restitution = [&body, e = model.restitution](int gap, const typename Body::Node& node) {
    const typename Body::Vec v = body.velocity(node);
    return e(gap, Body::Mechanics::point(node.q), Body::Mechanics::point(v), node.t);
  };
  return laws;
}

}  // namespace ricochet::scene
