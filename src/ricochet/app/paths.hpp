// What comes with the program: where it is, and what a user's SCENE means.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ricochet::app {

struct Bundled {
  std::string name, title;
  std::filesystem::path path;
};

/// PREFIX/share/ricochet/<name> of an installed program, or <name>/ in a folder above one that was only built; empty
/// where neither is found.
std::filesystem::path bundled_folder(const std::string& name);

/// The scenes beside the installed program or in the source tree, by name. Empty where neither is found.
std::vector<Bundled> bundled_scenes();

/// The file that `scene` stands for: itself if it exists, else the bundled scene of that name.
std::string find_scene(const std::string& scene);

}  // namespace ricochet::app
