// The commands of the program. Each returns the exit code: 0, 1 for a failed run, 130 for an interrupted one; bad input
// is an exception, and so is a failed run of which nothing is recorded (failure.hpp).
#pragma once

#include <string>
#include <vector>

namespace ricochet::app {

struct RunOptions {
  std::string scene, out;
  std::vector<std::string> overrides;
  bool quiet = false, overwrite = false;
};

int run(const RunOptions& options);
int resume(const std::string& dir, bool quiet);
/// trajectory.h5 of what a killed run had recorded, without computing on.
int recover(const std::string& dir);
int check(const std::string& scene, const std::vector<std::string>& overrides);
int list();

struct CompareOptions {
  std::string scene, out;
  std::vector<std::string> overrides;
  std::vector<double> steps;
  std::string reference;  ///< a table of the exact motion; empty: the finest run
  bool overwrite = false;
};
/// Both principles on one scene over a ladder of steps.
int compare(const CompareOptions& options);
/// The scene's own scheme over a ladder of steps.
int converge(const CompareOptions& options);
int solve_bvp(const std::string& scene, const std::vector<std::string>& overrides);

}  // namespace ricochet::app
