#include "ricochet/scene/given_check.hpp"

namespace ricochet::scene {
namespace {

/// f(function, place) for everything that was given as a function.
template <class F>
void each_given(const Scene& scene, const F& f) {
  const auto look = [&](const Expression& e) {
    if (const Given* given = e.given()) f(*given, e.place);
  };
  if (scene.system.potential) look(*scene.system.potential);
  if (scene.system.lagrangian) look(*scene.system.lagrangian);
  for (const Gap& gap : scene.gaps) look(gap.expression);
  for (const Constraint& constraint : scene.constraints) look(constraint.expression);
  for (const Force& force : scene.forces)
    if (force.given) f(*force.given, force.place);
}

/// The shadow closures put the Hessian of V into the energy: differences would be seen in it. Interpolation needs no
/// more than flights.
void choose_closure_for(const NumericFunction& potential, Model& model) {
  auto& integrator = model.scene.integrator;
  if (potential.has_hessian() || !model.constant_mass || integrator.principle == "weak") return;
  if (integrator.closure == "shadow2" || integrator.closure == "shadow4")
    fail(integrator.closure_place,
         "the closure " + integrator.closure + " needs the hessian of the potential; interpolated does not");
  const bool free = !model.timed && !model.rough && model.scene.forces.empty() && model.scene.constraints.empty();
  if (integrator.closure == "auto" && free) integrator.closure = "interpolated";
}

}  // namespace

void note_given(Model& model) {
  each_given(model.scene, [&](const Given& given, const Place&) { model.given.push_back(given); });
  const auto& V = model.scene.system.potential;
  if (V && V->given() != nullptr && V->given()->function != nullptr) choose_closure_for(*V->given()->function, model);
}

void require_functions(const Model& model) {
  each_given(model.scene, [](const Given& given, const Place& place) {
    if (given.function == nullptr)
      fail(place, given.name + " was given as a function in Python, and this text only names it: run it there");
  });
}

void require_expressions(const Model& model, const std::string& what) {
  each_given(model.scene, [&](const Given& given, const Place& place) {
    fail(place, what + " needs expressions, and " + given.name + " was given as a function");
  });
}

}  // namespace ricochet::scene
