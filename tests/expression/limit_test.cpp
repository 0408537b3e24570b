// Texts no human would write: long, deep, and made to hurt. All in time proportional to their length.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "expression/support.hpp"

namespace ricochet::expression::testing {
namespace {

// A quadratic algorithm would need minutes for a megabyte.
constexpr double patience = 20;

template <class F>
double seconds(F f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string repeated(const std::string& s, std::size_t n) {
  std::string text;
  for (std::size_t i = 0; i < n; ++i) text += s;
  return text;
}

TEST(Limits, deep_nesting_is_an_error) {
  constexpr std::size_t n = 1000000;
  for (const std::string& text :
       {repeated("(", n) + "x" + repeated(")", n), repeated("-", n) + "x", repeated("2^", n) + "x",
        repeated("sin(", n) + "x" + repeated(")", n), repeated("if(x<1,", n), repeated("not ", n) + "x < 1",
        repeated("1+(", n), repeated("min(1,", n)}) {
    const Fault f = fault_of([&] { compile(text, {"x"}); });
    EXPECT_EQ(f.message, "the expression is nested deeper than 1000 levels");
    EXPECT_LT(f.offset, 20000u);
  }
  EXPECT_EQ(value(repeated("(", 400) + "x" + repeated(")", 400), {"x"}, {2.0}), 2);
  EXPECT_EQ(value(repeated("1+(", 300) + "x" + repeated(")", 300), {"x"}, {2.0}), 302);
}

TEST(Limits, long_sums_are_fine) {
  const std::string sum = cat("x", repeated(" + x", 300000)), mixed = cat("x", repeated("*y-x", 300000));
  EXPECT_LT(seconds([&] {
              const Tape tape = compile(sum, {"x"});
              Workspace<double> work(tape);
              const double x = 0.5;
              double g = 0;
              EXPECT_EQ(tape.gradient(0, &x, &g, work), 150000.5);
              EXPECT_EQ(g, 300001);
              EXPECT_LT(tape.print(0).size(), 3000u);
            }),
            patience);
  EXPECT_LT(seconds([&] { compile(mixed, {"x", "y"}); }), patience);
}

TEST(Limits, long_tokens_and_lists_are_fine) {
  constexpr std::size_t n = 1000000;
  EXPECT_LT(seconds([&] { EXPECT_EQ(value(cat("0.", std::string(n, '3'))), 1.0 / 3); }), patience);
  EXPECT_LT(seconds([&] { EXPECT_EQ(value(std::string(n, '0') + "1"), 1); }), patience);
  EXPECT_LT(seconds([&] { EXPECT_EQ(value(cat("0.", std::string(n, '0'), "1e", n)), 0.1); }), patience);
  EXPECT_EQ(fault_of([&] { compile(std::string(n, '7')); }).offset, 0u);
  EXPECT_LT(seconds([&] { EXPECT_EQ(value(cat("max(1", repeated(",2", n / 2), ")")), 2); }), patience);
  EXPECT_LT(seconds([&] { EXPECT_EQ(value(std::string(n, ' ') + "1" + std::string(n, '\n')), 1); }), patience);
  EXPECT_LT(seconds([&] { EXPECT_EQ(fault_of([&] { compile(std::string(n, ' ') + "@"); }).offset, n); }), patience);
  const std::string name(n, 'a');
  EXPECT_LT(seconds([&] { EXPECT_EQ(value(name + "+1", {name}, {2.0}), 3); }), patience);
}

TEST(Limits, many_conditions_in_a_row_are_fine) {
  std::string text = "0";
  for (int i = 0; i < 30000; ++i) text += cat("+if(x>", i, ",sqrt(x),1)");
  EXPECT_LT(seconds([&] {
              const Tape tape = compile(text, {"x"});
              Workspace<double> work(tape);
              const double x = 10000;
              double g = 0;
              EXPECT_EQ(tape.gradient(0, &x, &g, work), 10000 * 100 + 20000);
              EXPECT_NEAR(g, 10000 * 0.5 / 100, 1e-9);
            }),
            patience);
}

TEST(Limits, many_outputs_cost_what_they_need) {
  std::vector<std::string> names;
  for (int i = 0; i < 3000; ++i) names.push_back(cat("q", i));
  TapeBuilder builder(names);
  for (int i = 0; i + 1 < 3000; ++i) builder.add(cat("q", i + 1, "-q", i));
  EXPECT_LT(seconds([&] {
              const Tape tape = builder.tape();
              EXPECT_EQ(tape.length(17), 2u);
              EXPECT_EQ(tape.inputs(17).size(), 2u);
            }),
            patience);
}

}  // namespace
}  // namespace ricochet::expression::testing
