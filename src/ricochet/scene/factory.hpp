// The runs that are compiled, one file for each kind of system: what its principles and derivatives share is compiled
// once that way, and still costs a compiler half a minute.
#pragma once

#include <memory>

#include "ricochet/scene/simulation.hpp"

namespace ricochet::scene {

/// Up to this many coordinates vectors live on the stack.
inline constexpr int small_dimension = 12;

using Made = std::unique_ptr<Simulation>;
Made simulate_constant_mass_small(std::shared_ptr<const Model> model);
Made simulate_constant_mass_large(std::shared_ptr<const Model> model);
Made simulate_lagrangian_small(std::shared_ptr<const Model> model);
Made simulate_lagrangian_large(std::shared_ptr<const Model> model);
Made simulate_bars(std::shared_ptr<const Model> model);
Made simulate_beams(std::shared_ptr<const Model> model);

}  // namespace ricochet::scene
