// The expression as it was understood, for messages.
#include <array>
#include <charconv>
#include <numbers>

#include "ricochet/expression/tape.hpp"

namespace ricochet::expression {
namespace {

// Precedence, loose to tight, as in the parser.
enum Level { disjunction = 1, conjunction, denial, comparison, sum, product, sign, power, atom };

struct Style {
  Level level;
  const char* name;  // of the infix operator or the function
};
Style style(Op op) {
  switch (op) {
    case Op::either:
      return {disjunction, " or "};
    case Op::both:
      return {conjunction, " and "};
    case Op::negation:
      return {denial, "not "};
    case Op::less:
      return {comparison, " < "};
    case Op::less_equal:
      return {comparison, " <= "};
    case Op::equal:
      return {comparison, " == "};
    case Op::add:
      return {sum, " + "};
    case Op::subtract:
      return {sum, " - "};
    case Op::multiply:
      return {product, "*"};
    case Op::divide:
      return {product, "/"};
    case Op::negate:
      return {sign, "-"};
    case Op::square:
    case Op::cube:
    case Op::integer_power:
    case Op::power:
      return {power, "^"};
    case Op::sin:
      return {atom, "sin"};
    case Op::cos:
      return {atom, "cos"};
    case Op::tan:
      return {atom, "tan"};
    case Op::asin:
      return {atom, "asin"};
    case Op::acos:
      return {atom, "acos"};
    case Op::atan:
      return {atom, "atan"};
    case Op::sinh:
      return {atom, "sinh"};
    case Op::cosh:
      return {atom, "cosh"};
    case Op::tanh:
      return {atom, "tanh"};
    case Op::exp:
      return {atom, "exp"};
    case Op::log:
      return {atom, "log"};
    case Op::log10:
      return {atom, "log10"};
    case Op::sqrt:
      return {atom, "sqrt"};
    case Op::cbrt:
      return {atom, "cbrt"};
    case Op::abs:
      return {atom, "abs"};
    case Op::sign:
      return {atom, "sign"};
    case Op::floor:
      return {atom, "floor"};
    case Op::ceil:
      return {atom, "ceil"};
    case Op::atan2:
      return {atom, "atan2"};
    case Op::hypot:
      return {atom, "hypot"};
    case Op::min:
      return {atom, "min"};
    case Op::max:
      return {atom, "max"};
    case Op::mod:
      return {atom, "mod"};
    case Op::choose:
      return {atom, "if"};
    default:
      return {atom, "?"};
  }
}

std::string number(double x) {
  if (x == std::numbers::pi) return "pi";
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), x).ptr};
}

class Printer {
 public:
  Printer(const std::vector<Node>& nodes, const std::vector<Constant>& constants, const std::vector<std::string>& names)
      : nodes_(nodes), constants_(constants), names_(names) {}

  std::string print(NodeId id) {
    node(id, disjunction);
    if (text_.size() > longest) text_ = text_.substr(0, longest) + "...";
    return text_;
  }

 private:
  // The graph can be as deep as the text is long, and shares more than a text can show.
  static constexpr std::size_t longest = 2000;
  static constexpr int deepest = 200;

  double constant(NodeId id) const { return constants_[static_cast<std::size_t>(nodes_[id].k)].d; }

  /// The node, in parentheses if it binds looser than `least`.
  void node(NodeId id, Level least) {
    if (text_.size() > longest) return;
    if (depth_ >= deepest) {
      text_ += "...";
      return;
    }
    ++depth_;
    const Node& n = nodes_[id];
    const bool negative = n.op == Op::constant && number(constant(id))[0] == '-';
    const bool different = n.op == Op::negation && nodes_[n.a].op == Op::equal;
    const Level level = negative ? sign : different ? comparison : style(n.op).level;
    if (level < least) text_ += '(';
    write(n, id, level);
    if (level < least) text_ += ')';
    --depth_;
  }

  void write(const Node& n, NodeId id, Level level) {
    switch (n.op) {
      case Op::constant:
        text_ += number(constant(id));
        return;
      case Op::variable:
        text_ += names_[static_cast<std::size_t>(n.k)];
        return;
      case Op::square:
        return raised(n.a, 2);
      case Op::cube:
        return raised(n.a, 3);
      case Op::integer_power:
        return raised(n.a, n.k);
      case Op::power:
        node(n.a, atom);
        text_ += '^';
        return node(n.b, sign);
      case Op::negate:
        text_ += '-';
        return node(n.a, sign);
      case Op::negation:
        if (level == comparison) return infix(nodes_[n.a].a, " != ", nodes_[n.a].b, level);
        text_ += "not ";
        return node(n.a, denial);
      case Op::add:
        if (nodes_[n.b].op == Op::constant && number(constant(n.b))[0] == '-') {
          node(n.a, sum);
          text_ += " - " + number(-constant(n.b));
          return;
        }
        break;
      default:
        break;
    }
    if (level == atom) return call(n);
    infix(n.a, style(n.op).name, n.b, level);
  }

  void raised(NodeId base, int k) {
    node(base, atom);
    text_ += '^';
    text_ += std::to_string(k);
  }

  /// Operators group from the left; comparisons do not group at all.
  void infix(NodeId a, const char* name, NodeId b, Level level) {
    node(a, level == comparison ? sum : level);
    text_ += name;
    node(b, static_cast<Level>(level + 1));
  }

  void call(const Node& n) {
    text_ += style(n.op).name;
    char separator = '(';
    for (const NodeId operand : {n.a, n.b, n.c})
      if (operand != none) {
        text_ += separator;
        if (separator == ',') text_ += ' ';
        node(operand, disjunction);
        separator = ',';
      }
    text_ += ')';
  }

  const std::vector<Node>& nodes_;
  const std::vector<Constant>& constants_;
  const std::vector<std::string>& names_;
  std::string text_;
  int depth_ = 0;
};

}  // namespace

std::string Tape::print(int output) const {
  return Printer(nodes_, constants_, names_).print(roots_[static_cast<std::size_t>(output)]);
}

}  // namespace ricochet::expression
