// Random expressions that know how to print themselves and what they are worth: the oracle of the property tests.
// Nothing here uses the code under test (support.hpp only glues text).
#pragma once

#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "expression/support.hpp"
#include "ricochet/numerics/jet.hpp"

namespace ricochet::expression::testing {

struct Tree;
using TreePtr = std::shared_ptr<const Tree>;

/// A number (value), a variable (index), or an operation on parts. For `if` the parts are a, b of the comparison a < b
/// and the two branches.
struct Tree {
  std::string op;
  double value = 0;
  int index = 0;
  std::vector<TreePtr> parts;
};

inline const std::vector<std::string>& tree_names() {
  static const std::vector<std::string> names = {"x", "y", "z"};
  return names;
}

/// Text with all the parentheses it needs, and some it does not.
inline std::string print(const Tree& t) {
  const auto part = [&](std::size_t i) { return print(*t.parts[i]); };
  if (t.op == "number") {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", t.value);
    return text;
  }
  if (t.op == "variable") return tree_names()[static_cast<std::size_t>(t.index)];
  if (t.op == "negate") return cat("-(", part(0), ")");
  if (t.op == "power") return cat("(", part(0), ")^(", t.index, ")");
  if (t.op == "if") return cat("if(", part(0), " < ", part(1), ", ", part(2), ", ", part(3), ")");
  if (t.op.size() == 1) return cat("(", part(0), ")", t.op, " (", part(1), ")");
  std::string text = t.op + "(";
  for (std::size_t i = 0; i < t.parts.size(); ++i) text += cat(i ? ", " : "", part(i));
  return text + ")";
}

/// The value by direct recursion: only the branch taken.
template <class T>
T evaluate(const Tree& t, const std::vector<T>& x) {
  using std::abs, std::atan, std::cos, std::cosh, std::exp, std::floor, std::hypot, std::log, std::sin, std::sinh;
  using std::sqrt, std::tan, std::tanh;
  const auto part = [&](std::size_t i) -> T { return evaluate<T>(*t.parts[i], x); };
  if (t.op == "number") return T(t.value);
  if (t.op == "variable") return x[static_cast<std::size_t>(t.index)];
  if (t.op == "if") return part(0) < part(1) ? part(2) : part(3);
  const T a = part(0);
  if (t.op == "negate") return -a;
  if (t.op == "power") switch (t.index) {
      case -2:
        return T(1) / (a * a);
      case -1:
        return T(1) / a;
      case 0:
        return T(1);
      case 1:
        return a;
      case 2:
        return a * a;
      default:
        return a * a * a;
    }
  if (t.op == "sin") return sin(a);
  if (t.op == "cos") return cos(a);
  if (t.op == "tan") return tan(a);
  if (t.op == "atan") return atan(a);
  if (t.op == "tanh") return tanh(a);
  if (t.op == "sinh") return sinh(a);
  if (t.op == "cosh") return cosh(a);
  if (t.op == "exp") return exp(a);
  if (t.op == "log") return log(a);
  if (t.op == "sqrt") return sqrt(a);
  if (t.op == "abs") return abs(a);
  if (t.op == "floor") return floor(a);
  const T b = part(1);
  if (t.op == "+") return a + b;
  if (t.op == "-") return a - b;
  if (t.op == "*") return a * b;
  if (t.op == "/") return a / b;
  if (t.op == "hypot") return hypot(a, b);
  if (t.op == "min") return a < b || !(a == a) ? a : b;
  return b < a || !(a == a) ? a : b;  // max
}

/// Makes random trees that share parts with each other, as scenes do.
class Forest {
 public:
  explicit Forest(std::uint64_t seed) : random_(seed) {}

  TreePtr tree(int depth) {
    // A part made before: shared between branches, outputs, and with what stands outside.
    if (!made_.empty() && chance(0.2)) {
      const auto& [old, size] = made_[below(made_.size())];
      if (size < 200) return old;
    }
    auto t = std::make_shared<Tree>();
    if (depth == 0 || chance(0.1))
      leaf(*t);
    else
      operation(*t, depth);
    made_.push_back({t, print(*t).size()});
    return t;
  }

  double number() {
    static const double special[] = {0, 1, -1, 2, 0.5, -0.0, 3};
    return chance(0.4) ? special[below(7)] : std::uniform_real_distribution<double>(-3, 3)(random_);
  }

 private:
  bool chance(double p) { return std::uniform_real_distribution<double>(0, 1)(random_) < p; }
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  void leaf(Tree& t) {
    if (chance(0.7)) {
      t.op = "variable";
      t.index = static_cast<int>(below(3));
    } else {
      t.op = "number";
      t.value = std::abs(number());  // a sign would be an operation
    }
  }

  void operation(Tree& t, int depth) {
    static const std::vector<std::string> ones = {"sin",  "cos", "sin", "cos",  "tan", "atan", "tanh",
                                                  "sinh", "exp", "log", "sqrt", "abs", "cosh", "floor"};
    static const std::vector<std::string> twos = {"+", "-", "*", "/", "+", "*", "min", "max", "hypot"};
    const double kind = std::uniform_real_distribution<double>(0, 1)(random_);
    std::size_t count = 1;
    if (kind < 0.3) {
      t.op = ones[below(ones.size())];
    } else if (kind < 0.7) {
      t.op = twos[below(twos.size())];
      count = 2;
    } else if (kind < 0.8) {
      t.op = "power";
      t.index = static_cast<int>(below(6)) - 2;
    } else if (kind < 0.85) {
      t.op = "negate";
    } else {
      t.op = "if";
      count = 4;
    }
    for (std::size_t i = 0; i < count; ++i) t.parts.push_back(tree(depth - 1));
  }

  std::mt19937_64 random_;
  std::vector<std::pair<TreePtr, std::size_t>> made_;
};

}  // namespace ricochet::expression::testing
