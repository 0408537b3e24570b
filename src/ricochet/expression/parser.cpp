#include <charconv>

#include "ricochet/expression/lexer.hpp"
#include "ricochet/expression/nearest.hpp"
#include "ricochet/expression/parse_error.hpp"
#include "ricochet/expression/syntax.hpp"

namespace ricochet::expression {
namespace {

using Form = Function::Form;

// Precedence from loose to tight; a sign binds tighter than * and looser than ^, so that -x^2 = -(x^2).
enum Level { loosest, disjunction, conjunction, denial, comparison, sum, product, sign };

struct Operator {
  Function function;
  Level level;
};
constexpr Operator operators[] = {
    {{"or", Op::either, 2, 2}, disjunction},
    {{"and", Op::both, 2, 2}, conjunction},
    {{"<", Op::less, 2, 2}, comparison},
    {{"<=", Op::less_equal, 2, 2}, comparison},
    {{">", Op::less, 2, 2, Form::swapped}, comparison},
    {{">=", Op::less_equal, 2, 2, Form::swapped}, comparison},
    {{"==", Op::equal, 2, 2}, comparison},
    {{"!=", Op::equal, 2, 2, Form::negated}, comparison},
    {{"+", Op::add, 2, 2}, sum},
    {{"-", Op::subtract, 2, 2}, sum},
    {{"*", Op::multiply, 2, 2}, product},
    {{"/", Op::divide, 2, 2}, product},
};
constexpr Function minus{"-", Op::negate, 1, 1};
constexpr Function denied{"not", Op::negation, 1, 1};
constexpr Function raised{"^", Op::power, 2, 2};

const Operator* find_operator(const Token& token) {
  for (const Operator& o : operators)
    if (token.is(o.function.name)) return &o;
  return nullptr;
}
bool is_word(const Token& t) { return t.is("and") || t.is("or") || t.is("not"); }

/// Operators whose operands are still being read wait on a stack of our own: threads may have small ones.
class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) { advance(); }

  Syntax parse() {
    if (token_.kind == Token::Kind::end) throw ParseError("the expression is empty", 0);
    do operand();
    while (another());
    return std::move(syntax_);
  }

 private:
  /// What waits: a '(' or a call for its ')', an operator for its last operand. A sign or a power takes signs, powers
  /// and primaries, any other what binds tighter than its level.
  struct Waiting {
    enum class Kind { group, call, infix, denial, sign, power };
    Kind kind;
    Level level = loosest;
    const Function* function = nullptr;  // none of a group, and of the sign +
    std::size_t offset = 0;              // of the operator, of the name, of the '(' of a group
    std::size_t opened = 0;              // of the '(' of a call
    std::uint32_t count = 0;             // of its arguments so far
  };
  using Kind = Waiting::Kind;

  void advance() { token_ = lexer_.next(); }

  [[noreturn]] void unexpected(const std::string& wanted) const {
    if (token_.kind == Token::Kind::end) throw ParseError("expected " + wanted + ", but the text ends", token_.offset);
    throw ParseError("expected " + wanted + " before " + quoted(token_.text), token_.offset);
  }

  void push(const Waiting& waiting) {
    waiting_.push_back(waiting);
    if (waiting_.size() >= deepest_nesting)
      throw ParseError("the expression is nested deeper than " + std::to_string(deepest_nesting) + " levels",
                       token_.offset);
  }
  /// The last that waits has all its operands.
  void pop() {
    const Waiting top = waiting_.back();
    waiting_.pop_back();
    if (top.function == nullptr) return;
    const bool binary = top.kind == Kind::infix || top.kind == Kind::power;
    apply(*top.function, top.offset, binary ? 2 : 1);
    if (top.kind != Kind::infix || top.level != comparison) return;
    if (const Operator* next = find_operator(token_); next != nullptr && next->level == comparison)
      throw ParseError("comparisons cannot be chained; write a < b and b < c", token_.offset);
  }
  bool on_top(Kind kind) const { return !waiting_.empty() && waiting_.back().kind == kind; }

  void apply(const Function& f, std::size_t offset, std::uint32_t count) {
    syntax_.items.push_back({.kind = Item::Kind::apply, .offset = offset, .function = &f, .count = count});
  }

