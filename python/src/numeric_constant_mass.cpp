#include "numeric_system.hpp"
#include "ricochet/scene/factory.hpp"
#include "ricochet/scene/simulation_of.hpp"

namespace ricochet::python {

std::unique_ptr<scene::Simulation> simulate_numeric_constant_mass(std::shared_ptr<const NumericModel> model) {
  // Of any size: Python's functions take the time that matrices of a fixed size would save.
  return std::make_unique<scene::SimulationOf<NumericConstantMass<Eigen::Dynamic>>>(std::move(model));
}

}  // namespace ricochet::python
