#include "ricochet/record/writer.hpp"

#include <fcntl.h>
#include <fmt/core.h>

#include <ctime>
#include <stdexcept>
#include <vector>

#include "ricochet/record/digests.hpp"
#include "ricochet/record/directory.hpp"
#include "ricochet/record/record_error.hpp"
#include "ricochet/record/seal.hpp"
#include "ricochet/record/source.hpp"
#include "ricochet/record/sums.hpp"
#include "ricochet/record/table_writer.hpp"

namespace ricochet::record {
namespace {

// The coarse clock costs a few nanoseconds and is good to a few milliseconds.
double now() {
  timespec time;
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// 0 for finite values, NaN as soon as one is not.
double taint(double value) { return value * 0.0; }
double taint(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * 0.0;
  return sum;
}

void check_resumable(const Place& place) {
  const Content content = inspect(place);
  const std::string dir = place.dir.string();
  if (content == Content::absent || content == Content::empty)
    throw RecordError(place.dir, dir + " holds no run to resume");
  if (content == Content::foreign) throw RecordError(place.dir, dir + " holds no run of ricochet");
  if (!present(place.trajectory()) || present(place.checkpoint()) || !present(place.summary())) return;
  if (summary_from_json(read_text(place.summary()), place.summary()).status == "finished")
    throw RecordError(place.dir, dir + " holds a finished run: there is nothing to resume");
}

// A run killed while it was set up may not have its impacts.csv in place.
fs::path waiting_impacts(const Place& place) { return place.running() / "impacts.csv"; }

fs::path where_impacts_are(const Place& place) {
  const fs::path waiting = waiting_impacts(place);
  return present(waiting) ? waiting : place.impacts();
}

void place_impacts(const Place& place) {
  if (const fs::path waiting = waiting_impacts(place); present(waiting)) rename_file(waiting, place.impacts());
}

StoredCheckpoint beginning(const Schema& schema) {
  StoredCheckpoint start;
  start.extent = nothing_yet(schema);
  const std::string header = impacts_header(schema.coordinates);
  start.impact_bytes = header.size();
  start.impact_sum = checksum(header);
  return start;
}

}  // namespace

struct Writer::Impl {
  Place place;
  Options options;
  DirectoryLock lock;
  Schema schema;
  Slots slots;
  File frames;
  std::vector<TableWriter> tables;
  ImpactsWriter impacts;
  Extent on_disk;  ///< what progress says
  NotFinite not_finite;
  double flushed_at = now(), checkpoint_at = now();
  bool done = false;

  /// Continues the run in a directory that is set up, after what the checkpoint says, or at the beginning.
  Impl(const Place& where, DirectoryLock held, const Options& chosen, const Schema& content,
       const StoredCheckpoint& start)
      : place(where),
        options(chosen),
        lock(std::move(held)),
        schema(content),
        slots(content),
        frames(where.frames(), O_RDWR),
        impacts(where.impacts(), content.coordinates.size(), start.impact_bytes, start.impacts, start.impact_sum,
                chosen.durable),
        on_disk(start.extent),
        not_finite(start.not_finite) {
    slots.restore(start.extent);
    for (std::size_t i = 0; i < slots.tables().size(); ++i)
      tables.emplace_back(i, slots, frames, start.extent.rows[i], start.extent.sums[i].full);
  }

  void check_open() const {
    if (done) throw std::logic_error("the record is finished");
  }

  Extent extent() const {
    Extent extent;
    for (const TableWriter& table : tables) {
      extent.rows.push_back(table.rows());
      extent.sums.push_back(table.sum());
    }
    extent.order = slots.order();
    return extent;
  }

  /// On a disk that is full one file may still have room where another has none: all are tried, the first failure is
  /// told.
  void flush() {
    std::exception_ptr failed;
    const auto attempt = [&](auto& file) {
      try {
        file.flush();
      } catch (const RecordError&) {
        if (!failed) failed = std::current_exception();
      }
    };
    for (TableWriter& table : tables) attempt(table);
    attempt(impacts);
    if (failed) std::rethrow_exception(failed);
    if (const Extent current = extent(); current != on_disk) {
      if (options.durable) frames.sync();
      write_progress(place.progress(), current, options.durable);
      on_disk = current;
    }
    flushed_at = now();
  }

