// The differentiated runs that are compiled, beside the runs themselves (factory.hpp).
#pragma once

#include "ricochet/scene/derivatives.hpp"

namespace ricochet::scene {

std::unique_ptr<DifferentiatedSimulation> differentiate_constant_mass(std::shared_ptr<const Model> model,
                                                                      const DerivativesTable& table);
std::unique_ptr<DifferentiatedSimulation> differentiate_lagrangian(std::shared_ptr<const Model> model,
                                                                   const DerivativesTable& table);

std::unique_ptr<DifferentiatedSimulation> differentiate_bars(std::shared_ptr<const Model> model,
                                                             const DerivativesTable& table);

}  // namespace ricochet::scene
