// Text → syntax: the expression in postfix order, names not yet looked up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/expression/function_table.hpp"

namespace ricochet::expression {

/// A literal in both precisions: 0.1 is the double nearest to 1/10 in a double run, the long double nearest in another.
struct Constant {
  double d = 0;
  long double l = 0;
};

struct Item {
  enum class Kind : std::uint8_t { number, name, apply };
  Kind kind;
  std::size_t offset;                  // where it stands in the text
  std::string_view name{};             // of a name; refers to Syntax::text
  Constant value{};                    // of a number
  const Function* function = nullptr;  // to apply to the last `count` values
  std::uint32_t count = 0;
};

struct Syntax {
  std::vector<Item> items;
};

/// Deeper nesting of parentheses, calls, powers and signs is an error: nobody has written it.
inline constexpr std::size_t deepest_nesting = 1000;

/// Parses `text`, which must outlive the result; throws ParseError.
Syntax parse(std::string_view text);

}  // namespace ricochet::expression
