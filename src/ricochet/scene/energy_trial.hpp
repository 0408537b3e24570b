// Runs of a scene that measure what impacts do to the energy: one closure, one step, one start each.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ricochet/observe/energy_summary.hpp"
#include "ricochet/scene/model.hpp"

namespace ricochet::scene {

/// A closure as a study names it: "shadow4", "interpolated", "interpolated:8".
struct TrialClosure {
  std::string name;
  std::optional<int> order;

  std::string text() const { return order ? name + ":" + std::to_string(*order) : name; }
};

/// Where a run begins: q and, as the scene says, velocities or momenta.
struct TrialStart {
  Eigen::VectorXd q, v;
};

/// Throws Error(bad_scene) if a study of the energy makes no sense: no gaps, walls that move, impacts that dissipate.
void require_elastic(const Model& model);

/// The scene's own start and others around it, positions and velocities moved by a thousandth of their size; the same
/// on every call. Throws Error(bad_scene) if admissible ones are not found.
std::vector<TrialStart> trial_starts(const Model& model, int members);

/// The model with another closure, step and start, to run until `impacts` impacts. Refusals name `place`.
std::shared_ptr<const Model> trial_model(const Model& model, const TrialClosure& closure, double step,
                                         const TrialStart& start, std::int64_t impacts, const std::string& place);

/// Why the model cannot be studied (with its closure); empty if it can. No step is made.
std::string refuse_trial(const std::shared_ptr<const Model>& model);

/// Runs the model; throws Error when the run fails or no longer hits anything.
observe::EnergyTrial energy_trial(const std::shared_ptr<const Model>& model);

}  // namespace ricochet::scene
