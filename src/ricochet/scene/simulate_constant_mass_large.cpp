#include "ricochet/scene/factory.hpp"
#include "ricochet/scene/simulation_of.hpp"

namespace ricochet::scene {

Made simulate_constant_mass_large(std::shared_ptr<const Model> model) {
  return std::make_unique<SimulationOf<ConstantMassSystem<Eigen::Dynamic>>>(std::move(model));
}

}  // namespace ricochet::scene