  /// Up to the end of the next primary: what may stand before it, and what it opens.
  void operand() {
    for (;;) {
      const std::size_t offset = token_.offset;
      const bool may_deny =
          !on_top(Kind::sign) && !on_top(Kind::power) && (waiting_.empty() || waiting_.back().level <= denial);
      if (token_.is("not") && may_deny) {
        advance();
        push({.kind = Kind::denial, .level = denial, .function = &denied, .offset = offset});
      } else if (token_.is("-") || token_.is("+")) {
        push({.kind = Kind::sign, .function = token_.is("-") ? &minus : nullptr, .offset = offset});
        advance();
      } else if (token_.is("(")) {
        advance();
        push({.kind = Kind::group, .offset = offset});
      } else if (primary()) {
        return;
      }
    }
  }

  /// A number, a name, a call without arguments; false where a call begins whose arguments come next.
  bool primary() {
    const Token token = token_;
    if (token.kind == Token::Kind::number) {
      advance();
      number(token);
    } else if (token.kind == Token::Kind::name && !is_word(token)) {
      advance();
      if (token_.is("(")) return call(token);
      syntax_.items.push_back({.kind = Item::Kind::name, .offset = token.offset, .name = token.text});
    } else {
      unexpected("a number, a name or '('");
    }
    return true;
  }

  /// Behind a primary: whether another operand follows. Operators that have theirs are applied, ')' end what they end.
  bool another() {
    for (;;) {
      if (token_.is("^")) {
        push({.kind = Kind::power, .function = &raised, .offset = token_.offset});
        advance();
        return true;
      }
      while (on_top(Kind::sign) || on_top(Kind::power)) pop();
      const Operator* next = find_operator(token_);
      while ((on_top(Kind::infix) || on_top(Kind::denial)) && (!next || next->level <= waiting_.back().level)) pop();
      if (next != nullptr) {
        const std::size_t offset = token_.offset;
        advance();
        push({.kind = Kind::infix, .level = next->level, .function = &next->function, .offset = offset});
        return true;
      }
      if (waiting_.empty()) {
        if (token_.kind != Token::Kind::end) unexpected("an operator");
        return false;
      }
      if (on_top(Kind::call) && token_.is(",")) {
        ++waiting_.back().count;
        advance();
        return true;
      }
      const Waiting top = waiting_.back();
      close(top.kind == Kind::call ? top.opened : top.offset);
      waiting_.pop_back();
      if (top.kind == Kind::call) apply_call(*top.function, top.offset, top.count + 1);
    }
  }

  void close(std::size_t opened) {
    if (token_.kind == Token::Kind::end) throw ParseError("this '(' is never closed", opened);
    if (!token_.is(")")) unexpected(token_.is(",") ? "')'" : "an operator or ')'");
    advance();
  }

  /// Whether the call ends here, without arguments.
  bool call(const Token& name) {
    const Function* f = find_function(name.text);
    if (!f) {
      const std::string hint = suggestion(name.text, function_names());
      throw ParseError(quoted(name.text) + " is not a function" +
                           (hint.empty() ? "; write * for a product, or one of " + listed(function_names()) : hint),
                       name.offset);
    }
    const std::size_t opened = token_.offset;
    advance();
    if (!token_.is(")")) {
      push({.kind = Kind::call, .function = f, .offset = name.offset, .opened = opened});
      return false;
    }
    advance();
    apply_call(*f, name.offset, 0);
    return true;
  }

  void apply_call(const Function& f, std::size_t offset, std::uint32_t count) {
    const auto given = static_cast<int>(std::min<std::uint32_t>(count, any_number));
    if (given < f.least_arguments || given > f.most_arguments)
      throw ParseError(std::string(f.name) + "() takes " + (f.most_arguments == any_number ? "at least " : "") +
                           std::to_string(f.least_arguments) + (f.least_arguments == 1 ? " argument" : " arguments") +
                           ", not " + std::to_string(count),
                       offset);
    apply(f, offset, count);
  }

  void number(const Token& token) {
    Constant c;
    const char *first = token.text.data(), *last = first + token.text.size();
    const auto d = std::from_chars(first, last, c.d);
    const auto l = std::from_chars(first, last, c.l);
    if (d.ec == std::errc::result_out_of_range || l.ec == std::errc::result_out_of_range)
      throw ParseError("the number " + quoted(token.text) + " is out of range", token.offset);
    if (d.ec != std::errc() || d.ptr != last || l.ec != std::errc() || l.ptr != last)
      throw ParseError(quoted(token.text) + " is not a number", token.offset);
    syntax_.items.push_back({.kind = Item::Kind::number, .offset = token.offset, .value = c});
  }

  Lexer lexer_;
  Token token_;
  Syntax syntax_;
  std::vector<Waiting> waiting_;
};

}  // namespace

Syntax parse(std::string_view text) { return Parser(text).parse(); }

}  // namespace ricochet::expression
