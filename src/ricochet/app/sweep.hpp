// `ricochet sweep`: many variations of one scene, by the Python module.
#pragma once

#include <string>
#include <vector>

namespace ricochet::app {

/// Hands the words after `sweep` to the module beside the program, or to one that is installed.
int sweep(const std::vector<std::string>& words);

}  // namespace ricochet::app
