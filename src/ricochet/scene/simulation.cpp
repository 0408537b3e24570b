#include "ricochet/scene/simulation.hpp"

#include "ricochet/error.hpp"
#include "ricochet/scene/kind.hpp"

namespace ricochet::scene {
std::unique_ptr<Simulation> simulate(std::shared_ptr<const Model> model) {
  const Kind& kind = *model->scene.kind;
  try {
    return kind.simulate(model);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::bad_scene) throw;
    fail(kind.culprit(model->scene, error), error.what());
  }
}

std::unique_ptr<Derivatives> Simulation::derivatives(const DerivativesTable&) { return nullptr; }

double Simulation::shadow_energy(std::span<const double>, std::span<const double>) const {
  throw Error(ErrorKind::invalid_model, "only systems in generalized coordinates have a shadow energy");
}

std::unique_ptr<Simulation> simulate(Scene scene) { return simulate(compile(std::move(scene))); }

}  // namespace ricochet::scene
