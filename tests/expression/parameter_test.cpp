// Parameters: any order, no cycles, folded away or promoted to variables.
#include <gtest/gtest.h>

#include <cmath>

#include "expression/support.hpp"

namespace ricochet::expression::testing {
namespace {

TEST(Parameters, come_in_any_order) {
  const Parameters p({{"I", "29/192*m*L^2"}, {"L", "2*half"}, {"half", 0.5}, {"m", 3.0}});
  EXPECT_EQ(p.value("I"), 29.0 / 192 * 3 * (1.0 * 1.0));
  const Tape tape = compile("I*x", {"x"}, p);
  EXPECT_EQ(tape.print(0), "0.453125*x");
  EXPECT_EQ(tape.length(0), 2u);  // one multiplication and the end
}

TEST(Parameters, are_meant_as_written) {
  const Parameters p({{"g", 9.81}, {"tiny", 5e-324}, {"inf", std::numeric_limits<double>::infinity()}});
  const auto in_long_double = [&](const char* text) {
    const Tape tape = compile(text, {}, p);
    Workspace<long double> work(tape);
    return tape.evaluate<long double>(0, nullptr, work);
  };
  EXPECT_EQ(p.value("g"), 9.81);
  EXPECT_EQ(in_long_double("g"), 9.81L);
  EXPECT_EQ(in_long_double("tiny"), 5e-324L);
  EXPECT_EQ(p.value("inf"), std::numeric_limits<double>::infinity());
}

TEST(Parameters, may_use_variables_and_be_conditions) {
  const Parameters p({{"r", "hypot(x, y)"}, {"inside", "r < R"}, {"R", 2.0}});
  const Tape tape = compile("if(inside, R - r, 0)", {"x", "y"}, p);
  Workspace<double> work(tape);
  const double in[] = {0.3, 0.4}, out[] = {3.0, 4.0};
  EXPECT_EQ(tape.evaluate(0, in, work), 1.5);
  EXPECT_EQ(tape.evaluate(0, out, work), 0);
  const Fault f = fault_of([&] { p.value("r"); });
  EXPECT_EQ(f.message, "unknown name 'x'; here there are r, inside, R and pi");
  EXPECT_EQ(f.parameter, "r");
  EXPECT_EQ(f.offset, 6u);
}

TEST(Parameters, become_variables_when_listed_as_such) {
  const Parameters p({{"m", 2.0}, {"g", 9.81}, {"weight", "m*g"}});
  const Tape tape = compile("weight*y", {"y", "m"}, p);
  Workspace<double> work(tape);
  const double x[] = {3.0, 5.0};
  double g[2];
  EXPECT_EQ(tape.gradient(0, x, g, work), 5.0 * 9.81 * 3.0);
  EXPECT_EQ(g[0], 5.0 * 9.81);
  EXPECT_EQ(g[1], 3.0 * 9.81);
}

TEST(Parameters, refuse_cycles_by_name) {
  Fault f = fault_of([] { Parameters({{"a", "1 + b"}, {"b", "2*a"}, {"c", "a"}}); });
  EXPECT_EQ(f.message, "parameters a -> b -> a form a cycle");
  EXPECT_EQ(f.parameter, "b");
  EXPECT_EQ(f.offset, 2u);
  f = fault_of([] { Parameters({{"start", "x"}, {"x", "y"}, {"y", "z + 1"}, {"z", "y"}}); });
  EXPECT_EQ(f.message, "parameters y -> z -> y form a cycle");
  f = fault_of([] { Parameters(std::vector<Parameter>{{"a", "a + 1"}}); });
  EXPECT_EQ(f.message, "parameter a -> a refers to itself");
  EXPECT_EQ(fault_of([] { Parameters({{"a", "b + b"}, {"b", "c"}, {"c", "1"}, {"d", "a + b + c"}}); }).message, "");
}

TEST(Parameters, report_faults_in_their_own_text) {
  Fault f = fault_of([] { Parameters({{"a", "1"}, {"b", "2 +"}}); });
  EXPECT_EQ(f.message, "expected a number, a name or '(', but the text ends");
  EXPECT_EQ(f.parameter, "b");
  EXPECT_EQ(f.offset, 3u);
  f = fault_of([] { compile("b", {"x"}, Parameters({{"alpha", "1"}, {"b", "2 + alhpa"}})); });
  EXPECT_EQ(f.message, "unknown name 'alhpa'; did you mean 'alpha'?");
  EXPECT_EQ(f.parameter, "b");
  EXPECT_EQ(f.offset, 4u);
  f = fault_of([] { Parameters({{"a", 1.0}, {"a", 2.0}}); });
  EXPECT_EQ(f.message, "the parameter 'a' is given twice");
  f = fault_of([] { Parameters({{"mass", 1.0}}).value("mas"); });
  EXPECT_EQ(f.message, "unknown parameter 'mas'; did you mean 'mass'?");
}

TEST(Parameters, may_form_a_long_chain) {
  constexpr int n = 100000;
  std::vector<Parameter> list;
  for (int i = 0; i < n; ++i) list.push_back({cat("p", i), cat("p", i + 1, " + 1")});
  list.push_back({cat("p", n), 0.0});
  EXPECT_EQ(Parameters(list).value("p0"), n);
  list.back().value = "p0";
  EXPECT_EQ(fault_of([&] { Parameters{list}; }).message,
            "parameters p0 -> p1 -> p2 -> p3 -> p4 -> p5 -> p6 -> p7 -> ... -> p100000 -> p0 form a cycle");
}

// Each doubles the one before: as a tree it would have 2^60 leaves.
TEST(Parameters, share_what_they_have_in_common) {
  std::vector<Parameter> list = {{"d0", "x"}};
  for (int i = 1; i <= 60; ++i) {
    list.push_back({cat("d", i), cat("d", i - 1, " + d", i - 1)});
  }
  const Tape tape = compile("d60", {"x"}, Parameters(list));
  Workspace<double> work(tape);
  const double x = 1.5;
  double g = 0;
  EXPECT_EQ(tape.gradient(0, &x, &g, work), std::ldexp(1.5, 60));
  EXPECT_EQ(g, std::ldexp(1.0, 60));
  EXPECT_EQ(tape.length(0), 61u);
  EXPECT_LT(tape.print(0).size(), 3000u);
}

}  // namespace
}  // namespace ricochet::expression::testing
