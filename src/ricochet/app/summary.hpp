// summary.json of a run.
#pragma once

#include <string>
#include <vector>

#include "ricochet/app/recorder.hpp"

namespace ricochet::app {

/// What summary.json says about a run.
record::Summary summary_of(const scene::Simulation& simulation, const RunResult& result);

/// The part of the energy that is neither there nor accounted for by forces, laws and walls.
double unbalanced(const scene::Report& report);

/// What a reader of the numbers should know, in sentences: in the summary's notes, on the page and on the terminal.
std::vector<std::string> warnings(const scene::Report& report);

/// "finished", "interrupted", "failed".
const char* word(Outcome outcome);

}  // namespace ricochet::app
