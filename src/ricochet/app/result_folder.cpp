#include "ricochet/app/result_folder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "ricochet/record/files.hpp"
#include "ricochet/record/record_error.hpp"

namespace ricochet::app {
namespace {

namespace fs = std::filesystem;

bool holds(const fs::path& dir, const ResultFolder::Kind& kind) {
  std::ifstream table(dir / kind.files.front());
  std::string head;
  return std::getline(table, head) && head.starts_with(kind.head);
}

}  // namespace

ResultFolder::ResultFolder(std::string path, const Kind& kind, bool overwrite) : path_(std::move(path)) {
  const fs::path dir(path_);
  std::error_code error;
  if (fs::exists(dir, error) && !fs::is_directory(dir, error))
    throw record::RecordError(dir, fmt::format("{} is not a directory: choose another one", path_));
  fs::create_directories(dir, error);
  if (error)
    throw record::RecordError(dir, fmt::format("cannot create {}: {}", path_, error.message()),
                              record::fault_of(error.value()));
  bool empty = true, foreign = false;
  for (fs::directory_iterator entry(dir, error), end; !error && entry != end; entry.increment(error)) {
    // What a kill left of a file that was being written is ours, and no result.
    fs::path name = entry->path().filename();
    const bool unfinished = name.extension() == ".tmp";
    if (unfinished) name = name.stem();
    const bool ours = std::find(kind.files.begin(), kind.files.end(), name) != kind.files.end();
    empty = empty && ours && unfinished;
    foreign |= !ours || entry->is_directory(error);
  }
  if (error) throw record::RecordError(dir, fmt::format("cannot read {}: {}", path_, error.message()));
  if (empty) return;
  if (foreign || !holds(dir, kind))
    throw record::RecordError(
        dir, fmt::format("{} is not empty and holds no {} of ricochet: choose another directory", path_, kind.name));
  if (!overwrite)
    throw record::RecordError(
        dir, fmt::format("{} already holds a {}: choose another directory, or ask to overwrite it (--overwrite)", path_,
                         kind.name));
}

void ResultFolder::write(const std::string& name, const std::string& text) const {
  try {
    record::replace_file(fs::path(path_) / name, text, false);
  } catch (const record::RecordError& error) {  // whatever it is: the folder was good when the command began
    throw record::RecordError(error.path(), error.what(), record::RecordError::Fault::disk);
  }
}

}  // namespace ricochet::app
