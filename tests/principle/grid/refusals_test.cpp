// Wrong models and wrong steps on the grid: refused with one sentence that says what to change.
#include <gtest/gtest.h>

#include "bodies/bar_rows.hpp"
#include "principle/grid/bars.hpp"

namespace ricochet {
namespace {

using test::expect_error;
using test::good_bars;
using test::MasslessTips;
using test::VirtualTip;

TEST(BadGrid, MasslessTipsNeedSomethingBehindThem) {
  auto spec = good_bars();
  spec.bars[1].elements = 1;
  spec.walls = {{"W", 2.2}};  // both tips of the second bar can be in contact
  expect_error(ErrorKind::invalid_model, "two elements", [&] { MasslessTips<double> run(spec); });
  spec = good_bars();
  spec.bars[0].energy = bodies::BarEnergy<double>::pointwise([](double e) { return e * e * e * e; },
                                                             [](double e) { return 4 * e * e * e; });
  expect_error(ErrorKind::invalid_model, "W'(1) = 0", [&] { MasslessTips<double> run(spec); });
}

TEST(BadGrid, TimeStepsBeyondTheLimitAreRefusedWithTheLimit) {
  // ℓ/c = 0.1/2
  MasslessTips<double> redistributed(good_bars());
  EXPECT_NEAR(redistributed.stable_step(), 0.05, 1e-15);
  expect_error(ErrorKind::invalid_model, "stability limit 0.05", [&] { redistributed.step(0.06); });
  VirtualTip<double> virtual_tip(good_bars());
  EXPECT_LT(virtual_tip.stable_step(), 0.05);  // its short elements
  expect_error(ErrorKind::invalid_model, "stability limit", [&] { virtual_tip.step(0.05); });
}

TEST(BadGrid, ARunThatBlowsUpStopsAndSaysSo) {
  const auto spec = test::stiffening_bars();
  MasslessTips<double> redistributed(spec);
  expect_error(ErrorKind::not_finite, "blew up", [&] { redistributed.step(0.05, 1000); });
  VirtualTip<double> virtual_tip(spec);
  expect_error(ErrorKind::not_finite, "blew up", [&] { virtual_tip.step(0.02, 2000); });
}

}  // namespace
}  // namespace ricochet
