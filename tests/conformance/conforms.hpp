// What a test expects of a report: nothing found, and every check named has compared something.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ricochet/conformance/report.hpp"

namespace ricochet::test {

/// Checks that any body with a gap that closes takes part in.
inline const std::vector<std::string> always{"names",
                                             "state",
                                             "couple",
                                             "kick",
                                             "covector",
                                             "value",
                                             "rate",
                                             "energies",
                                             "flight",
                                             "flight of length 0",
                                             "order",
                                             "candidates",
                                             "closable",
                                             "enclosure",
                                             "slope enclosure",
                                             "curvature enclosure",
                                             "gap along",
                                             "may be closed"};
/// Those of a symmetric rule without forces, with canonical coordinates that are known.
inline const std::vector<std::string> conservative{"backward flight", "canonical", "energy of the action"};

inline void expect_conforms(const conformance::Report& report, const std::string& what,
                            std::vector<std::string> also = {}) {
  EXPECT_TRUE(report.passed()) << what << "\n" << report.text();
  also.insert(also.end(), always.begin(), always.end());
  for (const std::string& check : also) EXPECT_GT(report.compared(check), 0) << what << ": " << check;
}
inline std::vector<std::string> with(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace ricochet::test
