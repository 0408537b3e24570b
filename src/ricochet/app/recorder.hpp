// A run and its directory: records, checkpoints, and the summary at the end.
#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

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

/// What a program puts into a run that is recorded: an observer, laws and functions of its own.
struct Guest {
  scene::Sink* sink = nullptr;  ///< told what the record is told, after it
  using Ending = std::optional<std::pair<Outcome, std::string>>;
  /// How a run ends out of which that was thrown, with a sentence for a failed one; nothing where the guest did not
  /// throw it, which is then thrown on. The record is ended before the run returns.
  std::function<Ending(const std::exception_ptr&)> explain;
  /// What the guest knows of why a run failed, if anything.
  std::function<std::string()> cause;
};

/// Carries a simulation to its end, or until `stop` says so, writing everything down. `progress` is called now and
/// then. Throws RecordError when the directory cannot be written.
RunResult carry_out(scene::Simulation& simulation, record::Writer& writer, bool begin, double seconds_before,
                    const std::function<bool()>& stop, const std::function<void(const scene::Simulation&)>& progress,
                    const Guest& guest = {});

/// Passes what a run finds on to `writer`, which must live as long.
std::unique_ptr<scene::Sink> sink_of(record::Writer& writer);

/// The simulation's bytes with the seconds it has used.
std::string pack(const scene::Simulation& simulation, double seconds);
/// The inverse; returns the seconds.
double unpack(const std::string& state, scene::Simulation& simulation);

}  // namespace ricochet::app
