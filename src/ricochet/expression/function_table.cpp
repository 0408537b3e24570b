#include "ricochet/expression/function_table.hpp"

#include <algorithm>
#include <array>

namespace ricochet::expression {
namespace {

constexpr auto functions = std::to_array<Function>({
    {"sin", Op::sin, 1, 1},          {"cos", Op::cos, 1, 1},          {"tan", Op::tan, 1, 1},
    {"asin", Op::asin, 1, 1},        {"acos", Op::acos, 1, 1},        {"atan", Op::atan, 1, 1},
    {"atan2", Op::atan2, 2, 2},      {"sinh", Op::sinh, 1, 1},        {"cosh", Op::cosh, 1, 1},
    {"tanh", Op::tanh, 1, 1},        {"exp", Op::exp, 1, 1},          {"log", Op::log, 1, 1},
    {"ln", Op::log, 1, 1},           {"log10", Op::log10, 1, 1},      {"sqrt", Op::sqrt, 1, 1},
    {"cbrt", Op::cbrt, 1, 1},        {"abs", Op::abs, 1, 1},          {"sign", Op::sign, 1, 1},
    {"min", Op::min, 2, any_number}, {"max", Op::max, 2, any_number}, {"pow", Op::power, 2, 2},
    {"hypot", Op::hypot, 2, 2},      {"floor", Op::floor, 1, 1},      {"ceil", Op::ceil, 1, 1},
    {"mod", Op::mod, 2, 2},          {"if", Op::choose, 3, 3},
});

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

const Function* find_function(std::string_view name) {
  const auto it = std::find_if(functions.begin(), functions.end(), [&](const Function& f) { return f.name == name; });
  return it == functions.end() ? nullptr : &*it;
}

const std::vector<std::string_view>& function_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> list;
    for (const Function& f : functions) list.push_back(f.name);
    return list;
  }();
  return names;
}

std::string name_fault(std::string_view name) {
  if (name.empty()) return "is empty";
  if (!is_letter(name[0])) return "does not start with a letter or an underscore";
  for (const char c : name)
    if (!is_letter(c) && !is_digit(c)) return "contains other characters than letters, digits and underscores";
  if (name == "and" || name == "or" || name == "not" || name == "if") return "is a word of the language";
  if (name == "pi") return "is a constant of the language";
  if (find_function(name)) return "is a function of the language";
  return {};
}

}  // namespace ricochet::expression
