// `if` evaluates the branch taken and no other, also on the way back, whatever the branches share.
#include <gtest/gtest.h>

#include <cmath>

#include "expression/support.hpp"

namespace ricochet::expression::testing {
namespace {

TEST(Conditional, is_safe_where_the_other_branch_is_not) {
  const char* text = "if(x > 0, sqrt(x), 0)";
  EXPECT_EQ(value(text, {"x"}, {4.0}), 2);
  EXPECT_EQ(value(text, {"x"}, {-4.0}), 0);
  EXPECT_EQ(gradient(text, {"x"}, {4.0})[0], 0.25);
  EXPECT_EQ(gradient(text, {"x"}, {-4.0})[0], 0);
  EXPECT_EQ(gradient(text, {"x"}, {0.0})[0], 0);  // an infinite slope that must not be met
  EXPECT_EQ(gradient("x*if(x == 0, 1, sin(x)/x)", {"x"}, {0.0})[0], 1);
}

// A slope of zero times an infinite one is not a number: what is not wanted must be passed over.
TEST(Conditional, slopes_of_what_is_not_selected_are_not_met) {
  EXPECT_EQ(gradient("max(1, sqrt(x))", {"x"}, {0.0})[0], 0);
  EXPECT_EQ(gradient("min(x, sqrt(x) + 1)", {"x"}, {0.0})[0], 1);
  EXPECT_EQ(gradient("floor(sqrt(x)) + x", {"x"}, {0.0})[0], 1);
  EXPECT_EQ(gradient("if(sqrt(x) < 1, x, sqrt(x))", {"x"}, {0.0})[0], 1);
  EXPECT_EQ(gradient("if(log(x) < 1, x, 2)", {"x"}, {-1.0})[0], 0);  // log(-1) < 1 is false
  EXPECT_EQ(gradient("if(sqrt(x)*y < 1, x, y*sqrt(x))", {"x", "y"}, {0.0, 0.0})[0], 1);
}

// s = sqrt(x) is wanted in two branches, neither of which is certain.
TEST(Conditional, computes_what_branches_share_when_it_is_needed) {
  const char* text = "if(a > 0, sqrt(x), 1) + if(b > 0, 3*sqrt(x), 2)";
  const std::vector<std::string> names = {"a", "b", "x"};
  for (const double a : {-1.0, 1.0})
    for (const double b : {-1.0, 1.0}) {
      const double s = (a > 0 ? 1 : 0) + (b > 0 ? 3 : 0);
      EXPECT_EQ(value(text, names, {a, b, 4.0}), (a > 0 ? 2 : 1) + (b > 0 ? 6 : 2));
      EXPECT_EQ(gradient(text, names, {a, b, 4.0})[2], s / 4);
      // with x = 0 the slope of the root is infinite; where it is not wanted it must not be met
      if (s == 0) {
        EXPECT_EQ(gradient(text, names, {a, b, 0.0})[2], 0);
      }
    }
}

TEST(Conditional, shares_with_what_stands_outside) {
  for (const char* text : {"if(a > 0, exp(x)*x, 2) + exp(x)", "exp(x) + if(a > 0, exp(x)*x, 2)"}) {
    const double e = std::exp(0.5);
    EXPECT_EQ(value(text, {"a", "x"}, {1.0, 0.5}), e * 0.5 + e);
    EXPECT_EQ(value(text, {"a", "x"}, {-1.0, 0.5}), 2 + e);
    EXPECT_DOUBLE_EQ(gradient(text, {"a", "x"}, {1.0, 0.5})[1], e * 0.5 + e + e);
    EXPECT_EQ(gradient(text, {"a", "x"}, {-1.0, 0.5})[1], e);
  }
}

// Needed in both branches: computed before the decision, once.
TEST(Conditional, hoists_what_both_branches_need) {
  const Tape tape = compile("if(a > 0, exp(x) + 1, exp(x) + 2)", {"a", "x"});
  const Tape separate = compile("if(a > 0, exp(x) + 1, exp(2*x) + 2)", {"a", "x"});
  EXPECT_LT(tape.length(0), separate.length(0));
  EXPECT_EQ(value("if(a > 0, exp(x) + 1, exp(x) + 2)", {"a", "x"}, {-1.0, 0.0}), 3);
}

// Which of two is computed first depends on the path: u needs v's comparison and the reverse.
TEST(Conditional, orders_by_need) {
  const char* text = "if(a > 0, if(sqrt(x) > 1, sqrt(y), 0), if(sqrt(y) > 1, sqrt(x), 0))";
  const std::vector<std::string> names = {"a", "x", "y"};
  EXPECT_EQ(value(text, names, {1, 4, 9}), 3);
  EXPECT_EQ(value(text, names, {-1, 4, 9}), 2);
  EXPECT_EQ(value(text, names, {1, 0.25, -1}), 0);
  EXPECT_EQ(value(text, names, {-1, -1, 0.25}), 0);
  EXPECT_EQ(gradient(text, names, {1, 4, 9})[2], 1.0 / 6);
  EXPECT_EQ(gradient(text, names, {1, 4, 9})[1], 0);
  EXPECT_EQ(gradient(text, names, {-1, 4, 9})[1], 0.25);
  EXPECT_EQ(gradient(text, names, {1, 0.25, 0})[2], 0);
}

TEST(Conditional, nests) {
  const char* text = "if(x > 1, if(x > 2, x^2, 2*x), if(x > 0, x, if(x > -1, 0, -x)))";
  const auto expected = [](double x) { return x > 1 ? (x > 2 ? x * x : 2 * x) : x > 0 ? x : x > -1 ? 0 : -x; };
  const auto slope = [](double x) { return x > 1 ? (x > 2 ? 2 * x : 2.0) : x > 0 ? 1.0 : x > -1 ? 0 : -1; };
  for (double x = -2.05; x < 4; x += 0.1) {
    EXPECT_EQ(value(text, {"x"}, {x}), expected(x));
    EXPECT_EQ(gradient(text, {"x"}, {x})[0], slope(x));
  }
}

TEST(Conditional, works_across_outputs) {
  TapeBuilder builder({"x"});
  builder.add("if(x > 0, log(x), 0)");
  builder.add("if(x > 0, log(x), 1)");
  builder.add("if(x > 1, 2*log(x), 5)");
  const Tape tape = builder.tape();
  Workspace<double> work(tape);
  double out[3];
  for (const double x : {-1.0, 0.5, 3.0}) {
    tape.evaluate(&x, out, work);
    EXPECT_EQ(out[0], x > 0 ? std::log(x) : 0);
    EXPECT_EQ(out[1], x > 0 ? std::log(x) : 1);
    EXPECT_EQ(out[2], x > 1 ? 2 * std::log(x) : 5);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(tape.evaluate(k, &x, work), out[k]);
  }
}

// Without sharing of shared branches the code would double with every level.
TEST(Conditional, does_not_grow_with_the_number_of_paths) {
  std::vector<Parameter> list = {{"p0", "sqrt(x)"}};
  for (int i = 1; i <= 40; ++i) {
    const std::string p = cat("p", i - 1);
    list.push_back({cat("p", i), cat("if(y > ", i, ", ", p, ", 1) + if(z > ", i, ", ", p, ", 2)")});
  }
  const Tape tape = compile("p40", {"x", "y", "z"}, Parameters(list));
  EXPECT_LT(tape.length(0), 1000u);
  Workspace<double> work(tape);
  const double x[] = {4, 100, 100}, low[] = {-4, 30.5, 20.5};
  double g[3];
  EXPECT_EQ(tape.gradient(0, x, g, work), std::ldexp(2.0, 40));
  EXPECT_EQ(g[0], std::ldexp(0.25, 40));
  EXPECT_EQ(tape.gradient(0, low, g, work), 3);  // y, z < 40: both ifs of p40 take the other branch
  EXPECT_EQ(g[0], 0);
}

TEST(Conditional, chains_deeper_than_any_stack) {
  constexpr int n = 20000;
  std::vector<Parameter> list = {{"p0", "x"}};
  for (int i = 1; i <= n; ++i) list.push_back({cat("p", i), cat("if(x > ", i, ", p", i - 1, ", x*x)")});
  const Tape tape = compile(cat("p", n), {"x"}, Parameters(list));
  Workspace<double> work(tape);
  double x = 2.0 * n, g = 0;
  EXPECT_EQ(tape.gradient(0, &x, &g, work), x);
  EXPECT_EQ(g, 1);
  x = 3;
  EXPECT_EQ(tape.gradient(0, &x, &g, work), 9);
  EXPECT_EQ(g, 6);
}

}  // namespace
}  // namespace ricochet::expression::testing
