// The energy W(e) of a bar from the text of a scene.
#pragma once

#include "ricochet/bodies/bars/spec.hpp"
#include "ricochet/expression/tape.hpp"

namespace ricochet::scene {

/// W, W' and W'' of the first output of a tape in one variable, the stretch e. Up to `threads` threads may evaluate it
/// at once; nothing is allocated per evaluation.
bodies::BarEnergy<double> bar_energy(expression::Tape tape, int threads);

}  // namespace ricochet::scene
