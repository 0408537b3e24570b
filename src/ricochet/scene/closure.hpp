// The closure a scene names, or the reason why it does not fit.
#pragma once

#include "ricochet/impact/any_closure.hpp"
#include "ricochet/scene/scene.hpp"

namespace ricochet::scene {

template <class Body>
impact::AnyClosure choose_closure(const Scene& scene, const Body& body) {
  const auto& integrator = scene.integrator;
  try {
    return impact::named_closure(integrator.closure, body, static_cast<int>(integrator.order.value_or(6)));
  } catch (const Error& error) {
    fail(integrator.order ? integrator.order_place : integrator.closure_place, error.what());
  }
}

}  // namespace ricochet::scene
