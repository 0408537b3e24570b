// The tangent of the bundled table: every rule and every closure, elastic and with restitution.
#include <iostream>

#include "impact/systems.hpp"
#include "tangent/against_differences.hpp"

namespace ricochet {
namespace {

TEST(TangentOfTheTable, EveryRuleAndClosureAgainstDifferences) {
  for (const char* closure : {"variational", "reflection", "shadow2", "shadow4", "interpolated"})
    for (const char* rule :
         {"rectangle-left", "rectangle-right", "rectangle", "midpoint", "trapezoid", "yoshida4", "suzuki4"}) {
      if (std::string(closure).starts_with("shadow") && std::string(rule) != "trapezoid") continue;
      test::Trial c{rule, closure, {0.2, 0.1}, {1.1, 0.7}, 0.02, 700, 1, 1e-7L};
      const auto r = test::compare(test::Table{}, c);
      std::cout << closure << " " << rule << " ";
      test::PrintTo(r, &std::cout);
      std::cout << std::endl;
      EXPECT_GE(r.impacts, 10);
      EXPECT_LE(r.error, 1e-9) << closure << " " << rule;
    }
}

}  // namespace
}  // namespace ricochet
