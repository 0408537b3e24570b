#include "numeric_system.hpp"
#include "ricochet/scene/factory.hpp"
#include "ricochet/scene/simulation_of.hpp"

namespace ricochet::python {

std::unique_ptr<scene::Simulation> simulate_numeric_constant_mass(std::shared_ptr<const NumericModel> model) {
  return std::make_unique<scene::SimulationOf<NumericConstantMass>>(std::move(model));
}

}  // namespace ricochet::python
