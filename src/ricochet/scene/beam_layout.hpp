// The shape of a record of beams.
#pragma once

#include "ricochet/scene/beam_model.hpp"

namespace ricochet::scene {

/// Datasets and attributes; needs the gaps of the scene.
void lay_out_beams(Model& model, const BeamModel& beams);

}  // namespace ricochet::scene
