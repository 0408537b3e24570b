// Balls enclose, series and jets differentiate: every function against long double, on random arguments.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "ricochet/numerics/ball.hpp"
#include "ricochet/numerics/derivative.hpp"
#include "ricochet/numerics/jet.hpp"
#include "ricochet/numerics/root.hpp"
#include "ricochet/numerics/taylor.hpp"

namespace ricochet::numerics {
namespace {

/// Every function of the scalars as one generic functor by number, with the domain it is tried on.
template <class T>
T function(int which, const T& x, const T& y) {
  using std::abs;
  using std::acos;
  using std::asin;
  using std::atan;
  using std::atan2;
  using std::cbrt;
  using std::cos;
  using std::cosh;
  using std::exp;
  using std::hypot;
  using std::log;
  using std::log10;
  using std::max;
  using std::min;
  using std::pow;
  using std::sin;
  using std::sinh;
  using std::sqrt;
  using std::tan;
  using std::tanh;
  switch (which) {
    case 0:
      return sin(x);
    case 1:
      return cos(x);
    case 2:
      return tan(x);
    case 3:
      return exp(x);
    case 4:
      return log(T(3.5) + x);
    case 5:
      return sqrt(T(3.5) + x);
    case 6:
      return cbrt(T(3.5) + x);
    case 7:
      return asin(x / T(4));
    case 8:
      return acos(x / T(4));
    case 9:
      return atan(x);
    case 10:
      return sinh(x);
    case 11:
      return cosh(x);
    case 12:
      return tanh(x);
    case 13:
      return x * y + x / (T(4) + y);
    case 14:
      return pow(x, 3) - pow(T(4) + x, -2);
    case 15:
      return pow(T(4) + x, 2.5);
    case 16:
      return pow(T(4) + x, y);
    case 17:
      return hypot(x, T(4) + y);
    case 18:
      return atan2(y, T(4) + x);
    case 19:
      return abs(x) + min(x, y) * max(x, y);
    case 20:
      return log10(T(3.5) + y);
    default:
      return x - y;
  }
}
constexpr int kFunctions = 22;

TEST(Ball, EnclosesEveryImage) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> at(-2.9, 2.9), unit(-1, 1);
  for (int which = 0; which < kFunctions; ++which)
    for (int trial = 0; trial < 2000; ++trial) {
      const double rx = std::pow(10.0, -6 * std::abs(unit(random))) * 0.5,
                   ry = std::pow(10.0, -6 * std::abs(unit(random))) * 0.5;
      const Ball<double> x(at(random), rx), y(at(random), ry);
      const Ball<double> f = function(which, x, y);
      for (int k = 0; k < 8; ++k) {
        const long double a = x.mid + static_cast<long double>(x.rad) * unit(random);
        const long double b = y.mid + static_cast<long double>(y.rad) * unit(random);
        const long double v = function<long double>(which, a, b);
        if (std::isnan(v)) continue;
        // rounding of the libm behind the enclosure: a few units in the last place
        const long double slack = 8e-16L * (std::abs(v) + 1);
        ASSERT_LE(static_cast<long double>(f.lower()) - slack, v) << which << " at " << x.mid << " ± " << x.rad;
        ASSERT_GE(static_cast<long double>(f.upper()) + slack, v) << which << " at " << x.mid << " ± " << x.rad;
      }
    }
}

TEST(Ball, RadiusShrinksWithTheArgument) {
  // An enclosure that never tightens would pass the test above.
  for (int which = 0; which < kFunctions; ++which) {
    const Ball<double> f = function(which, Ball<double>(0.7, 1e-6), Ball<double>(0.3, 1e-6));
    EXPECT_LE(f.rad, 1e-4) << which;
  }
}

TEST(Ball, DivisionByABallAroundZeroIsEverything) {
  EXPECT_FALSE(isfinite(Ball<double>(1.0) / Ball<double>(0.1, 0.2)));
  EXPECT_EQ((Ball<double>(1.0) / Ball<double>(0.1, 0.2)).rad, HUGE_VAL);
  EXPECT_EQ(hull(Ball<double>::everything(), Ball<double>(1.0)).rad, HUGE_VAL);
  EXPECT_EQ(less(Ball<double>(0, 1), Ball<double>(0.5, 1)), Truth::unknown);
  EXPECT_EQ(less(Ball<double>(0, 1), Ball<double>(2.5, 1)), Truth::yes);
}

/// n-th derivative of t ↦ f(x(t), y(t)) in long double by Cauchy-like high-order differences.
long double derivative(int which, int order, long double x0, long double x1, long double x2, long double y0,
                       long double y1) {
  auto f = [&](long double t) { return function<long double>(which, x0 + x1 * t + x2 * t * t, y0 + y1 * t); };
  const long double h = 2e-3L;
  if (order == 1)
    return (4 * (f(h) - f(-h)) / 5 - (f(2 * h) - f(-2 * h)) / 5 + 4 * (f(3 * h) - f(-3 * h)) / 105 -
            (f(4 * h) - f(-4 * h)) / 280) /
           h;
  return (-205 * f(0) / 72 + 8 * (f(h) + f(-h)) / 5 - (f(2 * h) + f(-2 * h)) / 5 + 8 * (f(3 * h) + f(-3 * h)) / 315 -
          (f(4 * h) + f(-4 * h)) / 560) /
         (h * h);
}

TEST(Taylor, FirstAndSecondDerivativesOfEveryFunction) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> at(-1, 1);
  for (int which = 0; which < kFunctions; ++which)
    for (int trial = 0; trial < 200; ++trial) {
      const double x0 = at(random), x1 = at(random), x2 = at(random), y0 = at(random), y1 = at(random);
      if (which == 19 && (std::abs(x0) < 0.05 || std::abs(x0 - y0) < 0.05)) continue;  // kinks
      Taylor<double, 2> x(x0), y(y0);
      x[1] = x1, x[2] = x2, y[1] = y1;
      const Taylor<double, 2> f = function(which, x, y);
      const double d1 = static_cast<double>(derivative(which, 1, x0, x1, x2, y0, y1));
      const double d2 = static_cast<double>(derivative(which, 2, x0, x1, x2, y0, y1));
      EXPECT_NEAR(f[0], static_cast<double>(function<long double>(which, x0, y0)), 1e-13) << which;
      EXPECT_NEAR(f[1], d1, 1e-10 * (1 + std::abs(d1))) << which;
      EXPECT_NEAR(2 * f[2], d2, 1e-8 * (1 + std::abs(d2))) << which;
    }
}

