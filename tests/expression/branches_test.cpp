// Formulas with kinks as minima of maxima: the pieces against the formula itself, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "support.hpp"

namespace ricochet::expression {
namespace {

using testing::cat, testing::compile;

struct Split {
  TapeBuilder::Pieces pieces;
  Tape tape;
  double value(const std::vector<double>& x) const {
    Workspace<double> work(tape);
    double least = INFINITY;
    for (const auto& clause : pieces.clauses) {
      double most = -INFINITY;
      for (const int k : clause)
        most = std::max(most, tape.evaluate(pieces.outputs[static_cast<std::size_t>(k)], x.data(), work));
      least = std::min(least, most);
    }
    return least;
  }
};
Split split(std::string_view text, const std::vector<std::string>& names = {"x", "y", "z"}) {
  TapeBuilder builder(names);
  Split s{builder.add_pieces(text), {}};
  s.tape = builder.tape();
  return s;
}
std::vector<std::string> printed(std::string_view text) {
  const Split s = split(text);
  std::vector<std::string> list;
  for (const auto& clause : s.pieces.clauses) {
    list.emplace_back();
    for (const int k : clause)
      list.back() += (list.back().empty() ? "" : " | ") + s.tape.print(s.pieces.outputs[static_cast<std::size_t>(k)]);
  }
  return list;
}
using List = std::vector<std::string>;

TEST(Branches, AreWhatOneWouldWrite) {
  EXPECT_EQ(printed("y - abs(x)"), (List{"y - x", "y + x"}));
  EXPECT_EQ(printed("y + abs(x)"), (List{"y + x | y - x"}));
  EXPECT_EQ(printed("max(y, x)"), (List{"y | x"}));
  EXPECT_EQ(printed("min(x, y, z)"), (List{"x", "y", "z"}));
  EXPECT_EQ(printed("max(min(y, x), -x)"), (List{"y | -x"}));  // max(x, -x) always holds
  EXPECT_EQ(printed("if(x < 0, -x, x) - 1"), (List{"-1 - x | x - 1"}));
  EXPECT_EQ(printed("if(x > 1, y, y + x - 1)"), (List{"y", "y + x - 1"}));
  EXPECT_EQ(printed("if(not (x < 1), y, y + x - 1)"), (List{"y", "y + x - 1"}));
  EXPECT_EQ(printed("max(y, min(x, z))"), (List{"y | x", "y | z"}));
  EXPECT_EQ(split("max(y, min(x, z))").pieces.outputs.size(), 3U);  // y is one piece, in both unions
  EXPECT_EQ(printed("abs(x)^2 - 1"), (List{"x^2 - 1"}));
  EXPECT_EQ(printed("cos(abs(x))"), (List{"cos(x)"}));
  EXPECT_EQ(printed("y - abs(x)*abs(z)"), (List{"y - x*z", "y + x*z"}));
}

TEST(Branches, OfSmoothFormulasAreTheFormulas) {
  for (const char* text : {"y - x^2", "y - sin(x)*z", "hypot(x, y) - 1"}) {
    const Split s = split(text);
    EXPECT_TRUE(s.pieces.whole) << text;
    EXPECT_EQ(s.pieces.outputs.size(), 1U) << text;
  }
  EXPECT_FALSE(split("max(x, y)").pieces.whole);
  EXPECT_TRUE(split("if(x < 0, y, y - x^2)").pieces.whole);  // smooth, as is found where it is looked at
  EXPECT_EQ(split("if(x < 0, y, y - x^2)").pieces.doubts.size(), 1U);
}

/// Random trees of what can be split, against the formula itself at random places.
std::string random_tree(std::mt19937_64& engine, int depth) {
  std::uniform_int_distribution<int> pick(0, depth > 0 ? 9 : 2);
  const auto below = [&] { return random_tree(engine, depth - 1); };
  switch (pick(engine)) {
    case 0:
      return "(x - 0.3)";
    case 1:
      return "(y + 0.5*x^2)";
    case 2:
      return "(sin(2*z) - y)";
    case 3:
    case 4:
      return cat("min(", below(), ", ", below(), ")");
    case 5:
    case 6:
      return cat("max(", below(), ", ", below(), ")");
    case 7:
      return cat("abs(", below(), ")");
    case 8:
      return cat("(", below(), " - ", below(), ")");
    default:
      return cat("(-0.7*", below(), "*(1 + x^2))");
  }
}
TEST(Branches, HaveTheValueOrTheSignOfTheFormula) {
  std::mt19937_64 engine(11);
  std::normal_distribution<double> normal;
  int splits = 0, pieces = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const std::string text = random_tree(engine, 3);
    Split s;
    try {
      s = split(text);
    } catch (const ParseError& error) {
      const std::string why = error.what();  // too long, or a set that is nothing or everything
      EXPECT_TRUE(why.find("pieces") != why.npos || why.find("nowhere") != why.npos ||
                  why.find("everywhere") != why.npos)
          << text << ": " << why;
      continue;
    }
    ++splits;
    pieces += static_cast<int>(s.pieces.outputs.size());
    const Tape whole = compile(text, {"x", "y", "z"});
    Workspace<double> work(whole);
    for (int place = 0; place < 40; ++place) {
      const std::vector<double> x{normal(engine), normal(engine), normal(engine)};
      const double phi = whole.evaluate(0, x.data(), work), found = s.value(x);
      if (std::abs(phi) > 1e-9) {
        EXPECT_EQ(phi > 0, found > 0) << text << " at " << x[0] << ' ' << x[1] << ' ' << x[2];
      }
      // Clauses that always hold are left out: the value may only be larger then.
      EXPECT_GE(found, phi - 1e-11 * (1 + std::abs(phi))) << text;
    }
  }
  EXPECT_GT(splits, 1000);
  EXPECT_GT(2 * pieces, 3 * splits);
}

/// The sentence, and where it points.
void expect_fault(std::string_view text, std::size_t offset, const std::string& why) {
  TapeBuilder builder({"x", "y"});
  try {
    builder.add_pieces(text);
    ADD_FAILURE() << text << " was split";
  } catch (const ParseError& error) {
    EXPECT_EQ(error.offset(), offset) << text;
    EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << text << ": " << error.what();
  }
}
TEST(Branches, OfWhatCannotBeSplitAreRefused) {
  expect_fault("y - floor(x)", 4, "'floor' is not continuous");
  expect_fault("y - sign(x)", 4, "'sign' is not continuous");
  expect_fault("y + ceil(2*x)", 4, "'ceil' is not continuous");
  expect_fault("y - mod(x, 1)", 4, "'mod' is not continuous");
  expect_fault("if(x < 1, y, y - 1)", 0, "jumps");
  expect_fault("y - sqrt(abs(x))", 9, "the kink of 'abs' cannot be split");
  expect_fault("y - sin(max(x, y))", 8, "the kink of 'max' cannot be split");
  expect_fault("x*abs(y) - 1", 2, "factor whose sign is not known");
  expect_fault("1/(1 + abs(x)) - y", 7, "the kink of 'abs' cannot be split");
  expect_fault("abs(x)", 0, "nowhere negative");
  expect_fault("min(y, -1)", 0, "negative everywhere");
  // sums of absolute values double with each
  std::string many = "y";
  for (int k = 1; k <= 9; ++k) many += cat(" - abs(x - ", k, ")");
  expect_fault(many, 4, "more than 256 smooth pieces");
}

/// Constants of either sign may be parameters that are differentiated by.
TEST(Branches, TakeSignsFromParameters) {
  for (const double a : {2.0, -2.0}) {
    TapeBuilder builder({"x", "y", "a"});
    builder.take_as("a", a);
    const auto pieces = builder.add_pieces("y + a*abs(x)");
    EXPECT_EQ(pieces.outputs.size(), 2U);
    EXPECT_EQ(pieces.clauses.size(), a > 0 ? 1U : 2U);
    TapeBuilder other({"x", "y", "a"});
    other.take_as("a", a);
    for (int k = 0; k < 2; ++k) other.add_piece("y + a*abs(x)", k);
    EXPECT_EQ(other.tape().print(1), builder.tape().print(1));
  }
}

}  // namespace
}  // namespace ricochet::expression
