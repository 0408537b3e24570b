#include "numeric_model.hpp"
#include "ricochet/error.hpp"
#include "ricochet/scene/kind.hpp"

namespace ricochet::python {

std::string NumericModel::not_finite() const {
  for (const auto* f : {&potential_, &lagrangian_})
    if (*f && !(*f)->not_finite().empty()) return (*f)->not_finite();
  for (const auto* list : {&gaps_, &constraints_, &forces_})
    for (const auto& [i, f] : *list)
      if (!f.not_finite().empty()) return f.not_finite();
  return {};
}

std::unique_ptr<scene::Simulation> simulate_numeric(std::shared_ptr<NumericModel> model) {
  auto refuse = [](const std::string& why) { throw Error(ErrorKind::bad_scene, why); };
  if (const scene::Kind& kind = *model->scene.kind; !kind.has_functions())
    refuse(std::string(kind.name()) + " have no functions to give as numbers");
  auto& integrator = model->scene.integrator;
  if (integrator.principle == "weak")
    refuse("the weak principle takes expressions, not numeric functions; choose principle = \"strong\"");
  if (model->rough) refuse("friction takes expressions, not numeric functions");
  for (const auto* f : {&model->potential_, &model->lagrangian_})
    if (*f) model->timed = model->timed || (*f)->shape().timed;
  for (const auto& [i, f] : model->gaps_) model->moving[static_cast<std::size_t>(i)] = f.shape().timed;
  // The shadow closures put the Hessian of V into the energy: differences would be seen in it. Interpolation needs no
  // more than flights.
  if (model->constant_mass && model->potential_ && !model->potential_->has_hessian()) {
    if (integrator.closure == "shadow2" || integrator.closure == "shadow4")
      refuse("the closure " + integrator.closure + " needs the hessian of the potential; interpolated does not");
    const bool free = !model->timed && model->scene.forces.empty() && model->scene.constraints.empty();
    if (integrator.closure == "auto" && free) integrator.closure = "interpolated";
  }
  try {
    return model->constant_mass ? simulate_numeric_constant_mass(model) : simulate_numeric_lagrangian(model);
  } catch (const Error& error) {
    throw Error(ErrorKind::bad_scene, error.what());
  }
}

}  // namespace ricochet::python
