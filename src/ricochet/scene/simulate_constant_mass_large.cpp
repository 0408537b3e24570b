// With the derivative of a run, which is made of the same parts.
#include "ricochet/scene/derivatives_of.hpp"
#include "ricochet/scene/factory.hpp"
#include "ricochet/scene/simulation_of.hpp"

namespace ricochet::scene {

Made simulate_constant_mass_large(std::shared_ptr<const Model> model) {
  return simulate_by_principle<ConstantMassSystem<Eigen::Dynamic>>(std::move(model));
}

std::unique_ptr<DifferentiatedSimulation> differentiate_constant_mass(std::shared_ptr<const Model> model,
                                                                      const DerivativesTable& table) {
  return std::make_unique<DifferentiatedOf<ConstantMassSystem<Eigen::Dynamic>, true>>(std::move(model), table);
}

}  // namespace ricochet::scene