  void conclude() {
    flush();
    for (TableWriter& table : tables) table.seal();
    record::conclude(place, frames, schema, slots, on_disk, options.durable);
    done = true;
  }

  void tick() {
    if (now() - flushed_at >= options.flush_seconds) flush();
  }

  void count_not_finite(double t) {
    if (not_finite.rows++ == 0) not_finite.first_t = t;
  }
};

Writer::Writer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;

Writer::~Writer() {
  if (!impl_ || impl_->done) return;
  try {
    impl_->flush();
  } catch (const std::exception&) {  // nobody is left to tell
  }
}

Writer Writer::create(const fs::path& dir, const Schema& schema, const Options& options) {
  validate(schema);
  hear_of_file_size_limits();
  const Place place{dir};
  inspect(place);  // a path that is no directory is refused before anything is made
  make_directory(dir);
  DirectoryLock lock(dir);
  set_up(place, schema, options.overwrite, options.durable);
  return Writer(std::make_unique<Impl>(place, std::move(lock), options, schema, beginning(schema)));
}

std::pair<Writer, std::optional<Checkpoint>> Writer::resume(const fs::path& dir, const Options& options,
                                                            const Accept& accept) {
  hear_of_file_size_limits();
  const Place place{dir};
  if (inspect(place) == Content::absent) check_resumable(place);  // there is nothing to lock
  DirectoryLock lock(dir);
  check_resumable(place);  // a run that was going on may have finished before the lock was had
  check_running(place);
  const std::optional<StoredCheckpoint> stored = read_checkpoint(place.checkpoint());
  const Source source(dir);
  const StoredCheckpoint start = stored ? *stored : beginning(source.schema());
  // Looked at before anything is changed: what the checkpoint promises must be there.
  Slots slots(source.schema());
  bool fits = slots.restore(start.extent);
  for (std::size_t i = 0; fits && i < slots.tables().size(); ++i) fits = start.extent.rows[i] <= source.rows(i);
  if (!fits)
    throw RecordError(dir, fmt::format("the checkpoint in {} does not belong to the records there", dir.string()));
  check_impacts(where_impacts_are(place), source.schema().coordinates, start.impact_bytes, start.impact_sum);
  check_rows(File(source.merged() ? place.trajectory() : place.frames(), O_RDWR), slots, start.extent);
  std::optional<Checkpoint> user;
  if (stored) user = stored->user;
  if (accept) accept(source.schema(), user);
  if (source.merged())
    take_up(place, source.schema(), start.extent, options.durable);
  else
    write_progress(place.progress(), start.extent, options.durable);
  File(place.frames(), O_RDWR).truncate(slots.end());
  place_impacts(place);
  auto impl = std::make_unique<Impl>(place, std::move(lock), options, source.schema(), start);
  remove_file(place.summary());  // it spoke of the part before
  return {Writer(std::move(impl)), std::move(user)};
}

const Schema& Writer::schema() const { return impl_->schema; }
const fs::path& Writer::directory() const { return impl_->place.dir; }
std::size_t Writer::rows(std::size_t table) const { return impl_->tables.at(table).rows(); }
std::size_t Writer::impacts() const { return impl_->impacts.rows(); }
const NotFinite& Writer::not_finite() const { return impl_->not_finite; }

std::size_t Writer::table(std::string_view name) const {
  const std::vector<Table>& all = impl_->slots.tables();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].name == name) return i;
  throw std::out_of_range(fmt::format("the record has no table '{}'", name));
}

void Writer::frame(const Frame& frame, std::size_t table) {
  Impl& impl = *impl_;
  const Schema& schema = impl.schema;
  const std::size_t n = schema.coordinates.size();
  if (table > schema.frame_tables.size() || frame.q.size() != n || frame.p.size() != n ||
      frame.gaps.size() != schema.gaps.size() || frame.momentum.size() != schema.symmetries.size() ||
      frame.extra.size() != schema.extra.size())
    throw std::invalid_argument("a frame must have the sizes of its schema");
  impl.check_open();
  TableWriter& out = impl.tables[table];
  out.begin();
  out.put(col_t, frame.t);
  out.put(col_step, &frame.step, 1);
  out.put(col_q, frame.q.data(), n);
  out.put(col_p, frame.p.data(), n);
  out.put(col_energy, frame.energy);
  out.put(col_discrete_energy, frame.discrete_energy);
  out.put(col_gaps, frame.gaps.data(), frame.gaps.size());
  out.put(col_momentum, frame.momentum.data(), frame.momentum.size());
  for (std::size_t i = 0; i < frame.extra.size(); ++i) out.put(frame_columns + i, frame.extra[i]);
  const double tainted = taint(frame.t) + taint(frame.q) + taint(frame.p) + taint(frame.energy) +
                         taint(frame.discrete_energy) + taint(frame.gaps) + taint(frame.momentum) + taint(frame.extra);
  if (tainted != 0) impl.count_not_finite(frame.t);
  out.end();
  impl.tick();
}

