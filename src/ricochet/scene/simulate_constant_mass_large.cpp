// With the derivative of a run, which is made of the same parts.
#include "ricochet/scene/derivatives_of.hpp"
#include "ricochet/scene/factory.hpp"
#include "ricochet/scene/simulation_of.hpp"

namespace ricochet::scene {

template <>
struct Followed<ConstantMassSystem<Eigen::Dynamic>> {
  using Reader = DerivativesOf<ConstantMassSystem<Eigen::Dynamic>, true>;
  static std::unique_ptr<Derivatives> derivatives(const Model& model, const DerivativesTable& table,
                                                  const Reader::Run& run) {
    return std::make_unique<Reader>(model, table, run);
  }
};

Made simulate_constant_mass_large(std::shared_ptr<const Model> model) {
  return simulate_by_principle<ConstantMassSystem<Eigen::Dynamic>>(std::move(model));
}

std::unique_ptr<DifferentiatedSimulation> differentiate_constant_mass(std::shared_ptr<const Model> model,
                                                                      const DerivativesTable& table) {
  return std::make_unique<DifferentiatedOf<ConstantMassSystem<Eigen::Dynamic>, true>>(std::move(model), table);
}

}  // namespace ricochet::scene
