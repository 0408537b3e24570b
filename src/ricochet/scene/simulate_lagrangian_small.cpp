#include "ricochet/scene/factory.hpp"
#include "ricochet/scene/simulation_of.hpp"

namespace ricochet::scene {

Made simulate_lagrangian_small(std::shared_ptr<const Model> model) {
  return simulate_by_principle<LagrangianSystem<small_dimension>>(std::move(model));
}

}  // namespace ricochet::scene
