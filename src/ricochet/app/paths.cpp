#include "ricochet/app/paths.hpp"

#include <algorithm>

#include "ricochet/error.hpp"
#include "ricochet/expression/nearest.hpp"
#include "ricochet/scene/document.hpp"

namespace ricochet::app {
namespace {

namespace fs = std::filesystem;

std::string title_of(const fs::path& path) {
  try {
    const auto document = scene::parse_document(scene::read_file(path.string()), path.string());
    if (const auto* title = scene::find(std::get<scene::Table>(document.data), "title"))
      if (const auto* text = std::get_if<std::string>(&title->data)) return *text;
  } catch (const Error&) {
    return "(cannot be read)";
  }
  return {};
}

}  // namespace

fs::path bundled_folder(const std::string& name) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  fs::path installed = program.parent_path().parent_path() / "share" / "ricochet" / name;
  if (fs::is_directory(installed, error)) return installed;
  for (fs::path folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path())
    if (fs::is_directory(folder / name, error) && fs::exists(folder / "CMakeLists.txt", error)) return folder / name;
  return {};
}

std::vector<Bundled> bundled_scenes() {
  std::vector<Bundled> scenes;
  const fs::path folder = bundled_folder("scenes");
  if (folder.empty()) return scenes;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".toml")
      scenes.push_back({entry.path().stem().string(), title_of(entry.path()), entry.path()});
  std::sort(scenes.begin(), scenes.end(), [](const Bundled& a, const Bundled& b) { return a.name < b.name; });
  return scenes;
}

std::string find_scene(const std::string& scene) {
  std::error_code error;
  // A folder of results may have the name of a scene.
  if (fs::exists(scene, error) && !fs::is_directory(scene, error)) return scene;
  std::vector<std::string> names;
  for (const Bundled& bundled : bundled_scenes()) {
    if (bundled.name == scene) return bundled.path.string();
    names.push_back(bundled.name);
  }
  if (fs::exists(scene, error)) return scene;
  throw Error(ErrorKind::bad_scene, scene + ": there is no such file and no bundled scene of that name" +
                                        expression::suggestion(fs::path(scene).stem().string(), names));
}

}  // namespace ricochet::app
