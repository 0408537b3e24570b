// What the program does with the tangents of scenes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ricochet/scene/simulation.hpp"

namespace ricochet::app {

/// The derivatives that a scene with [derivatives] asks for. They are taken while the run flies; one that was resumed
/// is flown anew for them, from its start.
class DerivativesOfRun {
 public:
  /// Of a run before its first step, which they follow from here on; it must not outlive them.
  explicit DerivativesOfRun(scene::Simulation& simulation);
  /// Of a finished run.
  explicit DerivativesOfRun(std::shared_ptr<const scene::Model> model);
  ~DerivativesOfRun();
  DerivativesOfRun(const DerivativesOfRun&) = delete;
  DerivativesOfRun& operator=(const DerivativesOfRun&) = delete;

  bool asked() const;
  /// Writes derivatives.h5 into the folder of the run, which is finished, if its scene asks for them. False, and
  /// nothing written, where `stop` said so. Throws Error where there is no derivative.
  bool leave(const std::string& dir, bool quiet, const std::function<bool()>& stop);

 private:
  class Rows;
  struct State;
  std::unique_ptr<State> state_;  ///< nothing where none are asked for
};

/// Throws Error(bad_scene) for bars: what is asked of the scene (a noun with its verb) is for a [system] of
/// coordinates.
void require_coordinates(const scene::Model& model, const std::string& what);

struct LyapunovOptions {
  std::string scene, format = "text";
  std::vector<std::string> overrides;
  double discard = 0.1;  ///< share of the run that is left out at its start
  std::optional<double> time;
};
int lyapunov(const LyapunovOptions& options);

struct OrbitOptions {
  std::string scene, format = "text";
  std::vector<std::string> overrides;
  double period = 0;
  int iterations = 30;
  std::optional<std::int64_t> impacts;  ///< in a period; without it at least one
};
int orbit(const OrbitOptions& options);

}  // namespace ricochet::app
