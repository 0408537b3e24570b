#include "ricochet/scene/derivatives_of.hpp"

namespace ricochet::scene {

std::unique_ptr<DifferentiatedSimulation> differentiate_lagrangian(std::shared_ptr<const Model> model,
                                                                   const DerivativesTable& table) {
  return std::make_unique<DifferentiatedOf<LagrangianSystem<Eigen::Dynamic>, false>>(std::move(model), table);
}

}  // namespace ricochet::scene
