// The language: what a text means, in numbers written down or computed by C++ itself.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "expression/support.hpp"

namespace ricochet::expression::testing {
namespace {

struct Meaning {
  const char* text;
  double expected;
};

// Not constants for the compiler: its own sinh differs from the run-time one in the last bit.
volatile double hidden[] = {0.7, -1.3, 2.5};
const double x = hidden[0], y = hidden[1], z = hidden[2];

class Grammar : public ::testing::TestWithParam<Meaning> {};

TEST_P(Grammar, means) {
  const Meaning& m = GetParam();
  EXPECT_EQ(value(m.text, {"x", "y", "z", "e"}, {x, y, z, 0.25}), m.expected) << m.text;
}

INSTANTIATE_TEST_SUITE_P(numbers, Grammar,
                         ::testing::ValuesIn(std::vector<Meaning>{{"1", 1},
                                                                  {"1.5", 1.5},
                                                                  {".5", 0.5},
                                                                  {"5.", 5},
                                                                  {"1e-3", 1e-3},
                                                                  {"1E+3", 1000},
                                                                  {"1.e2", 100},
                                                                  {"0.1", 0.1},
                                                                  {"  \t\n 7 \r\n", 7},
                                                                  {"pi", std::numbers::pi},
                                                                  {"e", 0.25},
                                                                  {"2*e", 0.5},
                                                                  {"00012", 12}}));

INSTANTIATE_TEST_SUITE_P(precedence, Grammar,
                         ::testing::ValuesIn(std::vector<Meaning>{{"1+2*3", 7},
                                                                  {"(1+2)*3", 9},
                                                                  {"2-3-4", -5},
                                                                  {"2-(3-4)", 3},
                                                                  {"24/4/2", 3},
                                                                  {"24/4*2", 12},
                                                                  {"2^3^2", 512},
                                                                  {"(2^3)^2", 64},
                                                                  {"-2^2", -4},
                                                                  {"(-2)^2", 4},
                                                                  {"2^-1", 0.5},
                                                                  {"2^-2^2", 0.0625},
                                                                  {"-x^2", -(x* x)},
                                                                  {"2*-3", -6},
                                                                  {"2--3", 5},
                                                                  {"- - -2", -2},
                                                                  {"+2", 2},
                                                                  {"3 - +2", 1},
                                                                  {"-2*3", -6},
                                                                  {"-x*y", -x* y},
                                                                  {"x-y*z", x - y* z},
                                                                  {"x/y*z", x / y* z},
                                                                  {"x/(y*z)", x / (y * z)},
                                                                  {"2*x^2", 2 * (x * x)},
                                                                  {"((((x))))", x}}));

INSTANTIATE_TEST_SUITE_P(functions, Grammar,
                         ::testing::ValuesIn(std::vector<Meaning>{{"sin(x)", std::sin(x)},
                                                                  {"cos(x)", std::cos(x)},
                                                                  {"sin(x)+cos(x)", std::sin(x) + std::cos(x)},
                                                                  {"tan(x)", std::tan(x)},
                                                                  {"asin(x)", std::asin(x)},
                                                                  {"acos(x)", std::acos(x)},
                                                                  {"atan(x)", std::atan(x)},
                                                                  {"atan2(y,x)", std::atan2(y, x)},
                                                                  {"sinh(x)", std::sinh(x)},
                                                                  {"cosh(x)", std::cosh(x)},
                                                                  {"tanh(x)", std::tanh(x)},
                                                                  {"exp(x)", std::exp(x)},
                                                                  {"log(z)", std::log(z)},
                                                                  {"ln(z)", std::log(z)},
                                                                  {"log10(z)", std::log10(z)},
                                                                  {"sqrt(z)", std::sqrt(z)},
                                                                  {"cbrt(y)", std::cbrt(y)},
                                                                  {"abs(y)", 1.3},
                                                                  {"sign(y)", -1},
                                                                  {"sign(x)", 1},
                                                                  {"sign(x-x)", 0},
                                                                  {"min(x,y)", y},
                                                                  {"max(x,y)", x},
                                                                  {"min(x,z,y,1)", y},
                                                                  {"max(x,y,z,1)", z},
                                                                  {"pow(x,z)", std::pow(x, z)},
                                                                  {"x^z", std::pow(x, z)},
                                                                  {"x^1.5", std::pow(x, 1.5)},
                                                                  {"2^x", std::pow(2, x)},
                                                                  {"hypot(x,y)", std::hypot(x, y)},
                                                                  {"floor(y)", -2},
                                                                  {"ceil(y)", -1},
                                                                  {"mod(7,3)", 1},
                                                                  {"mod(-7,3)", 2},
                                                                  {"mod(7,-3)", -2},
                                                                  {"mod(-7,-3)", -1},
                                                                  {"mod(6,3)", 0},
                                                                  {"mod(y,1)", std::fmod(y, 1) + 1}}));

INSTANTIATE_TEST_SUITE_P(powers, Grammar,
                         ::testing::ValuesIn(std::vector<Meaning>{{"x^0", 1},
                                                                  {"x^1", x},
                                                                  {"y^3", y* y* y},
                                                                  {"y^(1+2)", y* y* y},
                                                                  {"x^-1", 1 / x},
                                                                  {"y^-2", 1 / (y * y)},
                                                                  {"y^4", (y * y) * (y * y)},
                                                                  {"pow(y,2)", y* y},
                                                                  {"y*y", y* y},
                                                                  {"y^2.0", y* y}}));

INSTANTIATE_TEST_SUITE_P(conditions, Grammar,
                         ::testing::ValuesIn(std::vector<Meaning>{{"if(x<y,1,2)", 2},
                                                                  {"if(x>y,1,2)", 1},
                                                                  {"if(x<=x,1,2)", 1},
                                                                  {"if(x<x,1,2)", 2},
                                                                  {"if(x>=x,1,2)", 1},
                                                                  {"if(x>x,1,2)", 2},
                                                                  {"if(x==x,1,2)", 1},
                                                                  {"if(x==y,1,2)", 2},
                                                                  {"if(x!=y,1,2)", 1},
                                                                  {"if(x!=x,1,2)", 2},
                                                                  {"if(not x<y,1,2)", 1},
                                                                  {"if(not not x<y,1,2)", 2},
                                                                  {"if(x>0 and y<0,1,2)", 1},
                                                                  {"if(x>0 and y>0,1,2)", 2},
                                                                  {"if(x<0 or y<0,1,2)", 1},
                                                                  {"if(x<0 or y>0,1,2)", 2},
                                                                  // and binds tighter than or
                                                                  {"if(x>0 or x>0 and x<0,1,2)", 1},
                                                                  {"if((x>0 or x>0) and x<0,1,2)", 2},
                                                                  {"if(not x<0 and y<0,1,2)", 1},
                                                                  {"if(x+1 < y*2,1,2)", 2},
                                                                  {"if(1<2,x,y)", x},
                                                                  {"if(x>0,if(y>0,1,2),3)", 2},
                                                                  {"2*if(x>0,3,4)+1", 7}}));

TEST(Grammar, literals_have_both_precisions) {
  EXPECT_EQ(value<double>("0.1"), 0.1);
  EXPECT_EQ(value<long double>("0.1"), 0.1L);
  EXPECT_EQ(value<long double>("1/3"), 1.0L / 3);
  EXPECT_EQ(value<long double>("pi"), std::numbers::pi_v<long double>);
  EXPECT_EQ(value<long double>("x*0.1", {"x"}, {3.0L}), 3.0L * 0.1L);
  EXPECT_NE(0.1L, static_cast<long double>(0.1));
}

TEST(Grammar, comparisons_of_constants_follow_the_precision_of_the_run) {
  const volatile double d1 = 0.1, d2 = 0.2, d3 = 0.3;
  const volatile long double l1 = 0.1L, l2 = 0.2L, l3 = 0.3L;
  const char* text = "if(0.1 + 0.2 == 0.3, 1, 2)";
  ASSERT_NE(d1 + d2 == d3, l1 + l2 == l3);  // else the example shows nothing
  EXPECT_EQ(value<double>(text), d1 + d2 == d3 ? 1 : 2);
  EXPECT_EQ(value<long double>(text), l1 + l2 == l3 ? 1 : 2);
}

// A folded constant must be the number the tape would have computed: the same text with the numbers as variables.
TEST(Grammar, folding_changes_no_bit) {
  const std::vector<std::string> texts = {
      "sin(A)",    "cos(B)",     "sin(A)*cos(A)", "tan(A)",     "exp(B)",     "log(A)",    "log10(A)", "sqrt(A)",
      "cbrt(B)",   "A/B",        "A-B",           "A+B*C",      "A^C",        "B^5",       "B^-7",     "A^17",
      "B^101",     "hypot(A,B)", "atan2(A,B)",    "mod(B,A)",   "sinh(B)",    "cosh(B)",   "tanh(B)",  "asin(C/9)",
      "acos(C/9)", "atan(B)",    "min(A,B)",      "max(A,B,C)", "floor(B*3)", "ceil(B*3)", "sign(B)",  "abs(B)",
      "-B",        "A/4",        "A*1+0",         "(A+B)/C-B^2"};
  const auto replaced = [](std::string text, char name, const std::string& by) {
    for (std::size_t at; (at = text.find(name)) != std::string::npos;) text.replace(at, 1, by);
    return text;
  };
  for (const std::string& text : texts) {
    const std::string folded = replaced(replaced(replaced(text, 'A', "1.37"), 'B', "(-0.83)"), 'C', "2.6");
    ASSERT_TRUE(compile(folded).is_constant(0));
    EXPECT_EQ(value<double>(folded), value<double>(text, {"A", "B", "C"}, {1.37, -0.83, 2.6})) << text;
    EXPECT_EQ(value<long double>(folded), value<long double>(text, {"A", "B", "C"}, {1.37L, -0.83L, 2.6L})) << text;
  }
}

// Powers by multiplication stay within the rounding of a few products.
TEST(Grammar, integer_powers_are_accurate) {
  for (int k = -40; k <= 40; ++k)
    for (const double b : {0.3, -1.7, 3.1}) {
      const long double exact = std::pow(static_cast<long double>(b), static_cast<long double>(k));
      const double got = value(cat("b^", k), {"b"}, {b});
      EXPECT_LE(std::abs(got / exact - 1), 16 * std::numeric_limits<double>::epsilon()) << b << '^' << k;
    }
}

TEST(Grammar, not_a_number_comes_through_without_an_exception) {
  EXPECT_TRUE(std::isnan(value("0/0")));
  EXPECT_TRUE(std::isnan(value("x/x", {"x"}, {0.0})));
  EXPECT_TRUE(std::isnan(value("sqrt(x)", {"x"}, {-1.0})));
  EXPECT_TRUE(std::isnan(value("0*(1/0)")));
  EXPECT_EQ(value("1/0"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(value("-1/0"), -std::numeric_limits<double>::infinity());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* text : {"min(x,1)", "min(1,x)", "max(x,1)", "max(1,x)", "abs(x)", "sign(x)", "mod(x,1)", "0*x"})
    EXPECT_TRUE(std::isnan(value(text, {"x"}, {nan}))) << text;
  // A comparison with NaN is false, != is true.
  for (const char* c : {"x<1", "x<=1", "x>1", "x>=1", "x==1", "x==x"})
    EXPECT_EQ(value(cat("if(", c, ",1,2)"), {"x"}, {nan}), 2) << c;
  EXPECT_EQ(value("if(x!=x,1,2)", {"x"}, {nan}), 1);
  EXPECT_EQ(value("if(not x<1,1,2)", {"x"}, {nan}), 1);
}

}  // namespace
}  // namespace ricochet::expression::testing
