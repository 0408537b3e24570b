// The audit of a motion: which principle does it satisfy? Strong extremal: admissible, the Euler–Lagrange equations
// between impacts, both Weierstrass–Erdmann conditions at them (Leine 2009, theorem 3). Weak extremal: without the
// second (theorem 4), as long as no energy is gained.
#pragma once

#include "ricochet/audit/findings.hpp"
#include "ricochet/audit/trajectory.hpp"

namespace ricochet::audit {

/// Throws Error where a motion cannot be judged at all: fewer than three samples, another dimension, bars.
Findings judge(const scene::Model& model, const Trajectory& trajectory);

}  // namespace ricochet::audit
