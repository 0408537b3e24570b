// `ricochet audit`: which principle does a motion satisfy?
#pragma once

#include <string>
#include <vector>

namespace ricochet::app {

struct AuditOptions {
  std::string file, scene, map, expect, json, html;
  std::vector<std::string> overrides;
  bool quiet = false;
};

/// Exit codes: 0 strong (or what is expected, or better), 3 weak, 4 neither; with `expect` 1 where it is not met.
int audit(const AuditOptions& options);

}  // namespace ricochet::app
