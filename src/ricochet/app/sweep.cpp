#include "ricochet/app/sweep.hpp"

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>

#include "ricochet/app/interpreter.hpp"

namespace ricochet::app {

int sweep(const std::vector<std::string>& words) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path beside = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path() / "python";
  if (fs::exists(beside / "ricochet" / "__main__.py", error)) {
    const char* known = std::getenv("PYTHONPATH");
    const std::string path = beside.string() + (known != nullptr && *known != '\0' ? ":" + std::string(known) : "");
    ::setenv("PYTHONPATH", path.c_str(), 1);
  }
  const std::string python = find_python("ricochet,numpy,h5py");
  if (python.empty()) {
    fmt::print(stderr,
               "ricochet: sweeps need the Python module with numpy and h5py, which were not found; build it with make "
               "python, or install it: pip install --no-build-isolation ./python\n");
    return 1;
  }
  std::vector<std::string> command = {python, "-m", "ricochet", "sweep"};
  command.insert(command.end(), words.begin(), words.end());
  return become(std::move(command));
}

}  // namespace ricochet::app
