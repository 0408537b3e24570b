// What the schemes of the grid owe to their action.
#include <gtest/gtest.h>

#include "bodies/bar_rows.hpp"
#include "principle/grid/bars.hpp"

namespace ricochet {
namespace {

using test::MasslessTips;

TEST(MasslessTips, StepsAreSymplectic) {
  for (bool nonlinear : {false, true}) {
    MasslessTips<long double> run(test::small_bars(nonlinear));
    std::vector<long double> z(run.q().begin(), run.q().end());
    z.insert(z.end(), run.p().begin(), run.p().end());
    const auto n = static_cast<std::ptrdiff_t>(run.q().size());
    bool touched = false;
    const double residual = test::symplectic_residual(z, [&](const std::vector<long double>& x) {
      run.set(0, {x.data(), run.q().size()}, {x.data() + n, run.q().size()});
      run.step(0.05L, 12);
      touched |= run.readings().contact_force(0) > 0;
      std::vector<long double> out(run.q().begin(), run.q().end());
      out.insert(out.end(), run.p().begin(), run.p().end());
      return out;
    });
    EXPECT_TRUE(touched);
    EXPECT_LE(residual, 1e-10);
  }
}

}  // namespace
}  // namespace ricochet
