// `ricochet study energy`: what impacts do to the energy, for every closure and step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ricochet::app {

struct StudyOptions {
  std::string scene, out;
  std::string closures, steps;  ///< lists with commas; empty: every closure the model allows; the scene's step and half
  std::int64_t ensemble = 4, impacts = 5000;
  std::vector<std::string> overrides;
  bool overwrite = false;
};

/// 0, or 1 if a run failed (what was measured until then is on disk); bad input is an exception.
int study_energy(const StudyOptions& options);

}  // namespace ricochet::app
