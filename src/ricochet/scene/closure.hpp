// The closures a scene can name, chosen at run time: one type for all of them, so that a body is compiled once.
#pragma once

#include "ricochet/impact/closure.hpp"
#include "ricochet/scene/scene.hpp"

namespace ricochet::scene {

struct AnyClosure : impact::PlainCurve {
  bool balance = true;
  bool balances() const { return balance; }
};

template <class Body>
AnyClosure choose_closure(const Scene& scene, const Body&) {
  const std::string& name = scene.integrator.closure;
  if (name == "variational") return {{}, true};
  if (name == "reflection") return {{}, false};
  fail(scene.integrator.closure_place, "the closure \"" + name + "\" is not available in scenes yet");
}

}  // namespace ricochet::scene
