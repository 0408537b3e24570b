// Wrong models and wrong steps: refused with one sentence that says what to change.
#include <gtest/gtest.h>

#include "bodies/bar_rows.hpp"
#include "ricochet/bodies/bars.hpp"
#include "ricochet/principle/strong.hpp"

namespace ricochet {
namespace {

using bodies::Bars;
using test::expect_error;

TEST(BadBars, ModelsAreRefused) {
  auto refused = [](ErrorKind kind, const std::string& says, auto&& change) {
    auto spec = test::good_bars();
    change(spec);
    expect_error(kind, says, [&] { Bars<double> bars(spec); });
  };
  const auto invalid = ErrorKind::invalid_model;
  refused(ErrorKind::inadmissible_start, "left and right overlap by 0.2", [](auto& s) { s.bars[1].position = 0.8; });
  refused(ErrorKind::inadmissible_start, "overlap", [](auto& s) { s.walls = {{"W", 0.5}}; });
  refused(invalid, "length of left must be positive", [](auto& s) { s.bars[0].length = 0; });
  refused(invalid, "mass per length of right must be positive", [](auto& s) { s.bars[1].mass = -1; });
  refused(invalid, "modulus of left", [](auto& s) { s.bars[0].modulus = 0; });
  refused(invalid, "at least one element", [](auto& s) { s.bars[0].elements = 0; });
  refused(invalid, "finite", [](auto& s) { s.bars[0].velocity = NAN; });
  refused(invalid, "length of left", [](auto& s) { s.bars[0].length = INFINITY; });
  refused(invalid, "there are no bars", [](auto& s) { s.bars.clear(); });
  refused(invalid, "not convex", [](auto& s) {
    s.bars[0].energy = bodies::BarEnergy<double>::pointwise([](double e) { return -(e - 1) * (e - 1); },
                                                            [](double e) { return -2 * (e - 1); });
  });
}

TEST(BadBars, TimeStepsBeyondTheLimitAreRefusedWithTheLimit) {
  // ℓ/c = 0.1/2
  const Bars<double> body(test::good_bars());
  EXPECT_NEAR(body.stable_step(), 0.05, 1e-15);
  principle::Strong<Bars<double>> run(body, body.start());
  expect_error(ErrorKind::invalid_model, "stability limit 0.05", [&] { run.step(0.051); });
  run.step(0.05);
}

TEST(BadBars, TheLimitIsWhereStepsBecomeUnstable) {
  // Just below it a thousand steps stay bounded; just above, the highest mode grows like e^{2√(2·1e-3)k}.
  auto spec = test::good_bars();
  spec.bars.pop_back();
  spec.bars[0].velocity_at = [](double s) { return std::fmod(std::round(s / 0.1), 2) == 0 ? 0.1 : -0.1; };
  for (const double factor : {0.999, 1.001}) {
    const Bars<double> body(spec);
    const auto& chain = body.chain();
    auto x = body.start();
    bodies::ChainFlight<double> flight;
    bodies::ChainSums<double> sums(chain);
    bodies::Workers workers;
    auto y = x;
    double largest = 0;
    for (int k = 0; k < 1000; ++k) {
      flight.fly(chain, sums, x.q.data(), x.p.data(), y.q.data(), y.p.data(), factor * body.stable_step(), workers);
      std::swap(x, y);
      for (double q : x.q) largest = std::max(largest, std::abs(q));
    }
    EXPECT_EQ(largest > 1e3, factor > 1) << largest;
  }
}

TEST(BadBars, ARunThatBlowsUpStopsAndSaysSo) {
  const Bars<double> body(test::stiffening_bars());
  principle::Strong<Bars<double>> run(body, body.start());
  expect_error(ErrorKind::not_finite, "no longer finite at t = ", [&] { run.run(0.05, 1000); });
}

TEST(BadBars, OrderInTheModelDoesNotMatter) {
  auto spec = test::good_bars();
  std::swap(spec.bars[0], spec.bars[1]);
  const Bars<double> body(spec);
  EXPECT_EQ(body.line().bar(0).name, "left");
  EXPECT_EQ(body.gap_name(0), "left|right");
}

}  // namespace
}  // namespace ricochet
