// The names of the language: operators, functions and reserved words.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/expression/op.hpp"

namespace ricochet::expression {

/// How an operator or function is made of an Op.
struct Function {
  enum class Form : std::uint8_t { plain, swapped, negated };
  std::string_view name;
  Op op;
  int least_arguments, most_arguments;  // more than two: applied from the left, min(a,b,c) = min(min(a,b),c)
  Form form = Form::plain;
};

inline constexpr int any_number = 1 << 30;

/// The function called `name`, or nullptr.
const Function* find_function(std::string_view name);
/// Names of all functions, `if` included: what an unknown function is compared with.
const std::vector<std::string_view>& function_names();

/// Why `name` cannot name a coordinate or a parameter, as the end of a sentence that starts with the name;
/// empty if it can ("is a function of the language").
std::string name_fault(std::string_view name);

}  // namespace ricochet::expression
