// Sharing, introspection, printing, and that evaluation allocates nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "expression/allocations.hpp"
#include "expression/support.hpp"

namespace ricochet::expression::testing {
namespace {

TEST(Tape, computes_common_subexpressions_once) {
  TapeBuilder builder({"x", "y"});
  builder.add("exp(x*y) + 1");
  builder.add("2*exp(y*x)");
  builder.add("exp(x*y) + 1");
  const Tape tape = builder.tape();
  EXPECT_EQ(tape.length(0), 4u);  // product, exp, sum, stop
  EXPECT_EQ(tape.length(1), 4u);
  EXPECT_EQ(tape.length(), 5u);  // product, exp, sum, double, stop
}

TEST(Tape, computes_sine_and_cosine_together) {
  EXPECT_EQ(compile("sin(x)*cos(x)", {"x"}).length(0), 3u);
  EXPECT_EQ(compile("sin(x)*cos(y)", {"x", "y"}).length(0), 4u);
}

TEST(Tape, simplifies_only_what_is_exact) {
  const auto printed = [](const char* text) { return compile(text, {"x", "y"}).print(0); };
  EXPECT_EQ(printed("x*1"), "x");
  EXPECT_EQ(printed("1*x/1"), "x");
  EXPECT_EQ(printed("x-0"), "x");
  EXPECT_EQ(printed("--x"), "x");
  EXPECT_EQ(printed("-1*x"), "-x");
  EXPECT_EQ(printed("x + -y"), "x - y");
  EXPECT_EQ(printed("x/4"), "x*0.25");
  EXPECT_EQ(printed("x/3"), "x/3");
  EXPECT_EQ(printed("0*x"), "0*x");    // not for infinite x
  EXPECT_EQ(printed("x-x"), "x - x");  // the same
  EXPECT_EQ(printed("x+0"), "x + 0");  // not for x = -0
  EXPECT_EQ(printed("3*(2*x)"), "3*(2*x)");
  EXPECT_EQ(value("1/(x+0)", {"x"}, {-0.0}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(value("1/(x-0)", {"x"}, {-0.0}), -std::numeric_limits<double>::infinity());
}

TEST(Tape, knows_what_it_depends_on) {
  const Parameters p({{"m", 2.0}, {"k", "x^2"}});
  TapeBuilder builder({"x", "y", "t"}, p);
  builder.add("m*3");
  builder.add("m*y");
  builder.add("k + t");
  builder.add("if(y > 0, 1, 2)");
  const Tape tape = builder.tape();
  EXPECT_TRUE(tape.is_constant(0));
  EXPECT_FALSE(tape.is_constant(1));
  const bool expected[4][3] = {{false, false, false}, {false, true, false}, {true, false, true}, {false, true, false}};
  for (int o = 0; o < 4; ++o)
    for (int s = 0; s < 3; ++s) EXPECT_EQ(tape.depends_on(o, s), expected[o][s]) << o << ' ' << s;
  EXPECT_FALSE(tape.depends_on(1, 7));
  EXPECT_FALSE(tape.depends_on(1, -1));
  EXPECT_EQ(tape.inputs(2).size(), 2u);
  EXPECT_EQ(tape.variables(), 3);
  EXPECT_EQ(tape.outputs(), 4);
  EXPECT_EQ(tape.variable_name(2), "t");
}

TEST(Tape, prints_what_it_understood) {
  const auto printed = [](const char* text) { return compile(text, {"x", "y"}).print(0); };
  EXPECT_EQ(printed("-(x+y)*2"), "-(x + y)*2");
  EXPECT_EQ(printed("x-(y-1)"), "x - (y - 1)");
  EXPECT_EQ(printed("(x^2)^y"), "(x^2)^y");
  EXPECT_EQ(printed("x^y^2"), "x^y^2");
  EXPECT_EQ(printed("(-x)^2"), "(-x)^2");
  EXPECT_EQ(printed("-x^2"), "-x^2");
  EXPECT_EQ(printed("(-2)^x"), "(-2)^x");
  EXPECT_EQ(printed("x/(y/3)"), "x/(y/3)");
  EXPECT_EQ(printed("if(x>=0 and not (y!=1 or x<y), min(x,y), pi*x)"),
            "if(0 <= x and not (y != 1 or x < y), min(x, y), pi*x)");
  EXPECT_EQ(printed("9.81*y - 0.1"), "9.81*y - 0.1");
}

TEST(Tape, evaluates_without_allocating) {
  TapeBuilder builder({"x", "y"});
  builder.add("if(x > 0, sqrt(x)*sin(y), exp(x)) + if(y > 0, exp(x), sin(y)) + x^7");
  builder.add("if(x > 0 and y > 1, exp(x), 2)");
  const Tape tape = builder.tape();
  Workspace<double> work(tape);
  double x[] = {0.5, 1.5}, out[2], g[2];
  const long before = allocations();
  for (int k = 0; k < 100; ++k) {
    x[0] = -x[0];
    tape.evaluate(x, out, work);
    tape.evaluate(1, x, work);
    tape.gradient(0, x, g, work);
  }
  EXPECT_EQ(allocations(), before);
  Workspace<double> another(tape);
  EXPECT_GT(allocations(), before);  // the counter counts
}

TEST(Tape, serves_threads_with_a_workspace_each) {
  const Tape tape = compile("sin(x)*if(y > 0, exp(y), cos(x)) + x*y", {"x", "y"});
  const auto sum = [&tape] {
    Workspace<double> work(tape);
    double total = 0;
    for (int k = 0; k < 20000; ++k) {
      const double x[] = {0.001 * k, k % 2 ? 0.5 : -0.5};
      double g[2];
      total += tape.gradient(0, x, g, work) + g[0] + g[1];
    }
    return total;
  };
  const double alone = sum();
  double together[2] = {};
  std::thread first([&] { together[0] = sum(); }), second([&] { together[1] = sum(); });
  first.join();
  second.join();
  EXPECT_EQ(together[0], alone);
  EXPECT_EQ(together[1], alone);
}

TEST(Tape, survives_being_copied_and_moved) {
  Tape tape = compile("x*x + 1", {"x"});
  const Tape copy = tape;
  Tape moved = std::move(tape);
  Workspace<double> work(moved), other(copy);
  const double x = 3;
  EXPECT_EQ(moved.evaluate(0, &x, work), 10);
  EXPECT_EQ(copy.evaluate(0, &x, other), 10);
}

}  // namespace
}  // namespace ricochet::expression::testing
