// A plain number that counts how often exp was evaluated: shows what a tape computes and what it leaves out.
#pragma once

#include <cmath>

#include "ricochet/numerics/scalar.hpp"

namespace counted {

struct Counted {
  double v = 0;
  static inline long exponentials = 0;

  Counted() = default;
  Counted(double x) : v(x) {}  // NOLINT
  Counted(int x) : v(x) {}     // NOLINT
  friend Counted operator+(Counted a, Counted b) { return a.v + b.v; }
  friend Counted operator-(Counted a, Counted b) { return a.v - b.v; }
  friend Counted operator*(Counted a, Counted b) { return a.v * b.v; }
  friend Counted operator/(Counted a, Counted b) { return a.v / b.v; }
  friend Counted operator-(Counted a) { return -a.v; }
  Counted& operator+=(Counted b) { return *this = *this + b; }
  Counted& operator-=(Counted b) { return *this = *this - b; }
  friend bool operator<(Counted a, Counted b) { return a.v < b.v; }
  friend bool operator>(Counted a, Counted b) { return a.v > b.v; }
  friend bool operator<=(Counted a, Counted b) { return a.v <= b.v; }
  friend bool operator==(Counted a, Counted b) { return a.v == b.v; }
};

inline Counted exp(Counted x) {
  ++Counted::exponentials;
  return std::exp(x.v);
}
inline Counted sin(Counted x) { return std::sin(x.v); }
inline Counted cos(Counted x) { return std::cos(x.v); }
inline Counted tan(Counted x) { return std::tan(x.v); }
inline Counted asin(Counted x) { return std::asin(x.v); }
inline Counted acos(Counted x) { return std::acos(x.v); }
inline Counted atan(Counted x) { return std::atan(x.v); }
inline Counted sinh(Counted x) { return std::sinh(x.v); }
inline Counted cosh(Counted x) { return std::cosh(x.v); }
inline Counted tanh(Counted x) { return std::tanh(x.v); }
inline Counted log(Counted x) { return std::log(x.v); }
inline Counted log10(Counted x) { return std::log10(x.v); }
inline Counted sqrt(Counted x) { return std::sqrt(x.v); }
inline Counted cbrt(Counted x) { return std::cbrt(x.v); }
inline Counted abs(Counted x) { return std::abs(x.v); }
inline Counted floor(Counted x) { return std::floor(x.v); }
inline Counted ceil(Counted x) { return std::ceil(x.v); }
inline Counted atan2(Counted y, Counted x) { return std::atan2(y.v, x.v); }
inline Counted hypot(Counted x, Counted y) { return std::hypot(x.v, y.v); }
inline Counted pow(Counted x, Counted y) { return std::pow(x.v, y.v); }
inline Counted pow(Counted x, double y) { return std::pow(x.v, y); }
inline Counted min(Counted a, Counted b) { return a.v < b.v ? a : b; }
inline Counted max(Counted a, Counted b) { return a.v > b.v ? a : b; }
inline ricochet::numerics::Truth less(Counted a, Counted b) { return ricochet::numerics::less(a.v, b.v); }
inline Counted hull(Counted a, Counted) { return a; }
inline double value_of(Counted x) { return x.v; }

}  // namespace counted
