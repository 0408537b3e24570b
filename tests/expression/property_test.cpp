// Random expressions against direct evaluation, forward derivatives, and a count of what is computed.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "expression/counted.hpp"
#include "expression/support.hpp"
#include "expression/tree.hpp"
#include "ricochet/numerics/jet.hpp"

namespace ricochet::expression::testing {
namespace {

using numerics::Jet;

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

struct Sample {
  std::vector<TreePtr> trees;
  Tape tape;
  std::vector<std::vector<double>> points;
};

Sample sample(std::uint64_t seed, int depth) {
  Sample s;
  Forest forest(seed);
  TapeBuilder builder(tree_names());
  for (int i = 0; i < 3; ++i) {
    s.trees.push_back(forest.tree(depth));
    builder.add(print(*s.trees.back()));
  }
  s.tape = builder.tape();
  for (int i = 0; i < 8; ++i) s.points.push_back({forest.number(), forest.number(), forest.number()});
  return s;
}

// Everything is the same to the last bit: sharing, folding and simplifying are exact.
RC_GTEST_PROP(Property, values_are_those_of_direct_evaluation, (std::uint64_t seed)) {
  const Sample s = sample(seed, *rc::gen::inRange(0, 7));
  Workspace<double> work(s.tape);
  for (const auto& x : s.points) {
    double all[3];
    s.tape.evaluate(x.data(), all, work);
    for (int o = 0; o < 3; ++o) {
      const double expected = evaluate<double>(*s.trees[static_cast<std::size_t>(o)], x);
      if (!same(all[o], expected)) RC_FAIL(print(*s.trees[static_cast<std::size_t>(o)]));
      RC_ASSERT(same(s.tape.evaluate(o, x.data(), work), expected));
      double g[3];
      RC_ASSERT(same(s.tape.gradient(o, x.data(), g, work), expected));
    }
  }
}

/// Largest derivative anywhere in a tree: what rounding in either direction may be multiplied by.
long double steepest(const Tree& t, const std::vector<Jet<long double, 3>>& x) {
  long double peak = 0;
  const auto y = evaluate<Jet<long double, 3>>(t, x);
  for (const long double d : y.d) peak = std::isfinite(d) ? std::max(peak, std::abs(d)) : 1e300L;
  if (!std::isfinite(y.v)) peak = 1e300L;
  for (std::size_t i = t.op == "if" ? 2 : 0; i < t.parts.size(); ++i) {
    if (t.op == "if" && (i == 2) != (evaluate(*t.parts[0], x) < evaluate(*t.parts[1], x))) continue;
    peak = std::max({peak, steepest(*t.parts[i], x)});
  }
  return peak;
}

// In long double, where tame trees leave ten digits of room: reverse and forward agree.
TEST(Property, gradients_are_those_of_forward_derivatives) {
  long compared = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const Sample s = sample(seed, 5);
    Workspace<long double> work(s.tape);
    for (const auto& p : s.points) {
      std::vector<Jet<long double, 3>> jets;
      for (int i = 0; i < 3; ++i)
        jets.push_back(Jet<long double, 3>::variable(p[static_cast<std::size_t>(i)] + 0.01L * (i + 1), i));
      const long double x[] = {jets[0].v, jets[1].v, jets[2].v};
      for (int o = 0; o < 3; ++o) {
        const Tree& tree = *s.trees[static_cast<std::size_t>(o)];
        if (steepest(tree, jets) > 1e4L) continue;
        const auto expected = evaluate(tree, jets);
        long double g[3];
        s.tape.gradient(o, x, g, work);
        for (std::size_t i = 0; i < 3; ++i) {
          // The numbers of a tree are doubles printed exactly enough for double only: hence not 1e-19.
          ASSERT_NEAR(double(g[i]), double(expected.d[i]), 1e-9) << print(tree) << " by " << tree_names()[i];
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 10000);  // most trees are tame
}

// What was printed means the same.
RC_GTEST_PROP(Property, printing_and_reading_again_changes_nothing, (std::uint64_t seed)) {
  const Sample s = sample(seed, *rc::gen::inRange(0, 5));
  Workspace<double> work(s.tape);
  for (int o = 0; o < 3; ++o) {
    const std::string printed = s.tape.print(o);
    if (printed.find("...") != std::string::npos || printed.find("nan") != std::string::npos ||
        printed.find("inf") != std::string::npos)
      continue;
    const Tape again = compile(printed, tree_names());
    RC_ASSERT(again.print(0) == printed);
    Workspace<double> other(again);
    for (const auto& x : s.points)
      RC_ASSERT(same(s.tape.evaluate(o, x.data(), work), again.evaluate(0, x.data(), other)));
  }
}

/// exp, +, * and if on variables: nothing the graph could simplify away. Counts the distinct exp that are needed.
class Needed {
 public:
  explicit Needed(const std::vector<double>& x) : x_(x) {}

  static std::string key(const Tree& t) {
    if (t.parts.empty()) return print(t);
    std::vector<std::string> keys;
    for (const TreePtr& p : t.parts) keys.push_back(key(*p));
    if (t.op == "if" && keys[2] == keys[3]) return keys[2];  // no decision to make
    if (t.op == "+" || t.op == "*") std::sort(keys.begin(), keys.end());
    std::string text = t.op + "(";
    for (const std::string& k : keys) text += k + ";";
    return text + ")";
  }

  double evaluate(const Tree& t) {
    if (t.op == "if" && key(*t.parts[2]) == key(*t.parts[3])) return evaluate(*t.parts[2]);
    const std::string k = key(t);
    if (const auto it = known_.find(k); it != known_.end()) return it->second;
    double y = 0;
    if (t.op == "variable") {
      y = x_[static_cast<std::size_t>(t.index)];
    } else if (t.op == "if") {
      const double a = evaluate(*t.parts[0]), b = evaluate(*t.parts[1]);
      y = evaluate(*t.parts[a < b ? 2 : 3]);
    } else {
      const double a = evaluate(*t.parts[0]);
      if (t.op == "exp") ++exponentials;
      y = t.op == "exp" ? std::exp(a) : t.op == "+" ? a + evaluate(*t.parts[1]) : a * evaluate(*t.parts[1]);
    }
    return known_[k] = y;
  }

  long exponentials = 0;

 private:
  const std::vector<double>& x_;
  std::map<std::string, double> known_;
};

TreePtr needy_tree(std::mt19937_64& random, std::vector<TreePtr>& made, int depth) {
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  if (!made.empty() && below(10) < 4)
    if (TreePtr old = made[below(made.size())]; print(*old).size() < 150) return old;
  auto t = std::make_shared<Tree>();
  const std::size_t kind = depth == 0 ? 0 : below(10);
  std::size_t count = 0;
  if (kind == 0) {
    t->op = "variable";
    t->index = static_cast<int>(below(3));
  } else if (kind < 4) {
    t->op = "exp";
    count = 1;
  } else if (kind < 6) {
    t->op = kind == 4 ? "+" : "*";
    count = 2;
  } else {
    t->op = "if";
    count = 4;
  }
  for (std::size_t i = 0; i < count; ++i) t->parts.push_back(needy_tree(random, made, depth - 1));
  made.push_back(t);
  return t;
}

// Every exponential that is needed is computed exactly once, every other one never; also before a sweep.
RC_GTEST_PROP(Property, computes_what_is_needed_once_and_nothing_else, (std::uint64_t seed)) {
  using counted::Counted;
  std::mt19937_64 random(seed);
  std::vector<TreePtr> made;
  TapeBuilder builder(tree_names());
  std::vector<TreePtr> trees;
  for (int i = 0; i < 3; ++i) {
    trees.push_back(needy_tree(random, made, 6));
    builder.add(print(*trees.back()));
  }
  const Tape tape = builder.tape();
  Workspace<Counted> work(tape);
  for (int k = 0; k < 8; ++k) {
    std::vector<double> x(3);
    for (double& v : x) v = std::uniform_real_distribution<double>(-1, 1)(random);
    const Counted point[] = {x[0], x[1], x[2]};
    Needed together(x);
    for (const TreePtr& t : trees) together.evaluate(*t);
    Counted out[3], g[3];
    Counted::exponentials = 0;
    tape.evaluate(point, out, work);
    RC_ASSERT(Counted::exponentials == together.exponentials);
    for (int o = 0; o < 3; ++o) {
      Needed alone(x);
      const double expected = alone.evaluate(*trees[static_cast<std::size_t>(o)]);
      Counted::exponentials = 0;
      RC_ASSERT(same(tape.evaluate(o, point, work).v, expected));
      RC_ASSERT(Counted::exponentials == alone.exponentials);
      Counted::exponentials = 0;
      tape.gradient(o, point, g, work);
      RC_ASSERT(Counted::exponentials == alone.exponentials);
    }
  }
}

}  // namespace
}  // namespace ricochet::expression::testing
