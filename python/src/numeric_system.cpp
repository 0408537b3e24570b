#include "numeric_system.hpp"

#include "ricochet/scene/factory.hpp"
#include "ricochet/scene/simulation_of.hpp"

namespace ricochet::python {

std::string NumericModel::not_finite() const {
  if (potential_ && !potential_->not_finite().empty()) return potential_->not_finite();
  for (const auto* list : {&gaps_, &constraints_, &forces_})
    for (const auto& [i, f] : *list)
      if (!f.not_finite().empty()) return f.not_finite();
  return {};
}

std::unique_ptr<scene::Simulation> simulate_numeric(std::shared_ptr<NumericModel> model) {
  auto refuse = [](const std::string& why) { throw Error(ErrorKind::bad_scene, why); };
  if (model->bars || model->beams) refuse("bars and beams have no functions to give as numbers");
  if (!model->constant_mass)
    refuse(
        "numeric functions need a constant mass; write a mass of the configuration or a Lagrangian, and what goes "
        "with it, as expressions");
  auto& integrator = model->scene.integrator;
  if (integrator.principle == "weak")
    refuse("the weak principle takes expressions, not numeric functions; choose principle = \"strong\"");
  if (model->rough) refuse("friction takes expressions, not numeric functions");
  if (model->potential_) model->timed = model->timed || model->potential_->shape().timed;
  for (const auto& [i, f] : model->gaps_) model->moving[static_cast<std::size_t>(i)] = f.shape().timed;
  // The shadow closures put the Hessian of V into the energy: differences would be seen in it. Interpolation needs no
  // more than flights.
  const bool free = !model->timed && model->scene.forces.empty() && model->scene.constraints.empty();
  if (model->potential_ && !model->potential_->has_hessian()) {
    if (integrator.closure == "shadow2" || integrator.closure == "shadow4")
      refuse("the closure " + integrator.closure + " needs the hessian of the potential; interpolated does not");
    if (integrator.closure == "auto" && free) integrator.closure = "interpolated";
  }
  try {
    if (model->n <= scene::small_dimension)
      return std::make_unique<scene::SimulationOf<NumericSystem<scene::small_dimension>>>(std::move(model));
    return std::make_unique<scene::SimulationOf<NumericSystem<Eigen::Dynamic>>>(std::move(model));
  } catch (const Error& error) {
    throw Error(ErrorKind::bad_scene, error.what());
  }
}

}  // namespace ricochet::python
