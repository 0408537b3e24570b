// What is wrong is said in one sentence, at the byte where it is wrong.
#include <gtest/gtest.h>

#include "expression/support.hpp"
#include "ricochet/expression/nearest.hpp"

namespace ricochet::expression::testing {
namespace {

struct Wrong {
  const char* text;
  std::size_t offset;
  const char* message;
};

class Errors : public ::testing::TestWithParam<Wrong> {};

TEST_P(Errors, are_at_their_place) {
  const Wrong& w = GetParam();
  const Fault f = fault_of([&] { compile(w.text, {"x", "y", "theta", "length"}); });
  EXPECT_EQ(f.message, w.message) << w.text;
  EXPECT_EQ(f.offset, w.offset) << w.text;
  EXPECT_EQ(f.parameter, "");
}

INSTANTIATE_TEST_SUITE_P(
    syntax, Errors,
    ::testing::ValuesIn(std::vector<Wrong>{
        {"", 0, "the expression is empty"},
        {"   ", 0, "the expression is empty"},
        {"x +", 3, "expected a number, a name or '(', but the text ends"},
        {"x + * y", 4, "expected a number, a name or '(' before '*'"},
        {"x y", 2, "expected an operator before 'y'"},
        {"(x", 0, "this '(' is never closed"},
        {"x*(y+(2)", 2, "this '(' is never closed"},
        {"x)", 1, "expected an operator before ')'"},
        {"()", 1, "expected a number, a name or '(' before ')'"},
        {"(x,y)", 2, "expected ')' before ','"},
        {"(x y)", 3, "expected an operator or ')' before 'y'"},
        {"sin(x", 3, "this '(' is never closed"},
        {"sin(x,)", 6, "expected a number, a name or '(' before ')'"},
        {"2x", 1, "a name follows the number '2' directly; write * between them"},
        {"1e", 1, "a name follows the number '1' directly; write * between them"},
        {"1.2.3", 3, "expected an operator before '.3'"},
        {"1..", 2, "'.' is not part of a number here"},
        {".", 0, "'.' is not part of a number here"},
        {"1e999", 0, "the number '1e999' is out of range"},
        {"x + 1e-999", 4, "the number '1e-999' is out of range"},
        {"x**2", 1, "'**' is not an operator; write ^ for a power"},
        {"x = 2", 2, "'=' is not an operator; write == to compare"},
        {"x && y", 2, "'&' is not an operator; write and"},
        {"x || y", 2, "'|' is not an operator; write or, or abs(...)"},
        {"!x", 0, "'!' is not an operator; write not, or != to compare"},
        {"x @ y", 2, "unexpected character '@'"},
        {"x + \x01", 4, "unexpected byte 0x01"},
        {"x \xE2\x88\x92 y", 2, "character '\xE2\x88\x92' (U+2212) is not ASCII; expressions are written in ASCII"},
        {"x\xC2\xB2", 1, "character '\xC2\xB2' (U+00B2) is not ASCII; expressions are written in ASCII"},
        {"\xF0\x9F\x99\x82", 0,
         "character '\xF0\x9F\x99\x82' (U+1F642) is not ASCII; expressions are written in ASCII"},
        {"x+\xFF", 2, "byte 0xFF is not ASCII; expressions are written in ASCII"},
        {"x+\xC3", 2, "byte 0xC3 is not ASCII; expressions are written in ASCII"},
        {"x+\xC0\x80", 2, "byte 0xC0 is not ASCII; expressions are written in ASCII"},
        {"and", 0, "expected a number, a name or '(' before 'and'"},
        {"x < y < 1", 6, "comparisons cannot be chained; write a < b and b < c"},
        {"2 * not x > y", 4, "expected a number, a name or '(' before 'not'"}}));

INSTANTIATE_TEST_SUITE_P(arguments, Errors,
                         ::testing::ValuesIn(std::vector<Wrong>{
                             {"sin()", 0, "sin() takes 1 argument, not 0"},
                             {"1 + sin(x, y)", 4, "sin() takes 1 argument, not 2"},
                             {"min(x)", 0, "min() takes at least 2 arguments, not 1"},
                             {"atan2(x)", 0, "atan2() takes 2 arguments, not 1"},
                             {"if(x > y, 1)", 0, "if() takes 3 arguments, not 2"},
                             {"sin", 0, "'sin' is a function and needs its arguments in parentheses"}}));

INSTANTIATE_TEST_SUITE_P(names, Errors,
                         ::testing::ValuesIn(std::vector<Wrong>{
                             {"2*tetha", 2, "unknown name 'tetha'; did you mean 'theta'?"},
                             {"y + lenght", 4, "unknown name 'lenght'; did you mean 'length'?"},
                             {"Theta", 0, "unknown name 'Theta'; did you mean 'theta'?"},
                             {"velocity", 0, "unknown name 'velocity'; here there are x, y, theta, length and pi"},
                             {"Pi", 0, "unknown name 'Pi'; did you mean 'pi'?"},
                             {"e^x", 0, "unknown name 'e'; write exp(1) for Euler's number"},
                             {"x + sine(y)", 4, "'sine' is not a function; did you mean 'sin'?"},
                             {"arcsin(x)", 0, "'arcsin' is not a function; did you mean 'asin'?"},
                             {"Sqrt(x)", 0, "'Sqrt' is not a function; did you mean 'sqrt'?"},
                             {"Y", 0, "unknown name 'Y'; did you mean 'y'?"},
                             {"x(y+1)", 0,
                              "'x' is not a function; write * for a product, or one of sin, cos, tan, asin, acos, "
                              "atan, atan2, sinh, cosh, tanh, exp, log, ln, log10, sqrt, cbrt, abs, sign, min, max, "
                              "pow, hypot, floor, ceil, mod and if"}}));

INSTANTIATE_TEST_SUITE_P(
    kinds, Errors,
    ::testing::ValuesIn(std::vector<Wrong>{
        {"x < y", 0, "the expression is a comparison, not a number"},
        {"2*(x < y)", 3, "'*' needs a number, but its second operand is a comparison; write if(..., 1, 0)"},
        {"sin(x < y)", 4, "'sin' needs a number, but its operand is a comparison; write if(..., 1, 0)"},
        {"if(x, 1, 2)", 3, "'if' needs a comparison, but its first operand is a number"},
        {"if(x < y, x < 0, 2)", 10, "'if' needs a number, but its second operand is a comparison; write if(..., 1, 0)"},
        {"if(x < y and x + 1, 1, 2)", 13, "'and' needs a comparison, but its second operand is a number"},
        {"if(not -x, 1, 2)", 7, "'not' needs a comparison, but its operand is a number"}}));

TEST(Errors, name_long_texts_briefly) {
  const Fault f = fault_of([] { compile(std::string(1000000, 'q')); });
  EXPECT_EQ(f.message, cat("unknown name '", std::string(40, 'q'), "...'; here there is pi"));
}

TEST(Errors, refuse_names_that_cannot_be_used) {
  for (const char* name : {"", "1x", "a b", "x-1", "pi", "sin", "if", "and", "caf\xC3\xA9"}) {
    EXPECT_NE(name_fault(name), "") << name;
    EXPECT_NE(fault_of([&] { TapeBuilder({name}); }).message, "") << name;
    EXPECT_EQ(fault_of([&] { Parameters({{name, 1.0}}); }).parameter, name);
  }
  for (const char* name : {"x", "e", "v_x", "_", "X1", "Sin"}) EXPECT_EQ(name_fault(name), "") << name;
  EXPECT_EQ(fault_of([] { TapeBuilder({"x", "y", "x"}); }).message, "the variable 'x' is given twice");
}

TEST(Nearest, counts_edits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("theta", "tehta"), 1u);  // neighbours swapped
  EXPECT_EQ(edit_distance("ab", "ba"), 1u);
}

TEST(Nearest, prefers_the_first_and_knows_when_to_be_silent) {
  const std::vector<std::string> keys = {"step", "end", "impacts"};
  EXPECT_EQ(nearest("stepp", keys), "step");
  EXPECT_EQ(nearest("impact", keys), "impacts");
  EXPECT_EQ(nearest("colour", keys), std::nullopt);
  EXPECT_EQ(nearest("", keys), std::nullopt);
  EXPECT_EQ(nearest("ax", std::vector<std::string>{"ay", "az"}), "ay");
  EXPECT_EQ(suggestion("ned", keys), "; did you mean 'end'?");
  EXPECT_EQ(nearest("STEP", keys), "step");
}

TEST(Nearest, lists_what_there_is_where_nothing_is_near) {
  const std::vector<std::string> keys = {"step", "end", "impacts"};
  EXPECT_EQ(suggestion_or_list("ned", keys), "; did you mean 'end'?");
  EXPECT_EQ(suggestion_or_list("colour", keys), "; here there are step, end and impacts");
  EXPECT_EQ(suggestion_or_list("colour", std::vector<std::string>{"end"}), "; here there is end");
  EXPECT_EQ(suggestion_or_list("colour", std::vector<std::string>{}), "");
  const std::vector<std::string> many(100, "abc"), long_names(7, std::string(1000, 'q'));
  EXPECT_TRUE(listed(many).ends_with("abc, abc and 52 more")) << listed(many);  // 48 of 5 letters each are 238
  EXPECT_EQ(listed(long_names), "7 long names");
}

}  // namespace
}  // namespace ricochet::expression::testing
