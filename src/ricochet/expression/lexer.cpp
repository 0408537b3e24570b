#include "ricochet/expression/lexer.hpp"

#include <array>
#include <cstdio>

#include "ricochet/expression/characters.hpp"
#include "ricochet/expression/parse_error.hpp"

namespace ricochet::expression {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

template <class... A>
std::string format(const char* pattern, A... a) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), pattern, a...);
  return buffer.data();
}

}  // namespace

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string result(1, '\'');
  result.append(text.substr(0, longest)).append(text.size() > longest ? "...'" : "'");
  return result;
}

void Lexer::bad_character() const {
  const char c = text_[position_];
  const std::string_view rest = text_.substr(position_);
  const auto fail = [&](const std::string& message) { throw ParseError(message, position_); };
  if (static_cast<unsigned char>(c) >= 0x80) {
    const Character u = first_character(rest);
    if (u.bytes == 0)
      fail(format("byte 0x%02X is not ASCII", static_cast<unsigned>(static_cast<unsigned char>(c))) +
           "; expressions are written in ASCII");
    fail("character '" + std::string(rest.substr(0, u.bytes)) + "' (" + format("U+%04X", unsigned(u.code)) +
         ") is not ASCII; expressions are written in ASCII");
  }
  if (c == '=') fail("'=' is not an operator; write == to compare");
  if (c == '!') fail("'!' is not an operator; write not, or != to compare");
  if (c == '&') fail("'&' is not an operator; write and");
  if (c == '|') fail("'|' is not an operator; write or, or abs(...)");
  if (c == '.') fail("'.' is not part of a number here");
  if (c < ' ' || c == 0x7F) fail(format("unexpected byte 0x%02X", static_cast<unsigned>(c)));
  throw ParseError("unexpected character '" + std::string(1, c) + "'", position_);
}

Token Lexer::number() {
  std::size_t i = position_;
  while (is_digit(at(i))) ++i;
  if (at(i) == '.') ++i;
  while (is_digit(at(i))) ++i;
  if (at(i) == 'e' || at(i) == 'E') {
    const std::size_t sign = at(i + 1) == '+' || at(i + 1) == '-' ? 1 : 0;
    if (is_digit(at(i + 1 + sign)))
      for (i += 1 + sign; is_digit(at(i));) ++i;
  }
  const Token token{Token::Kind::number, position_, text_.substr(position_, i - position_)};
  if (is_letter(at(i)))
    throw ParseError("a name follows the number " + quoted(token.text) + " directly; write * between them", i);
  position_ = i;
  return token;
}

Token Lexer::next() {
  while (position_ < text_.size() && is_space(text_[position_])) ++position_;
  if (position_ == text_.size()) return {Token::Kind::end, position_, {}};
  const char c = text_[position_];
  if (is_digit(c) || (c == '.' && is_digit(at(position_ + 1)))) return number();
  std::size_t length = 0;
  if (is_letter(c)) {
    while (is_letter(at(position_ + length)) || is_digit(at(position_ + length))) ++length;
  } else {
    const std::string_view pair = text_.substr(position_, 2);
    if (pair == "**") throw ParseError("'**' is not an operator; write ^ for a power", position_);
    if (pair == "<=" || pair == ">=" || pair == "==" || pair == "!=")
      length = 2;
    else if (std::string_view("+-*/^(),<>").find(c) != std::string_view::npos)
      length = 1;
    else
      bad_character();
  }
  const Token token{is_letter(c) ? Token::Kind::name : Token::Kind::symbol, position_, text_.substr(position_, length)};
  position_ += length;
  return token;
}

}  // namespace ricochet::expression
