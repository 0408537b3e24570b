#include "ricochet/scene/simulation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "ricochet/error.hpp"
#include "ricochet/scene/bar_scene.hpp"
#include "ricochet/scene/beam_scene.hpp"
#include "ricochet/scene/factory.hpp"
#include "ricochet/scene/model.hpp"
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

/// Refuses units in which the start, a step of motion and the gaps are so small that contact could not be told from
/// rounding (contact/tolerance.hpp has limits that are no multiples of a length).
void check_units(const Model& model) {
  constexpr double smallest = 1e-24;
  if (!model.constant_mass || !model.scene.forces.empty() || model.gaps.outputs() == 0) return;
  const Point<double> q(model.q0.data(), static_cast<std::size_t>(model.q0.size()));
  const auto largest = [](const Eigen::VectorXd& x) { return x.size() > 0 ? x.lpNorm<Eigen::Infinity>() : 0.0; };
  const Eigen::VectorXd v = model.scene.system.momentum ? Eigen::VectorXd(model.mass.ldlt().solve(model.v0)) : model.v0;
  Eigen::VectorXd pull = Eigen::VectorXd::Zero(model.n);
  if (model.potential.outputs() > 0) model.potential.gradient(0, q, 0.0, std::span<double>(pull.data(), q.size()));
  double size = std::max(
      {largest(model.q0), model.step * largest(v), model.step * model.step * largest(model.mass.ldlt().solve(pull))});
  for (int i = 0; i < model.gaps.outputs(); ++i) size = std::max(size, std::abs(model.gaps(i, q, 0.0)));
  if (size > 0 && size < smallest)
    fail(
        model.scene.system.position_place,
        fmt::format("every length at the start is below {:g}, the largest {:.3g}: in such units contact cannot be told "
                    "from rounding; choose larger units",
                    smallest, size));
}

}  // namespace

std::unique_ptr<Simulation> simulate(std::shared_ptr<const Model> model) {
  try {
    if (model->bars) return simulate_bars(model);
    if (model->beams) return simulate_beams(model);
    check_admissible(*model);
    check_units(*model);
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
