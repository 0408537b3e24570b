// The same tape in balls, Taylor series and jets.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include "expression/support.hpp"
#include "expression/tree.hpp"
#include "ricochet/numerics/ball.hpp"
#include "ricochet/numerics/jet.hpp"
#include "ricochet/numerics/taylor.hpp"

namespace ricochet::expression::testing {
namespace {

using numerics::Ball;
using numerics::Jet;
using numerics::Taylor;

// V = 9.81 y + 0.1 y³ + x² sin y: ∇V, and ∇²V v from a gradient in jets, against closed forms.
TEST(Scalars, gradients_in_jets_are_products_with_the_hessian) {
  const Tape tape = compile("9.81*y + 0.1*y^3 + x^2*sin(y)", {"x", "y"});
  using J = Jet<double, 1>;
  Workspace<J> work(tape);
  const double x = 0.4, y = 1.3, v[] = {0.7, -0.2};
  J q[] = {J(x), J(y)}, g[2];
  q[0].d[0] = v[0];
  q[1].d[0] = v[1];
  tape.gradient(0, q, g, work);
  EXPECT_DOUBLE_EQ(g[0].v, 2 * x * std::sin(y));
  EXPECT_DOUBLE_EQ(g[1].v, 9.81 + 0.3 * y * y + x * x * std::cos(y));
  EXPECT_DOUBLE_EQ(g[0].d[0], 2 * std::sin(y) * v[0] + 2 * x * std::cos(y) * v[1]);
  EXPECT_DOUBLE_EQ(g[1].d[0], 2 * x * std::cos(y) * v[0] + (0.6 * y - x * x * std::sin(y)) * v[1]);
}

// All functions at once: the Hessian from jets of the reverse sweep is symmetric and equals that of nested jets.
TEST(Scalars, hessians_agree_with_nested_jets) {
  Forest forest(5);
  int compared = 0;
  for (int n = 0; n < 200; ++n) {
    const TreePtr tree = forest.tree(4);
    const Tape tape = compile(print(*tree), tree_names());
    using J = Jet<long double, 3>;
    using JJ = Jet<J, 3>;
    const long double p[] = {0.31L, 0.87L, -0.53L};
    J x[3], g[3];
    std::vector<JJ> nested;
    for (int i = 0; i < 3; ++i) {
      x[i] = J::variable(p[i], i);
      JJ variable(x[i]);
      variable.d[static_cast<std::size_t>(i)] = J(1);
      nested.push_back(variable);
    }
    Workspace<J> work(tape);
    tape.gradient(0, x, g, work);
    const JJ expected = evaluate(*tree, nested);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        const long double e = expected.d[i].d[k];
        if (!(std::abs(e) < 1e4L)) continue;
        ASSERT_NEAR(double(g[i].d[k]), double(e), 1e-9) << print(*tree);
        ++compared;
      }
  }
  EXPECT_GT(compared, 1000);
}

// φ(q + σv) as a series: the coefficients are the derivatives along the flight.
TEST(Scalars, series_are_derivatives_along_a_line) {
  const Tape tape = compile("y - 0.5*(sin(theta) + cos(theta))", {"y", "theta"});
  using S = Taylor<double, 4>;
  Workspace<S> work(tape);
  S q[] = {S(3.5), S(0.3)};
  q[0][1] = -2;
  q[1][1] = 5;
  const S phi = tape.evaluate(0, q, work);
  const double s = std::sin(0.3), c = std::cos(0.3);
  EXPECT_DOUBLE_EQ(phi[0], 3.5 - 0.5 * (s + c));
  EXPECT_DOUBLE_EQ(phi[1], -2 - 0.5 * 5 * (c - s));
  EXPECT_DOUBLE_EQ(phi[2], -0.5 * 25 / 2 * (-s - c));
  EXPECT_DOUBLE_EQ(phi[3], -0.5 * 125 / 6 * (-c + s));
  EXPECT_DOUBLE_EQ(phi[4], -0.5 * 625 / 24 * (s + c));
}

bool contains(const Ball<double>& b, long double v) {
  return std::isnan(b.mid) || std::isnan(b.rad) || std::abs(v - static_cast<long double>(b.mid)) <= b.rad;
}

// Values and derivatives at points of a box lie in the balls computed from the box.
TEST(Scalars, balls_enclose) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  const std::vector<std::string> texts = {"x*y - sin(x*y)",
                                          "x^2 + x^3 - y^4 + x^7 + x^-2",
                                          "sqrt(x^2 + y^2 + 1) + exp(-x*x) + tanh(y)",
                                          "if(x > 0.2, x^2 + 3, y - x)",
                                          "if(x > 0.2 and y < 0.5, x*y, if(y == 0.3, 5, x - y))",
                                          "min(x, y) + max(x*x, y) + abs(x - y)",
                                          "atan2(y + 3, x) + hypot(x, y + 2) + cbrt(x + 4) + log(y + 5)",
                                          "mod(3*x, 2) + floor(2*y) + ceil(x) + sign(x - 0.1)",
                                          "if(x <= y, exp(x), exp(y)) + if(x != y, 1, 2)",
                                          "(x + 2)^1.5 + 2^y + log10(x + 3) + tan(x/4)"};
  int informative = 0, checked = 0;
  for (const std::string& text : texts) {
    const Tape tape = compile(text, {"x", "y"});
    Workspace<Ball<double>> balls(tape);
    Workspace<long double> numbers(tape);
    for (int n = 0; n < 300; ++n) {
      const double radius = std::pow(10.0, -1 - 3 * (unit(random) + 1));
      const Ball<double> box[] = {{unit(random), radius}, {unit(random), radius}};
      Ball<double> slopes[2];
      const Ball<double> range = tape.gradient(0, box, slopes, balls);
      const Ball<double> again = tape.evaluate(0, box, balls);
      using Bits = std::array<std::uint64_t, 2>;
      EXPECT_EQ(std::bit_cast<Bits>(range), std::bit_cast<Bits>(again)) << text;
      for (int m = 0; m < 5; ++m) {
        const long double x[] = {box[0].mid + 0.999L * radius * unit(random),
                                 box[1].mid + 0.999L * radius * unit(random)};
        long double g[2];
        const long double y = tape.gradient(0, x, g, numbers);
        // Constants are those of double in one and of long double in the other.
        const Ball<double> wide{range.mid, range.rad + 1e-14};
        EXPECT_TRUE(contains(wide, y)) << text << " at " << double(x[0]) << ' ' << double(x[1]);
        for (int i = 0; i < 2; ++i)
          EXPECT_TRUE(contains({slopes[i].mid, slopes[i].rad + 1e-12}, g[i])) << text << " by "
                                                                              << "xy"[i];
        informative += range.rad < 1;
        ++checked;
      }
    }
  }
  EXPECT_GT(informative, checked / 2);  // enclosures that say nothing would pass as well
}

