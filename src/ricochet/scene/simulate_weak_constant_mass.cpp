#include "ricochet/scene/factory.hpp"
#include "ricochet/scene/simulation_of.hpp"

namespace ricochet::scene {

Made simulate_weak_constant_mass(std::shared_ptr<const Model> model) {
  if (model->n <= small_dimension)
    return std::make_unique<SimulationOf<ConstantMassSystem<small_dimension>, WeakPrinciple>>(std::move(model));
  return std::make_unique<SimulationOf<ConstantMassSystem<Eigen::Dynamic>, WeakPrinciple>>(std::move(model));
}

}  // namespace ricochet::scene
