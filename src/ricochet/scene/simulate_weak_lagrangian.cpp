#include "ricochet/scene/factory.hpp"
#include "ricochet/scene/simulation_of.hpp"

namespace ricochet::scene {

Made simulate_weak_lagrangian(std::shared_ptr<const Model> model) {
  if (model->n <= small_dimension)
    return std::make_unique<SimulationOf<LagrangianSystem<small_dimension>, WeakPrinciple>>(std::move(model));
  return std::make_unique<SimulationOf<LagrangianSystem<Eigen::Dynamic>, WeakPrinciple>>(std::move(model));
}

}  // namespace ricochet::scene
