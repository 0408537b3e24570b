// How many steps lead to the end: decimals that are multiples of each other are, whatever their doubles say.
#include "ricochet/scene/step_count.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace ricochet::scene {
namespace {

/// m·10^−places as its decimal says it, rounded once.
double decimal(std::int64_t m, int places) { return std::stod(std::to_string(m) + "e-" + std::to_string(places)); }

TEST(StepCount, MultiplesInDecimalsAreWhole) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i) {
    const auto step = static_cast<std::int64_t>(random() % 999 + 1);
    const std::int64_t n = std::int64_t{1} << (random() % 44), steps = n + static_cast<std::int64_t>(random()) % n;
    const int places = static_cast<int>(random() % 9);
    if (steps <= 0 || steps > (std::int64_t{1} << 53) / step) continue;
    const auto count = StepCount::of(decimal(steps * step, places), decimal(step, places));
    EXPECT_EQ(count.whole, steps) << step << "e-" << places;
    EXPECT_EQ(count.last, 0) << step << "e-" << places;
  }
}

TEST(StepCount, OthersEndWithAShorterStep) {
  for (const std::int64_t steps : {0, 1, 2, 999, 1234567, 90000000}) {
    const auto count = StepCount::of(decimal(10 * steps + 3, 4), decimal(10, 4));
    EXPECT_EQ(count.whole, steps);
    EXPECT_EQ(count.steps(), steps + 1);
    EXPECT_NEAR(count.last, 0.0003, 4e-16 * static_cast<double>(steps) + 1e-18);  // rounding of the end
    EXPECT_EQ(count.length(steps, 0.001), count.last);
    if (steps > 0) {
      EXPECT_EQ(count.length(steps - 1, 0.001), 0.001);
    }
  }
}

TEST(StepCount, ARunHasAtLeastOneStep) {
  const auto count = StepCount::of(1e-12, 0.01);
  EXPECT_EQ(count.steps(), 1);
  EXPECT_EQ(count.length(0, 0.01), 1e-12);
}

}  // namespace
}  // namespace ricochet::scene
