// The functions of the language in any scalar. Constant folding and the tape call the same ones, so that a folded
// constant is the number the tape would have computed.
#pragma once

#include <cmath>
#include <type_traits>
#include <utility>

#include "ricochet/expression/op.hpp"
#include "ricochet/numerics/scalar.hpp"

namespace ricochet::numerics {
template <class R>
struct Ball;
}

namespace ricochet::expression {

using numerics::Truth;

namespace functions {

using numerics::hull;
using numerics::less;
using numerics::value_of;

/// The plain number under a scalar: constants of an expression are rounded to it.
template <class T>
using Real = std::decay_t<decltype(value_of(std::declval<const T&>()))>;

template <class T>
inline constexpr bool is_ball = false;
template <class R>
inline constexpr bool is_ball<numerics::Ball<R>> = true;

template <class T>
T square(const T& x) {
  using std::pow;
  if constexpr (is_ball<T>)
    return pow(x, 2);  // never negative, unlike the product of two independent balls
  else
    return x * x;
}

/// x^k by squaring: exact derivatives at x = 0 in every scalar. Long products would lose digits in plain numbers.
template <class T>
T integer_power(const T& x, int k) {
  if constexpr (std::is_floating_point_v<T>)
    if (k > 16 || k < -16) return std::pow(x, static_cast<T>(k));
  if constexpr (is_ball<T>) return pow(x, k);
  if (k < 0) return T(1) / integer_power(x, -k);
  if (k == 0) return T(1);
  T base = x;
  while (k % 2 == 0) {
    base = square(base);
    k /= 2;
  }
  T result = base;
  while ((k /= 2) > 0) {
    base = square(base);
    if (k % 2 == 1) result = result * base;
  }
  return result;
}

template <class T>
T power(const T& x, const T& y) {
  using std::pow;
  return pow(x, y);
}
/// x^p for a constant p: defined for the derivative types also where log(x) is not.
template <class T>
T constant_power(const T& x, Real<T> p) {
  using std::pow;
  if constexpr (!std::is_floating_point_v<T>)
    if (!(std::abs(p) < 1 << 30)) return pow(x, T(p));  // the others look whether p is an int
  return pow(x, p);
}

template <class T>
Truth is_less(const T& a, const T& b) {
  return less(a, b);
}
/// a ≤ b; no for NaN, as for plain numbers, hence not simply the negation of b < a.
template <class T>
Truth is_less_equal(const T& a, const T& b) {
  const Truth greater = less(b, a);
  if (greater == Truth::no) return a <= b ? Truth::yes : Truth::no;
  return greater == Truth::yes ? Truth::no : Truth::unknown;
}
inline Truth both(Truth a, Truth b) {
  if (a == Truth::no || b == Truth::no) return Truth::no;
  return a == Truth::yes && b == Truth::yes ? Truth::yes : Truth::unknown;
}
inline Truth negation(Truth a) {
  if (a == Truth::unknown) return a;
  return a == Truth::yes ? Truth::no : Truth::yes;
}
inline Truth either(Truth a, Truth b) { return negation(both(negation(a), negation(b))); }
template <class T>
Truth is_equal(const T& a, const T& b) {
  return both(is_less_equal(a, b), is_less_equal(b, a));
}

template <class T>
T sign(const T& x) {
  const T zero(0);
  const Truth negative = less(x, zero), positive = less(zero, x);
  if (negative == Truth::yes) return T(-1);
  if (positive == Truth::yes) return T(1);
  if (negative == Truth::no && positive == Truth::no) return value_of(x) == 0 ? zero : T(value_of(x));  // NaN
  return hull(T(negative == Truth::no ? 0 : -1), T(positive == Truth::no ? 0 : 1));
}

// For plain numbers a NaN on either side comes through: it must not vanish in a minimum.
template <class T>
T minimum(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>)
    return a < b || a != a ? a : b;
  else
    return min(a, b);
}
template <class T>
T maximum(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>)
    return b < a || a != a ? a : b;
  else
    return max(a, b);
}

/// a − b⌊a/b⌋: has the sign of b.
template <class T>
T mod(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    const T r = std::fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
  } else {
    return a - b * floor(a / b);
  }
}

template <class T>
void sincos(const T& x, T& s, T& c) {
#ifdef __GLIBC__
  if constexpr (std::is_same_v<T, double>) {
    ::sincos(x, &s, &c);
    return;
  } else if constexpr (std::is_same_v<T, long double>) {
    ::sincosl(x, &s, &c);
    return;
  }
#endif
  if constexpr (requires { sincos(x).s; }) {
    const auto y = sincos(x);
    s = y.s;
    c = y.c;
  } else {
    using std::cos;
    using std::sin;
    const T argument = x;  // s or c may be x
    s = sin(argument);
    c = cos(argument);
  }
}

/// Value of a number-valued operation; b is ignored where there is one operand, k is the integer exponent.
template <class T>
T apply(Op op, const T& a, const T& b, int k) {
  using std::abs, std::acos, std::asin, std::atan, std::atan2, std::cbrt, std::ceil, std::cos, std::cosh, std::exp;
  using std::floor, std::hypot, std::log, std::log10, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::negate:
      return -a;
    case Op::square:
      return square(a);
    case Op::cube:
      return square(a) * a;
    case Op::integer_power:
      return integer_power(a, k);
    case Op::power:
      return power(a, b);
    case Op::sin:
      return sin(a);
    case Op::cos:
      return cos(a);
    case Op::tan:
      return tan(a);
    case Op::asin:
      return asin(a);
    case Op::acos:
      return acos(a);
    case Op::atan:
      return atan(a);
    case Op::sinh:
      return sinh(a);
    case Op::cosh:
      return cosh(a);
    case Op::tanh:
      return tanh(a);
    case Op::exp:
      return exp(a);
    case Op::log:
      return log(a);
    case Op::log10:
      return log10(a);
    case Op::sqrt:
      return sqrt(a);
    case Op::cbrt:
      return cbrt(a);
    case Op::abs:
      return abs(a);
    case Op::sign:
      return sign(a);
    case Op::floor:
      return floor(a);
    case Op::ceil:
      return ceil(a);
    case Op::atan2:
      return atan2(a, b);
    case Op::hypot:
      return hypot(a, b);
    case Op::min:
      return minimum(a, b);
    case Op::max:
      return maximum(a, b);
    case Op::mod:
      return mod(a, b);
    default:
      return T(0);  // not a number-valued operation
  }
}

}  // namespace functions
}  // namespace ricochet::expression
