// Bundled scenes: where they are, and what a user's SCENE means.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ricochet::app {

struct Bundled {
  std::string name, title;
  std::filesystem::path path;
};

/// The scenes beside the installed program or in the source tree, by name. Empty where neither is found.
std::vector<Bundled> bundled_scenes();

/// The file that `scene` stands for: itself if it exists, else the bundled scene of that name.
std::string find_scene(const std::string& scene);

}  // namespace ricochet::app
