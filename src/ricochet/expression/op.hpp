// The operations of the language, shared by the parser, the graph and the tape.
#pragma once

#include <cstdint>

namespace ricochet::expression {

enum class Op : std::uint8_t {
  // leaves
  constant,
  variable,
  yes,
  no,
  // numbers
  add,
  subtract,
  multiply,
  divide,
  negate,
  square,
  cube,
  integer_power,
  power,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  log10,
  sqrt,
  cbrt,
  abs,
  sign,
  floor,
  ceil,
  atan2,
  hypot,
  min,
  max,
  mod,
  choose,
  // truths
  less,
  less_equal,
  equal,
  both,
  either,
  negation,
  // only on tapes: operations with a constant, whose adjoint nobody wants
  scale,
  shift,
  subtract_from,
  divide_by,
  divide_into,
  constant_power,
  // only on tapes: one evaluation for both, and the flow of control
  sincos,
  branch,
  ensure,
  stop,
};

constexpr bool is_leaf(Op op) { return op <= Op::no; }
constexpr bool is_truth(Op op) { return op == Op::yes || op == Op::no || (op >= Op::less && op <= Op::negation); }
constexpr int operands(Op op) {
  if (is_leaf(op)) return 0;
  switch (op) {
    case Op::choose:
      return 3;
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::power:
    case Op::atan2:
    case Op::hypot:
    case Op::min:
    case Op::max:
    case Op::mod:
    case Op::less:
    case Op::less_equal:
    case Op::equal:
    case Op::both:
    case Op::either:
      return 2;
    default:
      return 1;
  }
}

}  // namespace ricochet::expression
