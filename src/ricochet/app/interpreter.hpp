// Python, for what the program leaves to it: figures and sweeps.
#pragma once

#include <string>
#include <vector>

namespace ricochet::app {

/// $RICOCHET_PYTHON, else Debian's interpreter (another python3 on the PATH may not see Debian's packages), else
/// python3: the first of at least version 3.11 that finds these modules (separated by commas); empty if none does.
std::string find_python(const std::string& modules);

/// Becomes this command; returns an exit code only where it cannot be started.
int become(std::vector<std::string> words);

}  // namespace ricochet::app
