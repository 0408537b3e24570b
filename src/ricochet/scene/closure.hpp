// The closure a scene names, or the reason why it does not fit.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "ricochet/closure/any.hpp"
#include "ricochet/scene/scene.hpp"

namespace ricochet::scene {

template <class Body>
closure::AnyClosure choose_closure(const Scene& scene, const Body& body) {
  const auto& integrator = scene.integrator;
  const std::int64_t order = integrator.order.value_or(6);
  if (!std::in_range<int>(order))
    fail(integrator.order_place, "the order must be 4, 6, 8 or 10, not " + std::to_string(order));
  try {
    return closure::named_closure(integrator.closure, body, static_cast<int>(order));
  } catch (const Error& error) {
    fail(integrator.order ? integrator.order_place : integrator.closure_place, error.what());
  }
}

}  // namespace ricochet::scene
