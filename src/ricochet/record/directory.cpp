#include "ricochet/record/directory.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>

#include "ricochet/record/checkpoint.hpp"
#include "ricochet/record/impacts.hpp"
#include "ricochet/record/layout.hpp"
#include "ricochet/record/record_error.hpp"
#include "ricochet/record/record_file.hpp"

namespace ricochet::record {
namespace {

// Where a folder of files grows until it is complete and can take its name.
constexpr const char* scaffold = "running.new";

bool has_impacts_of_ours(const Place& place) {
  const std::string columns = impacts_header({});
  std::string head(columns.size() - 1, '\0');
  try {
    if (!present(place.impacts())) return false;
    const File file(place.impacts(), O_RDONLY);
    const ssize_t got = ::pread(file.fd(), head.data(), head.size(), 0);
    return got == static_cast<ssize_t>(head.size()) && columns.starts_with(head);
  } catch (const RecordError&) {
    return false;
  }
}

/// Whether this is a folder with nothing in it but what lies in running/.
bool holds_frames_alone(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(path, error))) return false;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    fs::path name = entry->path().filename();
    if (name.extension() == ".tmp") name = name.stem();
    if (name != "schema.h5" && name != "progress" && name != "frames" && name != "impacts.csv") return false;
  }
  return !error;
}

/// Whether this is a folder that a killed run left half built.
bool is_scaffold(const fs::path& path) { return path.filename() == scaffold && holds_frames_alone(path); }

/// What a run leaves, in the order in which it is removed.
std::vector<fs::path> files_of(const Place& place) {
  return {place.summary(),    place.report(),     place.fields(), place.derivatives(),
          place.checkpoint(), place.trajectory(), place.impacts()};
}

/// What lies in running/, of a run that goes on or of one that was killed, unless somebody has put something there.
void remove_running(const Place& place) {
  if (holds_frames_alone(place.running())) remove_tree(place.running());
}

/// Throws unless everything of these names can be removed: looked at before the first of them is.
void check_removable(const Place& place) {
  std::error_code ignored;
  for (const fs::path& path : files_of(place))
    if (fs::is_directory(fs::symlink_status(path, ignored)))
      throw RecordError(place.dir, fmt::format("{} is a directory, hence not ours, and in the way", path.string()));
  check_running(place);
}

void build_running(const fs::path& folder, const Schema& schema, const Extent& extent, bool durable) {
  remove_tree(folder);
  make_directory(folder);
  const Extent none{nothing_yet(schema).rows, {}};
  File file(folder / "schema.h5", O_RDWR | O_CREAT | O_TRUNC);
  write_metadata(file, schema, Slots(schema), none);
  if (durable) file.sync();
  file.close();
  write_progress(folder / "progress", extent, durable);
}

template <class Build>
void with_scaffold(const Place& place, Build&& build) {
  if (const fs::path folder = place.dir / scaffold; present(folder) && !is_scaffold(folder))
    throw RecordError(place.dir, fmt::format("{} is not ours and in the way", folder.string()));
  try {
    build(place.dir / scaffold);
  } catch (const RecordError&) {
    std::error_code ignored;
    fs::remove_all(place.dir / scaffold, ignored);
    throw;
  }
}

}  // namespace

void check_running(const Place& place) {
  std::error_code ignored;
  const bool nothing = fs::symlink_status(place.running(), ignored).type() == fs::file_type::not_found;
  if (!nothing && !holds_frames_alone(place.running()))
    throw RecordError(place.dir, fmt::format("{} is not ours and in the way", place.running().string()));
}

Content inspect(const Place& place) {
  std::error_code error;
  const fs::file_status status = fs::status(place.dir, error);
  if (status.type() == fs::file_type::not_found) return Content::absent;
  if (status.type() != fs::file_type::directory) fail("write in", place.dir, error ? error.value() : ENOTDIR);
  bool empty = true;
  for (fs::directory_iterator entry(place.dir, error), end; !error && entry != end; entry.increment(error))
    if (!is_scaffold(entry->path())) empty = false;
  if (error) fail("read", place.dir, error.value());
  if (empty) return Content::empty;
  const bool ours =
      looks_like_record(place.trajectory()) || looks_like_record(place.schema()) || has_impacts_of_ours(place);
  return ours ? Content::run : Content::foreign;
}

void set_up(const Place& place, const Schema& schema, bool overwrite, bool durable) {
  const Content content = inspect(place);
  if (content == Content::foreign)
    throw RecordError(place.dir, fmt::format("{} is not empty and holds no run of ricochet: choose another directory",
                                             place.dir.string()));
  if (content == Content::run && !overwrite)
    throw RecordError(
        place.dir, fmt::format("{} already holds a run: choose another directory, or ask to overwrite it (--overwrite)",
                               place.dir.string()));
  check_removable(place);
  with_scaffold(place, [&](const fs::path& folder) {
    build_running(folder, schema, nothing_yet(schema), durable);
    File(folder / "frames", O_RDWR | O_CREAT | O_TRUNC).close();
    replace_file(folder / "impacts.csv", impacts_header(schema.coordinates), durable);
  });
  for (const fs::path& old : files_of(place))
    if (old != place.impacts()) remove_file(old);  // by which it is known as a run until the new one is there
  remove_tree(place.running());
  rename_file(place.dir / scaffold, place.running());
  rename_file(place.running() / "impacts.csv", place.impacts());
}

void take_up(const Place& place, const Schema& schema, const Extent& extent, bool durable) {
  check_running(place);
  with_scaffold(place, [&](const fs::path& folder) { build_running(folder, schema, extent, durable); });
  remove_tree(place.running());
  rename_file(place.dir / scaffold, place.running());
  rename_file(place.trajectory(), place.frames());
}

void conclude(const Place& place, File& frames, const Schema& schema, const Slots& slots, const Extent& extent,
              bool durable) {
  write_metadata(frames, schema, slots, extent);
  if (durable) frames.sync();
  rename_file(place.frames(), place.trajectory());
  remove_running(place);
}

}  // namespace ricochet::record
