// A run and its directory: records, checkpoints, and the summary at the end.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "ricochet/record/writer.hpp"
#include "ricochet/scene/simulation.hpp"

namespace ricochet::app {

/// What a directory is told about a scene before its run.
record::Schema schema_of(const scene::Model& model);

/// The scene of a run that is to be resumed.
scene::Scene scene_of(const record::Schema& schema);
/// What the scene of a recorded run cannot hold: functions and laws given in Python; "" where there is nothing.
std::string given_in_python(const record::Schema& schema);

enum class Outcome { finished, interrupted, failed };

struct RunResult {
  Outcome outcome = Outcome::finished;
  std::string error;    ///< the sentence of a failed run
  std::string missing;  ///< the record is whole, but not what lies beside it for other programs: a sentence
  bool bad_input =
      false;  ///< it failed over what the scene asks for: laws that contradict each other, e outside [0, 1]
  scene::Report report;
  double seconds = 0;
};

/// Carries a simulation to its end, or until `stop` says so, writing everything down. `progress` is called now and
/// then. Throws RecordError when the directory cannot be written.
RunResult carry_out(scene::Simulation& simulation, record::Writer& writer, bool begin, double seconds_before,
                    const std::function<bool()>& stop, const std::function<void(const scene::Simulation&)>& progress);

/// Passes what a run finds on to `writer`, which must live as long.
std::unique_ptr<scene::Sink> sink_of(record::Writer& writer);

/// The simulation's bytes with the seconds it has used.
std::string pack(const scene::Simulation& simulation, double seconds);
/// The inverse; returns the seconds.
double unpack(const std::string& state, scene::Simulation& simulation);

}  // namespace ricochet::app