// An undecided condition gives the hull of both branches, and no more.
TEST(Scalars, undecided_conditions_give_the_hull) {
  const Tape tape = compile("if(x > 0, 3, 1)", {"x"});
  Workspace<Ball<double>> work(tape);
  const Ball<double> undecided{0.0, 0.1}, yes{1.0, 0.1}, no{-1.0, 0.1};
  const Ball<double> hull = tape.evaluate(0, &undecided, work);
  EXPECT_LE(std::abs(hull.lower() - 1), 1e-15);
  EXPECT_LE(std::abs(hull.upper() - 3), 1e-15);
  EXPECT_EQ(tape.evaluate(0, &yes, work).mid, 3);
  EXPECT_EQ(tape.evaluate(0, &no, work).rad, 0);
}

TEST(Scalars, even_powers_of_balls_are_not_negative) {
  for (const char* text : {"x^2", "x*x", "x^4"}) {
    const Tape tape = compile(text, {"x"});
    Workspace<Ball<double>> work(tape);
    const Ball<double> x{0.1, 1.0};
    EXPECT_GE(tape.evaluate(0, &x, work).lower(), 0) << text;
  }
}

// Balls of long double, series of balls, jets of series: it compiles and is right at the bottom.
TEST(Scalars, nest) {
  const Tape tape = compile("if(x > 0, x^3 + sin(x)/0.1, cos(x)) + x^1.5 + mod(x, 0.7)", {"x"});
  const long double expected = 0.125L + std::sin(0.5L) / 0.1L + std::pow(0.5L, 1.5L) + 0.5L;
  {
    using T = Taylor<Ball<long double>, 2>;
    Workspace<T> work(tape);
    const T x(Ball<long double>(0.5L));
    EXPECT_NEAR(double(tape.evaluate(0, &x, work)[0].mid - expected), 0, 1e-17);
  }
  {
    using T = Jet<Taylor<double, 2>, 2>;
    Workspace<T> work(tape);
    const T x(Taylor<double, 2>(0.5));
    T g;
    EXPECT_NEAR(tape.gradient(0, &x, &g, work).v[0], double(expected), 1e-14);
    EXPECT_NEAR(g.v[0], 0.75 + std::cos(0.5) / 0.1 + 1.5 * std::sqrt(0.5) + 1, 1e-13);
  }
}

}  // namespace
}  // namespace ricochet::expression::testing
