// The files of a run, and whose directory it is: nothing that is not ours is ever touched, and nothing of an old run
// before a new one stands.
//
//   trajectory.h5  impacts.csv  summary.json   what a run leaves
//   checkpoint                                 until it is finished
//   running/                                   while it runs, and after a kill:
//     schema.h5                                  a record without rows: names, units, the scene
//     frames                                     the rows; with HDF5's metadata around them it becomes trajectory.h5
//     progress                                   how many of them there are, at most half a second old
// Where there is a trajectory.h5, it holds all rows, and running/ is a leftover.
#pragma once

#include "ricochet/record/files.hpp"
#include "ricochet/record/schema.hpp"
#include "ricochet/record/slots.hpp"

namespace ricochet::record {

struct Place {
  fs::path dir;

  fs::path trajectory() const { return dir / "trajectory.h5"; }
  fs::path impacts() const { return dir / "impacts.csv"; }
  fs::path summary() const { return dir / "summary.json"; }
  fs::path derivatives() const { return dir / "derivatives.h5"; }
  fs::path fields() const { return dir / "fields.xdmf"; }
  fs::path report() const { return dir / "report.html"; }
  fs::path checkpoint() const { return dir / "checkpoint"; }
  fs::path running() const { return dir / "running"; }
  fs::path schema() const { return running() / "schema.h5"; }
  fs::path frames() const { return running() / "frames"; }
  fs::path progress() const { return running() / "progress"; }
};

enum class Content { absent, empty, run, foreign };

Content inspect(const Place& place);

/// Throws where running/ holds something that is not ours: before it is replaced or removed.
void check_running(const Place& place);

/// Sets a new run up (the directory is locked by the caller): its own files are on disk before anything of a run that
/// was there is removed.
void set_up(const Place& place, const Schema& schema, bool overwrite, bool durable);

/// Turns a merged trajectory.h5 back into the frames of a run that goes on after `extent`.
void take_up(const Place& place, const Schema& schema, const Extent& extent, bool durable);

/// Puts HDF5's metadata around the frames and gives them their name. They stay as they are if that fails.
void conclude(const Place& place, File& frames, const Schema& schema, const Slots& slots, const Extent& extent,
              bool durable);

}  // namespace ricochet::record
