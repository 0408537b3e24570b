// summary.json of a run.
#pragma once

#include "ricochet/app/recorder.hpp"

namespace ricochet::app {

/// What summary.json says about a run.
record::Summary summary_of(const scene::Simulation& simulation, const RunResult& result);

/// "finished", "interrupted", "failed".
const char* word(Outcome outcome);

}  // namespace ricochet::app
