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

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) { advance(); }

  Syntax parse() {
    if (token_.kind == Token::Kind::end) throw ParseError("the expression is empty", 0);
    expression(loosest);
    if (token_.kind != Token::Kind::end) unexpected("an operator");
    return std::move(syntax_);
  }

 private:
  /// Counts one level of recursion while it lives.
  struct Nested {
    explicit Nested(Parser& p) : parser(p) {
      if (++parser.depth_ > deepest_nesting)
        throw ParseError("the expression is nested deeper than " + std::to_string(deepest_nesting) + " levels",
                         parser.token_.offset);
    }
    ~Nested() { --parser.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    Parser& parser;
  };

  void advance() { token_ = lexer_.next(); }

  [[noreturn]] void unexpected(const std::string& wanted) const {
    if (token_.kind == Token::Kind::end) throw ParseError("expected " + wanted + ", but the text ends", token_.offset);
    throw ParseError("expected " + wanted + " before " + quoted(token_.text), token_.offset);
  }

  void apply(const Function& f, std::size_t offset, std::uint32_t count) {
    syntax_.items.push_back({.kind = Item::Kind::apply, .offset = offset, .function = &f, .count = count});
  }

  /// An operand and all operators that bind tighter than `level`.
  void expression(Level level) {
    const Nested nested(*this);
    if (token_.is("not") && level <= denial) {
      const std::size_t offset = token_.offset;
      advance();
      expression(denial);
      apply(denied, offset, 1);
    } else {
      signed_power();
    }
    while (const Operator* o = find_operator(token_)) {
      if (o->level <= level) break;
      const Token token = token_;
      advance();
      expression(o->level);
      apply(o->function, token.offset, 2);
      if (o->level == comparison && find_operator(token_) && find_operator(token_)->level == comparison)
        throw ParseError("comparisons cannot be chained; write a < b and b < c", token_.offset);
    }
  }

  /// [+-]… primary [^ signed_power]
  void signed_power() {
    if (token_.is("-") || token_.is("+")) {
      const Nested nested(*this);
      const Token token = token_;
      advance();
      signed_power();
      if (token.is("-")) apply(minus, token.offset, 1);
      return;
    }
    primary();
    if (token_.is("^")) {
      const Nested nested(*this);
      const std::size_t offset = token_.offset;
      advance();
      signed_power();
      apply(raised, offset, 2);
    }
  }

  void primary() {
    const Token token = token_;
    if (token.kind == Token::Kind::number) {
      advance();
      number(token);
    } else if (token.is("(")) {
      advance();
      expression(loosest);
      close(token.offset);
    } else if (token.kind == Token::Kind::name && !is_word(token)) {
      advance();
      if (token_.is("("))
        call(token);
      else
        syntax_.items.push_back({.kind = Item::Kind::name, .offset = token.offset, .name = token.text});
    } else {
      unexpected("a number, a name or '('");
    }
  }

  void close(std::size_t opened) {
    if (token_.kind == Token::Kind::end) throw ParseError("this '(' is never closed", opened);
    if (!token_.is(")")) unexpected(token_.is(",") ? "')'" : "an operator or ')'");
    advance();
  }

  void call(const Token& name) {
    const Function* f = find_function(name.text);
    if (!f) {
      const std::string hint = suggestion(name.text, function_names());
      throw ParseError(quoted(name.text) + " is not a function" +
                           (hint.empty() ? "; write * for a product, or one of " + listed(function_names()) : hint),
                       name.offset);
    }
    const std::size_t opened = token_.offset;
    advance();
    std::uint32_t count = 0;
    if (!token_.is(")")) {
      expression(loosest);
      for (count = 1; token_.is(","); ++count) {
        advance();
        expression(loosest);
      }
    }
    close(opened);
    const auto given = static_cast<int>(std::min<std::uint32_t>(count, any_number));
    if (given < f->least_arguments || given > f->most_arguments)
      throw ParseError(std::string(f->name) + "() takes " + (f->most_arguments == any_number ? "at least " : "") +
                           std::to_string(f->least_arguments) + (f->least_arguments == 1 ? " argument" : " arguments") +
                           ", not " + std::to_string(count),
                       name.offset);
    apply(*f, name.offset, count);
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
  int depth_ = 0;
};

}  // namespace

Syntax parse(std::string_view text) { return Parser(text).parse(); }

}  // namespace ricochet::expression
