// The closure a scene names, or the reason why it does not fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "ricochet/closure/any.hpp"
#include "ricochet/scene/model.hpp"

namespace ricochet::scene {

/// What the impact laws do to the energy; a restitution that may be below 1 takes some of it. What a function of the
/// user's does is not known: it may keep it.
inline closure::Impacts impacts_of(const Model& model) {
  using closure::Impacts;
  if (model.scene.impact.balance) return Impacts::balance;
  if (model.user_law) return Impacts::keep_energy;
  if (!model.constant_restitution) return Impacts::dissipate;
  const std::span<const double> q(model.q0.data(), static_cast<std::size_t>(model.n));
  for (int i = 0; i < model.restitution.outputs(); ++i)
    if (model.restitution(i, q, q, 0.0) < 1) return Impacts::dissipate;
  return Impacts::keep_energy;
}

template <class Body>
closure::AnyClosure choose_closure(const Model& model, const Body& body) {
  const auto& integrator = model.scene.integrator;
  const std::int64_t order = integrator.order.value_or(6);
  if (!std::in_range<int>(order))
    fail(integrator.order_place, "the order must be 4, 6, 8 or 10, not " + std::to_string(order));
  try {
    return closure::named_closure(integrator.closure, body, static_cast<int>(order), impacts_of(model));
  } catch (const Error& error) {
    fail(integrator.order ? integrator.order_place : integrator.closure_place, error.what());
  }
}

}  // namespace ricochet::scene
