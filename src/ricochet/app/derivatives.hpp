// What the program does with the tangents of scenes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ricochet/scene/model.hpp"

namespace ricochet::app {

/// Writes derivatives.h5 into the folder of a run if its scene has [derivatives]. False, and nothing written, where
/// `stop` said so.
bool leave_derivatives(const scene::Model& of, const std::string& dir, bool quiet, const std::function<bool()>& stop);

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