TEST(Jet, GradientAndHessianOfEveryFunction) {
  std::mt19937_64 random(13);
  std::uniform_real_distribution<double> at(-1, 1);
  for (int which = 0; which < kFunctions; ++which)
    for (int trial = 0; trial < 200; ++trial) {
      const std::array<double, 2> x{at(random), at(random)};
      if (which == 19 && (std::abs(x[0]) < 0.05 || std::abs(x[0] - x[1]) < 0.05)) continue;
      std::array<double, 2> g{}, g2{};
      Eigen::Matrix2d H;
      auto f = [&]<class T>(Point<T> q) { return function<T>(which, q[0], q[1]); };
      gradient<2, double>(f, Point<double>(x), std::span<double>(g));
      hessian<2, double>(f, Point<double>(x), std::span<double>(g2), H);
      const double dx = static_cast<double>(derivative(which, 1, x[0], 1, 0, x[1], 0));
      const double dy = static_cast<double>(derivative(which, 1, x[0], 0, 0, x[1], 1));
      const double xx = static_cast<double>(derivative(which, 2, x[0], 1, 0, x[1], 0));
      const double yy = static_cast<double>(derivative(which, 2, x[0], 0, 0, x[1], 1));
      const double both = static_cast<double>(derivative(which, 2, x[0], 1, 0, x[1], 1));
      EXPECT_NEAR(g[0], dx, 1e-10 * (1 + std::abs(dx))) << which;
      EXPECT_NEAR(g[1], dy, 1e-10 * (1 + std::abs(dy))) << which;
      EXPECT_EQ(g[0], g2[0]);
      EXPECT_NEAR(H(0, 0), xx, 1e-8 * (1 + std::abs(xx))) << which;
      EXPECT_NEAR(H(1, 1), yy, 1e-8 * (1 + std::abs(yy))) << which;
      EXPECT_NEAR(H(0, 1), (both - xx - yy) / 2, 1e-8 * (1 + std::abs(both))) << which;
    }
}

