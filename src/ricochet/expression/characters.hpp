// Characters of a text in UTF-8, and those that nobody sees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ricochet::expression {

/// The character a text begins with; of 0 bytes where these are no UTF-8.
struct Character {
  std::size_t bytes;
  std::uint32_t code;
};
Character first_character(std::string_view text);

/// Controls of a terminal (C0, C1), marks that turn the direction of writing, and characters without a width: a name
/// that holds one reads as another, or as none.
bool is_unseen(std::uint32_t code);

/// Why a text should name nothing that people read, in a terminal, on a page or in a table: "" or "is empty", …
/// A spreadsheet takes a field that begins with one of = + - @ for a formula.
std::string label_fault(std::string_view name);

}  // namespace ricochet::expression
