// What all scalars of the project share: plain reals, balls, Taylor series and jets.
#pragma once

#include <cmath>
#include <concepts>
#include <span>
#include <type_traits>

namespace ricochet {

/// Coordinates as a user's functor sees them: `template <class T> T potential(Point<T> q) const`.
template <class T>
using Point = std::span<const T>;

}  // namespace ricochet

namespace ricochet::numerics {

/// Outcome of a comparison; `unknown` only for balls that overlap.
enum class Truth { no, yes, unknown };

template <class T>
  requires std::is_floating_point_v<T>
constexpr Truth less(T a, T b) {
  return a < b ? Truth::yes : Truth::no;
}

/// The smallest scalar that encloses both; for exact scalars only ever called with one candidate.
template <class T>
  requires std::is_floating_point_v<T>
constexpr T hull(T a, T) {
  return a;
}

/// Plain number at the bottom of a nested scalar.
template <class T>
  requires std::is_floating_point_v<T>
constexpr T value_of(T x) {
  return x;
}

template <class A>
concept Arithmetic = std::is_arithmetic_v<A>;

}  // namespace ricochet::numerics
