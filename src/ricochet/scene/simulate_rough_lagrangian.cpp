#include "ricochet/scene/factory.hpp"
#include "ricochet/scene/simulate_rough.hpp"

namespace ricochet::scene {

Made simulate_rough_lagrangian(std::shared_ptr<const Model> model) {
  if (model->n <= small_dimension) return simulate_rough<LagrangianSystem<small_dimension>>(std::move(model));
  return simulate_rough<LagrangianSystem<Eigen::Dynamic>>(std::move(model));
}

}  // namespace ricochet::scene