void Writer::row(std::size_t table, std::span<const double> values) {
  impl_->check_open();
  TableWriter& out = impl_->tables.at(table);
  const Table& shape = impl_->slots.tables()[table];
  if (values.size() != shape.row_words())
    throw std::invalid_argument(fmt::format("a row of '{}' must have {} numbers", shape.name, shape.row_words()));
  out.begin();
  std::size_t at = 0;
  for (std::size_t i = 0; i < shape.columns.size(); ++i) {
    out.put(i, values.data() + at, shape.columns[i].width);
    at += shape.columns[i].width;
  }
  if (taint(values) != 0) impl_->count_not_finite(values.front());
  out.end();
  impl_->tick();
}

void Writer::impact(const motion::ImpactView& impact) {
  impl_->check_open();
  impl_->impacts.append(impact);
  const double tainted = taint(impact.t) + taint(impact.alpha) + taint(impact.multipliers) +
                         taint(impact.energy_before) + taint(impact.energy_after) + taint(impact.q) +
                         taint(impact.p_minus) + taint(impact.p_plus);
  if (tainted != 0) impl_->count_not_finite(impact.t);
  impl_->tick();
}

void Writer::tick() {
  if (!impl_->done) impl_->tick();
}

void Writer::flush() {
  if (!impl_->done) impl_->flush();
}

void Writer::checkpoint(const Checkpoint& checkpoint) {
  impl_->check_open();
  impl_->flush();
  const ImpactsWriter& impacts = impl_->impacts;
  const StoredCheckpoint stored{checkpoint,      impl_->on_disk, impacts.rows(),
                                impacts.bytes(), impacts.sum(),  impl_->not_finite};
  write_checkpoint(impl_->place.checkpoint(), stored, impl_->options.durable);
  impl_->checkpoint_at = now();
}

double Writer::seconds_since_checkpoint() const { return now() - impl_->checkpoint_at; }

void Writer::finish(const Summary& summary, const std::function<void()>& beside) {
  impl_->check_open();
  const Place& place = impl_->place;
  Summary announced = summary;
  if (const NotFinite& bad = impl_->not_finite; bad.rows > 0)
    announced.notes.push_back(
        fmt::format("{} recorded rows hold numbers that are not finite, the first at t = {}", bad.rows, bad.first_t));
  if (const auto word = impl_->schema.attributes.find("closure");
      word != impl_->schema.attributes.end() && !summary.closure.empty())
    word->second = summary.closure;
  impl_->conclude();
  if (beside) beside();
  announced.digests = digests_of(place, impl_->impacts.sum());
  replace_file(place.summary(), to_json(announced), impl_->options.durable);
  if (summary.status == "finished") remove_file(place.checkpoint());
}

void Writer::repair(const fs::path& dir) {
  hear_of_file_size_limits();
  const Place place{dir};
  DirectoryLock lock(dir);
  const Source source(dir);
  check_running(place);
  if (source.merged()) return remove_tree(place.running());
  check_rows(File(place.frames(), O_RDONLY), source.slots(), source.extent());
  if (const auto stored = read_checkpoint(place.checkpoint()))
    check_impacts(where_impacts_are(place), source.schema().coordinates, stored->impact_bytes, stored->impact_sum);
  place_impacts(place);
  const ImpactsExtent impacts = count_impacts(place.impacts(), source.schema().coordinates);
  const StoredCheckpoint all{{}, source.extent(), impacts.rows, impacts.bytes, 0, {}};  // no checkpoint follows
  Impl(place, std::move(lock), {}, source.schema(), all).conclude();
}

}  // namespace ricochet::record
