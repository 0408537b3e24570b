// With the derivative of a run, which is made of the same parts.
#include "ricochet/scene/derivatives_of.hpp"
#include "ricochet/scene/factory.hpp"
#include "ricochet/scene/simulation_of.hpp"

namespace ricochet::scene {

template <>
struct Followed<LagrangianSystem<Eigen::Dynamic>> {
  using Reader = DerivativesOf<LagrangianSystem<Eigen::Dynamic>, false>;
  static std::unique_ptr<Derivatives> derivatives(const Model& model, const DerivativesTable& table,
                                                  const Reader::Run& run) {
    return std::make_unique<Reader>(model, table, run);
  }
};

Made simulate_lagrangian_large(std::shared_ptr<const Model> model) {
  return simulate_by_principle<LagrangianSystem<Eigen::Dynamic>>(std::move(model));
}

std::unique_ptr<DifferentiatedSimulation> differentiate_lagrangian(std::shared_ptr<const Model> model,
                                                                   const DerivativesTable& table) {
  return std::make_unique<DifferentiatedOf<LagrangianSystem<Eigen::Dynamic>, false>>(std::move(model), table);
}

}  // namespace ricochet::scene
