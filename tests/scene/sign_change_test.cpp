// Where sections are crossed: roots, jumps, poles, and functions that are not defined everywhere.
#include "ricochet/scene/sign_change.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ricochet {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), unit = std::numeric_limits<double>::epsilon();

struct Found {
  std::optional<double> s;
  int evaluations;
};
template <class F>
Found change(F f, double length = 1) {
  int evaluations = 0;
  const auto counted = [&](double s) {
    ++evaluations;
    EXPECT_TRUE(s >= 0 && s <= length) << s;
    return f(s);
  };
  return {scene::sign_change(counted, f(0.0), length, f(length)), evaluations};
}

TEST(SignChange, RootsToTheLastBit) {
  // What a smooth function needs is a few evaluations, each of them a flight; measured 6 to 10.
  for (const double root : {0.333, 1e-9, 0.5, 0.999999}) {
    const Found linear = change([&](double s) { return s - root; });
    ASSERT_TRUE(linear.s);
    EXPECT_NEAR(*linear.s, root, unit * root);
    const Found bent = change([&](double s) { return std::exp(3 * (root - s)) - 1; });
    ASSERT_TRUE(bent.s);
    EXPECT_NEAR(*bent.s, root, unit);
    EXPECT_LE(bent.evaluations, 20);
  }
  EXPECT_EQ(change([](double s) { return s - 1; }).s, 1);         // at the end
  EXPECT_EQ(change([](double s) { return s; }).s, std::nullopt);  // at the start: it was sampled before
  EXPECT_EQ(change([](double s) { return s + 1; }).s, std::nullopt);
  // Without a change of sign: at the end, where nobody knows yet what follows, and nowhere else.
  EXPECT_EQ(change([](double s) { return (s - 1) * (s - 1); }).s, 1);
  EXPECT_EQ(change([](double s) { return (s - 0.5) * (s - 0.5); }).s, std::nullopt);
  EXPECT_EQ(change([](double s) { return s * s; }).s, std::nullopt);
  const Found flat = change([](double s) { return std::pow(s - 0.3, 9); });
  ASSERT_TRUE(flat.s);
  EXPECT_NEAR(*flat.s, 0.3, 1e-15);
}

TEST(SignChange, JumpsOnTheirFarSide) {
  for (const double place : {0.333, 1e-12, 0.5, 0.999999999}) {
    for (const double before : {-1.0, -1e-9, 1e9}) {
      const Found jump = change([&](double s) { return s < place ? before : (before > 0 ? -1.0 : 1.0); });
      ASSERT_TRUE(jump.s) << place << " " << before;
      EXPECT_EQ(*jump.s, place);
    }
    const auto half = change([&](double s) { return s < place ? s - place : 2 + s; });  // comes to zero before it
    ASSERT_TRUE(half.s);
    EXPECT_NEAR(*half.s, place, unit * place);
  }
  // Ends that are small by chance.
  EXPECT_EQ(change([](double s) { return (s < 0.4 ? -1 : 1) * (s + 1e-9) * (1 + 1e-9 - s); }).s, 0.4);
}

TEST(SignChange, PolesAreNone) {
  for (const double pole : {0.333, 0.5, 1e-9, 1 - 1e-9, 0.75}) {
    EXPECT_FALSE(change([&](double s) { return 1 / (s - pole); }).s) << pole;
    EXPECT_FALSE(change([&](double s) { return -1e-9 / (s - pole); }).s) << pole;
    EXPECT_FALSE(change([&](double s) { return 1 / std::pow(s - pole, 3); }).s) << pole;
    EXPECT_FALSE(change([&](double s) { return 1 / std::cbrt(s - pole); }).s) << pole;
    EXPECT_FALSE(change([&](double s) { return s < pole ? -1 : 1 / (s - pole); }).s) << pole;  // one side only
  }
  EXPECT_FALSE(change([](double s) { return std::tan(2 * s); }).s);
  EXPECT_FALSE(change([](double s) { return s < 0.3 ? std::log(0.3 - s) : -std::log(s - 0.3); }).s);
  // A root beside a pole.
  const auto found = change([](double s) { return (s - 0.25) / (1.5 - s); });
  ASSERT_TRUE(found.s);
  EXPECT_NEAR(*found.s, 0.25, unit);
}

TEST(SignChange, WhatIsNoNumberIsNone) {
  EXPECT_FALSE(change([](double s) { return s < 0.5 ? 1 : nan; }).s);
  EXPECT_FALSE(change([](double s) { return s < 0.5 ? nan : 1; }).s);
  EXPECT_FALSE(change([](double s) { return s < 0.1 ? -1 : s > 0.9 ? 1 : nan; }).s);
  EXPECT_FALSE(change([](double s) { return std::sqrt(0.5 - s) - 0.3; }).s);
  EXPECT_FALSE(change([](double s) { return std::log(s) + 1; }).s);  // −∞ at the start
}

}  // namespace
}  // namespace ricochet
