#include "ricochet/scene/factory.hpp"
#include "ricochet/scene/simulation_of.hpp"

namespace ricochet::scene {

Made simulate_lagrangian_large(std::shared_ptr<const Model> model) {
  return std::make_unique<SimulationOf<LagrangianSystem<Eigen::Dynamic>>>(std::move(model));
}

}  // namespace ricochet::scene