TEST(Derivative, ChunksCoverAnyDimension) {
  // f = Σ_k k x_k² + Π of neighbours, dimension 11: three chunks of the gradient, three of the Hessian.
  auto f = []<class T>(Point<T> x) {
    T y(0);
    for (std::size_t k = 0; k < x.size(); ++k) y += T(static_cast<double>(k)) * x[k] * x[k];
    for (std::size_t k = 0; k + 1 < x.size(); ++k) y += x[k] * x[k + 1];
    return y;
  };
  std::vector<double> x(11), g(11);
  for (std::size_t k = 0; k < 11; ++k) x[k] = 0.1 * static_cast<double>(k) - 0.4;
  Eigen::MatrixXd H(11, 11);
  H.setConstant(99);
  hessian<Eigen::Dynamic, double>(f, Point<double>(x), std::span<double>(g), H);
  for (int i = 0; i < 11; ++i) {
    const auto k = static_cast<std::size_t>(i);
    EXPECT_NEAR(g[k], 2.0 * i * x[k] + (i > 0 ? x[k - 1] : 0) + (i < 10 ? x[k + 1] : 0), 1e-14);
    for (int j = 0; j < 11; ++j) EXPECT_EQ(H(i, j), i == j ? 2.0 * i : (std::abs(i - j) == 1 ? 1.0 : 0.0));
  }
  std::vector<double> g1(11);
  gradient<Eigen::Dynamic, double>(f, Point<double>(x), std::span<double>(g1));
  EXPECT_EQ(g, g1);
}

TEST(Root, IsFoundToTheLastDigit) {
  const auto root = bracketed_root<double>([](double x) { return x * x - 2; }, 1.0, -1.0, 2.0, 2.0);
  EXPECT_NEAR(root.x, std::sqrt(2.0), 2.3e-16);
  const auto fine =
      bracketed_root<long double>([](long double x) { return std::cos(x) - x; }, 0.0L, 1.0L, 1.0L, -0.46L);
  EXPECT_NEAR(static_cast<double>(fine.x - 0.739085133215160641655312087674L), 0, 1e-19);
}

TEST(Root, NearbyTakesTwoEvaluationsWhereTheSlopeIsKnown) {
  int evaluations = 0;
  auto f = [&](double x) {
    ++evaluations;
    return std::cos(x) - x;
  };
  const double exact = 0.73908513321516064166;  // Dottie's number
  const double slope = -std::sin(exact) - 1, curvature = -std::cos(exact), rounding = 1.1e-16;
  const auto root = nearby_root<double>(f, exact + 1e-6, slope * (1 + 1e-4), curvature, 0.0, 1.0, rounding);
  ASSERT_TRUE(root);
  EXPECT_NEAR(*root, exact, 2.3e-16);
  EXPECT_EQ(evaluations, 2);
  // From far it takes more and gets there all the same.
  evaluations = 0;
  const auto far = nearby_root<double>(f, exact + 1e-2, slope, curvature, 0.0, 1.0, rounding);
  ASSERT_TRUE(far);
  EXPECT_NEAR(*far, exact, 2.3e-16);
  EXPECT_GT(evaluations, 2);
}
TEST(Root, NearbyGivesUpRatherThanMislead) {
  auto f = [](double x) { return std::cos(x) - x; };
  EXPECT_FALSE(nearby_root<double>(f, 0.7, 1.7, 0.7, 0.0, 1.0, 1e-16));    // slope of the wrong sign
  EXPECT_FALSE(nearby_root<double>(f, 0.7, -8.0, 0.7, 0.0, 1.0, 1e-16));   // far too steep
  EXPECT_FALSE(nearby_root<double>(f, 0.6, -1.67, 0.7, 0.5, 0.7, 1e-16));  // the root is not in the bracket
  EXPECT_FALSE(nearby_root<double>([](double) { return std::nan(""); }, 0.7, -1.67, 0.7, 0.0, 1.0, 1e-16));
}

}  // namespace
}  // namespace ricochet::numerics
