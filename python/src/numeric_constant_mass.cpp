#include "numeric_system.hpp"
#include "ricochet/scene/factory.hpp"
#include "ricochet/scene/simulation_of.hpp"

namespace ricochet::python {

std::unique_ptr<scene::Simulation> simulate_numeric_constant_mass(std::shared_ptr<const NumericModel> model) {
  if (model->n <= scene::small_dimension)
    return std::make_unique<scene::SimulationOf<NumericConstantMass<scene::small_dimension>>>(std::move(model));
  return std::make_unique<scene::SimulationOf<NumericConstantMass<Eigen::Dynamic>>>(std::move(model));
}

}  // namespace ricochet::python
