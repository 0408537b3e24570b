// How often the fields of bars and beams are recorded where the scene does not say.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ricochet/scene/model.hpp"

namespace ricochet::scene {

/// A multiple of `every`, such that there are a few hundred fields of `words` numbers at most, and at most some hundred
/// megabytes of them.
inline std::int64_t usual_fields_every(const Model& model, double words) {
  const double most = std::clamp(2e8 / (8 * words), 2.0, 400.0);
  const double steps = model.end ? *model.end / model.step : 1e4;
  const auto every = static_cast<double>(std::max<std::int64_t>(model.scene.record.every, 1));
  // The largest `every` a scene can hold rounds up to 2^63 as a double, which is no std::int64_t any more.
  return static_cast<std::int64_t>(std::min(every * std::ceil(std::max(steps / most, 1.0) / every), 0x1p62));
}

}  // namespace ricochet::scene
