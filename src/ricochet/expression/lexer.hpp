// Text → tokens.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ricochet::expression {

struct Token {
  enum class Kind { number, name, symbol, end };
  Kind kind = Kind::end;
  std::size_t offset = 0;
  std::string_view text;  // empty at the end

  bool is(std::string_view t) const { return kind != Kind::number && kind != Kind::end && text == t; }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  /// The next token; throws ParseError for what cannot start one.
  Token next();

 private:
  Token number();
  [[noreturn]] void bad_character() const;
  char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  std::string_view text_;
  std::size_t position_ = 0;
};

/// A piece of the user's text as it appears in a message: quoted, and cut where it is long.
std::string quoted(std::string_view text);

}  // namespace ricochet::expression
