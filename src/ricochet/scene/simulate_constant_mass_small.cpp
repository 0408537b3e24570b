#include "ricochet/scene/factory.hpp"
#include "ricochet/scene/simulation_of.hpp"

namespace ricochet::scene {

Made simulate_constant_mass_small(std::shared_ptr<const Model> model) {
  return simulate_by_principle<ConstantMassSystem<small_dimension>>(std::move(model));
}

}  // namespace ricochet::scene
