#include "ricochet/scene/derivatives_of.hpp"

namespace ricochet::scene {

std::unique_ptr<DifferentiatedSimulation> differentiate_constant_mass(std::shared_ptr<const Model> model,
                                                                      const DerivativesTable& table) {
  return std::make_unique<DifferentiatedOf<ConstantMassSystem<Eigen::Dynamic>, true>>(std::move(model), table);
}

}  // namespace ricochet::scene
