#include "ricochet/app/audit.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "ricochet/app/paths.hpp"
#include "ricochet/app/recorder.hpp"
#include "ricochet/audit/csv.hpp"
#include "ricochet/audit/judge.hpp"
#include "ricochet/error.hpp"
#include "ricochet/record/directory.hpp"
#include "ricochet/record/files.hpp"
#include "ricochet/record/reader.hpp"

namespace ricochet::app {
namespace {

namespace fs = std::filesystem;

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || fs::is_directory(path)) throw Error(ErrorKind::bad_scene, path + ": cannot be read");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

bool is_record(const fs::path& path) { return fs::is_directory(path) || path.extension() == ".h5"; }

audit::Findings findings_of(const AuditOptions& options) {
  if (is_record(options.file)) {
    if (!options.map.empty())
      throw Error(ErrorKind::bad_scene, "--map says what the columns of a CSV are; " + options.file + " is a record");
    if (options.scene.empty() && !options.overrides.empty())
      throw Error(ErrorKind::bad_scene,
                  "--set changes a scene given by --scene; the scene inside of " + options.file + " stays as it ran");
    const record::Reader reader(options.file);
    if (const std::string given = given_in_python(reader.schema()); !given.empty() && options.scene.empty())
      throw Error(ErrorKind::bad_scene, options.file + ": the scene inside cannot hold " + given +
                                            ", given in Python; give one that does by --scene");
    auto model =
        scene::compile(options.scene.empty() ? scene_of(reader.schema())
                                             : scene::load_scene(find_scene(options.scene), options.overrides));
    audit::dynamics_of(*model);  // refuses bars before their columns confuse anybody
    return audit::judge(*model, audit::read_record(reader, *model, options.file));
  }
  if (!fs::exists(options.file)) throw Error(ErrorKind::bad_scene, options.file + ": there is no such file");
  if (options.scene.empty())
    throw Error(ErrorKind::bad_scene, options.file + ": a CSV does not say what moves: give its --scene");
  const auto model = scene::compile(scene::load_scene(find_scene(options.scene), options.overrides));
  const auto dynamics = audit::dynamics_of(*model);
  audit::ColumnMap map;
  if (!options.map.empty()) map = audit::parse_map(scene::read_file(options.map), options.map);
  return audit::judge(*model, audit::parse_csv(read(options.file), options.file, *model, *dynamics, map));
}

/// What is audited, and whatever else a run has left beside it, is not written over.
void require_apart(const std::string& target, const AuditOptions& options) {
  std::error_code error;
  if (target.empty() || fs::is_directory(target, error)) return;
  const auto same = [&](const fs::path& file) { return fs::equivalent(target, file, error) && !error; };
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorKind::bad_scene, "the findings would replace " + target + ", which is " + what);
  };
  if (same(options.file)) refuse("what is to be audited");
  for (const std::string& input : {options.scene, options.map})
    if (!input.empty() && same(input)) refuse("read for them");
  const record::Place run{fs::is_directory(options.file) ? fs::path(options.file)
                                                         : fs::path(options.file).parent_path()};
  for (const auto& file : {run.trajectory(), run.impacts(), run.summary(), run.derivatives(), run.fields(),
                           run.report(), run.checkpoint(), run.schema(), run.frames(), run.progress()})
    if (same(file)) refuse("a part of the run");
}

/// Whether the second of two texts would replace the first; devices take both.
bool one_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::exists(a, error) && !fs::is_regular_file(a, error)) return false;
  return a == b || fs::equivalent(a, b, error);
}

}  // namespace

int audit(const AuditOptions& options) {
  if (!options.expect.empty() && options.expect != "strong" && options.expect != "weak")
    throw Error(ErrorKind::bad_scene, "--expect is strong or weak, not " + options.expect);
  for (const auto& target : {options.json, options.html}) require_apart(target, options);
  if (!options.json.empty() && one_file(options.json, options.html))
    throw Error(ErrorKind::bad_scene, "--json and --html would both be written into " + options.json);
  const audit::Findings findings = findings_of(options);
  if (!options.quiet) fmt::print("{}", audit::to_text(findings));
  std::fflush(stdout);  // a file may be /dev/stdout
  if (!options.json.empty()) record::write_anywhere(options.json, audit::to_json(findings));
  if (!options.html.empty()) record::write_anywhere(options.html, audit::to_html(findings));
  const audit::Grade grade = findings.verdict;
  const bool strong = grade == audit::Grade::strong, weak = grade == audit::Grade::weak;
  if (options.expect == "strong") return strong ? 0 : 1;
  if (options.expect == "weak") return strong || weak ? 0 : 1;
  return strong ? 0 : weak ? 3 : grade == audit::Grade::neither ? 4 : 5;
}

}  // namespace ricochet::app
