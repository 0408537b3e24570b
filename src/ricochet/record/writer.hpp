// A run's pen. It buffers, lets a run be resumed, and ends with three files:
//   DIR/trajectory.h5   DIR/impacts.csv   DIR/summary.json
// At most `flush_seconds` of records are lost to kill −9 (directory.hpp says what lies where until a run has ended).
// The finished files depend on what was recorded, never on when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "ricochet/record/checkpoint.hpp"
#include "ricochet/record/files.hpp"
#include "ricochet/record/impacts.hpp"
#include "ricochet/record/schema.hpp"
#include "ricochet/record/summary.hpp"

namespace ricochet::record {

/// One row of a table of frames; the spans have the sizes the schema promised.
struct Frame {
  double t = 0;
  std::int64_t step = 0;
  std::span<const double> q, p;
  double energy = 0, discrete_energy = 0;
  std::span<const double> gaps, momentum, extra;
};

struct WriterOptions {
  bool overwrite = false;      ///< replace a run that is already there
  bool durable = false;        ///< fsync: survive a power failure too, at the price of the disk's pace
  double flush_seconds = 0.5;  ///< nothing stays in memory longer, as long as the writer is called
};

class Writer {
 public:
  using Options = WriterOptions;

  /// A new run in `dir`, which is created, empty, or (with `overwrite`) holds an earlier run.
  static Writer create(const fs::path& dir, const Schema& schema, const Options& options = {});
  using Accept = std::function<void(const Schema&, const std::optional<Checkpoint>&)>;
  /// An interrupted or killed run, its records cut back to the last checkpoint; without one it starts at the beginning.
  /// `accept` sees what is there before anything is changed, and throws if it cannot go on from there.
  static std::pair<Writer, std::optional<Checkpoint>> resume(const fs::path& dir, const Options& options = {},
                                                             const Accept& accept = {});

  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  ~Writer();  ///< brings to disk what it still can

  const Schema& schema() const;
  const fs::path& directory() const;
  /// The number of a table: 0 is the trajectory, then the frame tables, then the datasets, as in the schema.
  std::size_t table(std::string_view name) const;
  std::size_t rows(std::size_t table = 0) const;
  std::size_t impacts() const;
  const NotFinite& not_finite() const;

  void frame(const Frame& frame, std::size_t table = 0);
  /// A row of a dataset: its columns one after the other.
  void row(std::size_t table, std::span<const double> values);
  void impact(const motion::ImpactView& impact);
  /// To be called now and then when nothing is recorded: brings to disk what has waited `flush_seconds`.
  void tick();
  void flush();

  /// Everything recorded so far is on disk before the checkpoint is.
  void checkpoint(const Checkpoint& checkpoint);
  double seconds_since_checkpoint() const;

  /// Makes trajectory.h5 of the frames, lets `beside` make what else is to lie beside it, and writes summary.json. A
  /// run with the status "finished" leaves nothing else behind; any other keeps its checkpoint and can be resumed. The
  /// writer is done afterwards. Where the summary names the closure, the attribute of that name says the same.
  void finish(const Summary& summary, const std::function<void()>& beside = {});

  /// Makes trajectory.h5 of what a killed run left, and ends impacts.csv at its last whole line. It can still be
  /// resumed. Nothing to do is no error.
  static void repair(const fs::path& dir);

 private:
  struct Impl;
  explicit Writer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ricochet::record
