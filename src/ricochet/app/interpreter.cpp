#include "ricochet/app/interpreter.hpp"

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace ricochet::app {
namespace {

bool knows(const std::string& python, const std::string& modules) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stderr) == nullptr) ::_exit(1);
    ::execlp(python.c_str(), python.c_str(), "-s", "-c",
             "import importlib.util as u, sys; "
             "sys.exit(sys.version_info < (3, 11) or not all(map(u.find_spec, sys.argv[1].split(','))))",
             modules.c_str(), nullptr);
    ::_exit(1);
  }
  int status = 1;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

std::string find_python(const std::string& modules) {
  const char* chosen = std::getenv("RICOCHET_PYTHON");
  if (chosen != nullptr && *chosen != '\0') return knows(chosen, modules) ? chosen : "";
  for (const char* python : {"/usr/bin/python3", "python3"})
    if (knows(python, modules)) return python;
  return {};
}

int become(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::fflush(stdout);
  ::execvp(arguments[0], arguments.data());
  fmt::print(stderr, "ricochet: {} could not be started\n", words[0]);
  return 1;
}

}  // namespace ricochet::app
