// The reverse sweep against closed forms and against central differences in long double.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "expression/support.hpp"

namespace ricochet::expression::testing {
namespace {

using Real = long double;

struct Slope {
  const char* text;
  std::function<Real(Real, Real)> by_x, by_y;
};

constexpr Real x0 = 0.6L, y0 = -1.4L;

Real zero(Real, Real) { return 0; }

const std::vector<Slope>& slopes() {
  static const std::vector<Slope> list = {
      {"x + y", [](Real, Real) { return 1.0L; }, [](Real, Real) { return 1.0L; }},
      {"x - y", [](Real, Real) { return 1.0L; }, [](Real, Real) { return -1.0L; }},
      {"3 - y", zero, [](Real, Real) { return -1.0L; }},
      {"x*y", [](Real, Real y) { return y; }, [](Real x, Real) { return x; }},
      {"x/y", [](Real, Real y) { return 1 / y; }, [](Real x, Real y) { return -x / (y * y); }},
      {"3/y", zero, [](Real, Real y) { return -3 / (y * y); }},
      {"x/3", [](Real, Real) { return 1 / 3.0L; }, zero},
      {"-x", [](Real, Real) { return -1.0L; }, zero},
      {"x*x", [](Real x, Real) { return 2 * x; }, zero},
      {"x^2", [](Real x, Real) { return 2 * x; }, zero},
      {"x^3", [](Real x, Real) { return 3 * x * x; }, zero},
      {"y^7", zero, [](Real, Real y) { return 7 * std::pow(y, 6.0L); }},
      {"y^-3", zero, [](Real, Real y) { return -3 / std::pow(y, 4.0L); }},
      {"x^2.5", [](Real x, Real) { return 2.5L * std::pow(x, 1.5L); }, zero},
      {"x^y", [](Real x, Real y) { return y * std::pow(x, y - 1); },
       [](Real x, Real y) { return std::pow(x, y) * std::log(x); }},
      {"2^y", zero, [](Real, Real y) { return std::pow(2.0L, y) * std::log(2.0L); }},
      {"sin(x*y)", [](Real x, Real y) { return y * std::cos(x * y); },
       [](Real x, Real y) { return x * std::cos(x * y); }},
      {"cos(y)", zero, [](Real, Real y) { return -std::sin(y); }},
      {"sin(x)*cos(x)", [](Real x, Real) { return std::cos(2 * x); }, zero},
      {"tan(x)", [](Real x, Real) { return 1 / (std::cos(x) * std::cos(x)); }, zero},
      {"asin(x)", [](Real x, Real) { return 1 / std::sqrt(1 - x * x); }, zero},
      {"acos(x)", [](Real x, Real) { return -1 / std::sqrt(1 - x * x); }, zero},
      {"atan(y)", zero, [](Real, Real y) { return 1 / (1 + y * y); }},
      {"atan2(y, x)", [](Real x, Real y) { return -y / (x * x + y * y); },
       [](Real x, Real y) { return x / (x * x + y * y); }},
      {"atan2(1, x)", [](Real x, Real) { return -1 / (x * x + 1); }, zero},
      {"atan2(x, 1)", [](Real x, Real) { return 1 / (x * x + 1); }, zero},
      {"sinh(y)", zero, [](Real, Real y) { return std::cosh(y); }},
      {"cosh(y)", zero, [](Real, Real y) { return std::sinh(y); }},
      {"tanh(y)", zero, [](Real, Real y) { return 1 / (std::cosh(y) * std::cosh(y)); }},
      {"exp(x*y)", [](Real x, Real y) { return y * std::exp(x * y); },
       [](Real x, Real y) { return x * std::exp(x * y); }},
      {"log(x)", [](Real x, Real) { return 1 / x; }, zero},
      {"log10(x)", [](Real x, Real) { return 1 / (x * std::log(10.0L)); }, zero},
      {"sqrt(x)", [](Real x, Real) { return 0.5L / std::sqrt(x); }, zero},
      {"cbrt(y)", zero, [](Real, Real y) { return std::cbrt(y) / (3 * y); }},
      {"abs(y)*abs(x)", [](Real, Real y) { return -y; }, [](Real x, Real) { return -x; }},
      {"sign(x)*y", zero, [](Real, Real) { return 1.0L; }},
      {"min(x, y)", zero, [](Real, Real) { return 1.0L; }},
      {"max(x, y)", [](Real, Real) { return 1.0L; }, zero},
      {"min(x, 2)", [](Real, Real) { return 1.0L; }, zero},
      {"max(x, 2)", zero, zero},
      {"hypot(x, y)", [](Real x, Real y) { return x / std::hypot(x, y); },
       [](Real x, Real y) { return y / std::hypot(x, y); }},
      {"floor(x)*x + ceil(x)", zero, zero},
      {"mod(5*x, y)", [](Real, Real) { return 5.0L; }, [](Real x, Real y) { return -std::floor(5 * x / y); }},
      {"if(x > y, x*y, x - y)", [](Real, Real y) { return y; }, [](Real x, Real) { return x; }},
      {"if(x < y, x*y, x - y)", [](Real, Real) { return 1.0L; }, [](Real, Real) { return -1.0L; }},
      {"x", [](Real, Real) { return 1.0L; }, zero},
      {"7", zero, zero},
  };
  return list;
}

template <class T>
void expect_closed_forms(Real tolerance) {
  for (const Slope& s : slopes()) {
    const std::vector<T> g = gradient<T>(s.text, {"x", "y"}, {T(x0), T(y0)});
    const Real x = T(x0), y = T(y0), expected[] = {s.by_x(x, y), s.by_y(x, y)};
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_LE(std::abs(Real(g[i]) - expected[i]), tolerance * std::max(1.0L, std::abs(expected[i])))
          << s.text << " by "
          << "xy"[i];
  }
}

// A few roundings of each formula.
TEST(Derivatives, have_their_closed_forms) { expect_closed_forms<double>(8 * std::numeric_limits<double>::epsilon()); }
TEST(Derivatives, have_their_closed_forms_in_long_double) {
  expect_closed_forms<long double>(8 * std::numeric_limits<long double>::epsilon());
}

// Fourth-order central differences: truncation h⁴ f⁽⁵⁾/30 ≈ 1e-12·f⁽⁵⁾ with h = 1e-3, rounding ε/h ≈ 1e-16.
TEST(Derivatives, agree_with_differences) {
  for (const Slope& s : slopes()) {
    const Tape tape = compile(s.text, {"x", "y"});
    Workspace<Real> work(tape);
    Real x[] = {x0, y0}, g[2];
    const Real f = tape.gradient(0, x, g, work);
    EXPECT_EQ(f, tape.evaluate(0, x, work)) << s.text;
    constexpr Real h = 1e-3L;
    for (int i = 0; i < 2; ++i) {
      const auto at = [&](Real d) {
        Real shifted[] = {x0, y0};
        shifted[i] += d;
        return tape.evaluate(0, shifted, work);
      };
      const Real difference = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
      EXPECT_NEAR(double(g[i]), double(difference), 1e-9) << s.text << " by "
                                                          << "xy"[i];
    }
  }
}

TEST(Derivatives, of_powers_are_exact_at_zero) {
  EXPECT_EQ(gradient("x^2", {"x"}, {0.0})[0], 0);
  EXPECT_EQ(gradient("x^3", {"x"}, {0.0})[0], 0);
  EXPECT_EQ(gradient("x^5", {"x"}, {0.0})[0], 0);
  EXPECT_EQ(gradient("x^40", {"x"}, {0.0})[0], 0);
  EXPECT_EQ(gradient("x^1", {"x"}, {0.0})[0], 1);
  EXPECT_EQ(gradient("x^0", {"x"}, {0.0})[0], 0);
  EXPECT_EQ(gradient("x^2.5", {"x"}, {0.0})[0], 0);
  EXPECT_EQ(gradient("(x-1)^4", {"x"}, {1.0})[0], 0);
  const std::vector<double> g = gradient("x^y", {"x", "y"}, {0.0, 2.0});
  EXPECT_EQ(g[0], 0);
  EXPECT_EQ(g[1], 0);
}

TEST(Derivatives, of_one_output_do_not_remember_another) {
  TapeBuilder builder({"x", "y"});
  builder.add("sin(x)*y");
  builder.add("sin(x) + exp(y)");
  builder.add("y");
  builder.add("4");
  const Tape tape = builder.tape();
  Workspace<double> work(tape);
  const double x[] = {0.3, 0.8};
  double g[2];
  for (int repeat = 0; repeat < 3; ++repeat) {
    EXPECT_EQ(tape.gradient(0, x, g, work), std::sin(0.3) * 0.8);
    EXPECT_EQ(g[0], 0.8 * std::cos(0.3));
    EXPECT_EQ(g[1], std::sin(0.3));
    EXPECT_EQ(tape.gradient(1, x, g, work), std::sin(0.3) + std::exp(0.8));
    EXPECT_EQ(g[0], std::cos(0.3));
    EXPECT_EQ(g[1], std::exp(0.8));
    EXPECT_EQ(tape.gradient(2, x, g, work), 0.8);
    EXPECT_EQ(g[0], 0);
    EXPECT_EQ(g[1], 1);
    EXPECT_EQ(tape.gradient(3, x, g, work), 4);
    EXPECT_EQ(g[0], 0);
    EXPECT_EQ(g[1], 0);
  }
}

// Affine outputs have their derivatives from the start; the code that serves them is another.
TEST(Derivatives, of_affine_outputs_are_constants) {
  TapeBuilder builder({"x", "y", "z"});
  builder.add("3*x - (z - 2)/7 + x - -z");
  builder.add("x*y");
  builder.add("5 - y");
  const Tape tape = builder.tape();
  EXPECT_TRUE(tape.is_affine(0));
  EXPECT_FALSE(tape.is_affine(1));
  EXPECT_TRUE(tape.is_affine(2));
  Workspace<Real> work(tape);
  const Real x[] = {0.3L, 0.8L, -1.1L};
  Real g[3];
  EXPECT_EQ(tape.gradient(0, x, g, work), 3 * x[0] - (x[2] - 2) / 7 + x[0] + x[2]);
  EXPECT_EQ(g[0], 4);
  EXPECT_EQ(g[1], 0);
  EXPECT_EQ(g[2], 1 - 1 / 7.0L);
  tape.gradient(1, x, g, work);
  EXPECT_EQ(g[0], x[1]);
  EXPECT_EQ(g[1], x[0]);
  EXPECT_EQ(tape.gradient(2, x, g, work), 5 - x[1]);
  EXPECT_EQ(g[0], 0);
  EXPECT_EQ(g[1], -1);
}

// The star's corner, in the arithmetic of the C++ star: y − L/2(sin θ + cos θ).
TEST(Derivatives, reproduce_the_star_to_the_last_bit) {
  const Parameters p({{"L", 1.0}});
  TapeBuilder builder({"x", "y", "theta"}, p);
  const double signs[4][2] = {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
  builder.add("y - L/2*(sin(theta)+cos(theta))");
  builder.add("y - L/2*(sin(theta)-cos(theta))");
  builder.add("y - L/2*(-sin(theta)+cos(theta))");
  builder.add("y - L/2*(-sin(theta)-cos(theta))");
  const Tape tape = builder.tape();
  Workspace<double> work(tape);
  for (int k = 0; k < 1000; ++k) {
    const double q[] = {0.1 * k, 3.5 - 0.001 * k, 0.01 * k}, s = std::sin(q[2]), c = std::cos(q[2]);
    double all[4], g[3];
    tape.evaluate(q, all, work);
    for (int i = 0; i < 4; ++i) {
      const double a = signs[i][0], b = signs[i][1];
      EXPECT_EQ(all[i], q[1] - 0.5 * (a * s + b * c));
      EXPECT_EQ(tape.gradient(i, q, g, work), all[i]);
      EXPECT_EQ(g[0], 0);
      EXPECT_EQ(g[1], 1);
      EXPECT_EQ(g[2], -0.5 * (a * c - b * s));
    }
  }
}

}  // namespace
}  // namespace ricochet::expression::testing
