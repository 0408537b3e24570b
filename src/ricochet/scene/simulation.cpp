#include "ricochet/scene/simulation.hpp"

#include "ricochet/error.hpp"
#include "ricochet/scene/bar_scene.hpp"
#include "ricochet/scene/beam_scene.hpp"
#include "ricochet/scene/factory.hpp"
#include "ricochet/scene/start_check.hpp"

namespace ricochet::scene {
namespace {

/// Where to look when a model is refused.
Place culprit(const Scene& scene, const Error& error) {
  if (scene.bars) return scene.bars->bars.front().place;
  if (scene.beams) return scene.beams->beams.front().place;
  switch (error.kind()) {
    case ErrorKind::inadmissible_start:
    case ErrorKind::not_finite:
      return scene.system.position_place;
    default:
      break;
  }
  const std::string what = error.what();
  for (const Constraint& constraint : scene.constraints)
    if (what.find("\"" + constraint.name + "\"") != std::string::npos) return constraint.expression.place;
  if (what.find("closure") != std::string::npos) return scene.integrator.closure_place;
  if (scene.system.lagrangian) return scene.system.lagrangian->place;
  return scene.system.mass_place;
}

}  // namespace

std::unique_ptr<Simulation> simulate(std::shared_ptr<const Model> model) {
  try {
    if (model->bars) return simulate_bars(model);
    if (model->beams) return simulate_beams(model);
    check_admissible(*model);
    // Derivatives are compiled beside the large systems only.
    const bool small = model->n <= small_dimension && !model->scene.derived;
    if (model->constant_mass) return small ? simulate_constant_mass_small(model) : simulate_constant_mass_large(model);
    return small ? simulate_lagrangian_small(model) : simulate_lagrangian_large(model);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::bad_scene) throw;
    fail(culprit(model->scene, error), error.what());
  }
}

std::unique_ptr<Derivatives> Simulation::derivatives(const DerivativesTable&) { return nullptr; }

double Simulation::shadow_energy(std::span<const double>, std::span<const double>) const {
  throw Error(ErrorKind::invalid_model, "only systems in generalized coordinates have a shadow energy");
}

std::unique_ptr<Simulation> simulate(Scene scene) { return simulate(compile(std::move(scene))); }

}  // namespace ricochet::scene
