#include "ricochet/expression/characters.hpp"

namespace ricochet::expression {
namespace {

bool is_space(std::uint32_t code) {
  return code == ' ' || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x202F ||
         code == 0x205F || code == 0x3000;
}

}  // namespace

Character first_character(std::string_view s) {
  const auto byte = [&](std::size_t i) -> std::uint32_t { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0; };
  const std::uint32_t first = byte(0);
  if (s.empty() || (first >= 0x80 && first < 0xC2) || first >= 0xF5) return {0, 0};
  if (first < 0x80) return {1, first};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  std::uint32_t code = first & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {0, 0};
    code = code << 6 | (byte(i) & 0x3F);
  }
  const std::uint32_t least = bytes == 2 ? 0x80 : bytes == 3 ? 0x800 : 0x10000;
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  return code < least || code > 0x10FFFF || surrogate ? Character{0, 0} : Character{bytes, code};
}

bool is_unseen(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0xAD || code == 0x61C || code == 0x180E ||
         (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF;
}

std::string label_fault(std::string_view name) {
  if (name.empty()) return "is empty";
  if (std::string_view("=+-@").find(name.front()) != std::string_view::npos)
    return std::string("begins with '") + name.front() + "', which a spreadsheet would take for a formula";
  bool blank = true;
  for (std::size_t at = 0; at < name.size();) {
    const Character c = first_character(name.substr(at));
    if (c.bytes == 0) return "is not UTF-8";
    if (is_unseen(c.code)) return "contains a character that cannot be seen";
    blank = blank && is_space(c.code);
    at += c.bytes;
  }
  return blank ? "is blank" : "";
}

}  // namespace ricochet::expression
