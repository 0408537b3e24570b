// Systems in coordinates: [system] of a scene.
#include "ricochet/scene/coordinates.hpp"

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <span>

#include "ricochet/error.hpp"
#include "ricochet/scene/derivatives_factory.hpp"
#include "ricochet/scene/factory.hpp"
#include "ricochet/scene/given_check.hpp"
#include "ricochet/scene/kind.hpp"
#include "ricochet/scene/start_check.hpp"

namespace ricochet::scene {
namespace {

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

class Coordinates final : public Kind {
 public:
  std::string_view name() const override { return "coordinates"; }
  std::vector<std::string> tables() const override {
    return {"system", "gap",   "constraint", "force",    "symmetry",   "impact",
            "record", "shape", "integrator", "boundary", "derivatives"};
  }
  void read(TableReader& root, Scene& scene) const override { read_coordinates_scene(root, scene); }
  std::shared_ptr<Model> compile(Scene scene) const override { return compile_coordinates(std::move(scene)); }
  std::unique_ptr<Simulation> simulate(std::shared_ptr<const Model> model) const override {
    require_functions(*model);
    check_admissible(*model);
    check_units(*model);
    // Derivatives are compiled beside the large systems only. Functions of a program take the time that vectors of a
    // fixed size would save, and flew large systems from the beginning.
    const bool small = model->n <= small_dimension && !model->scene.derived && model->given.empty();
    if (model->constant_mass) return small ? simulate_constant_mass_small(model) : simulate_constant_mass_large(model);
    return small ? simulate_lagrangian_small(model) : simulate_lagrangian_large(model);
  }
  Place culprit(const Scene& scene, const Error& error) const override {
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

  bool has_functions() const override { return true; }
  std::string scheme(const Scene& scene) const override {
    return scene.integrator.principle == "weak" ? "weak" : "strong " + scene.integrator.closure;
  }

  void require_differentiable(const Model& model, const DerivativesTable& table) const override {
    if (model.scene.integrator.principle == "weak")
      fail(table.place,
           "derivatives need principle = \"strong\": with the weak one impacts happen at whole steps, and "
           "the end is no smooth function of the start");
    if (model.rough)
      fail(table.place, "derivatives of runs with friction are not there: leave out friction or [derivatives]");
  }
  std::unique_ptr<DifferentiatedSimulation> differentiate(std::shared_ptr<const Model> model,
                                                          const DerivativesTable& table) const override {
    require_expressions(*model, "the derivative of a run");
    if (model->rough || model->scene.integrator.principle == "weak")
      throw Error(ErrorKind::bad_scene,
                  model->scene.integrator.place.str() +
                      ": derivatives need the strong principle and a [system] of coordinates, without friction");
    return model->constant_mass ? differentiate_constant_mass(model, table) : differentiate_lagrangian(model, table);
  }
};

const Coordinates kind;

}  // namespace

extern const Kind& coordinates_kind;
const Kind& coordinates_kind = kind;

}  // namespace ricochet::scene
