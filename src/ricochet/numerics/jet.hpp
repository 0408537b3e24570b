// Forward automatic differentiation: a value with N partial derivatives. Nested jets give second derivatives.
#pragma once

#include <array>
#include <cstddef>

#include "ricochet/numerics/scalar.hpp"

namespace ricochet::numerics {

template <class T, int N>
struct Jet {
  T v{};
  std::array<T, static_cast<std::size_t>(N)> d{};

  constexpr Jet() = default;
  constexpr Jet(const T& value) : v(value) {}  // NOLINT: a constant is a jet
  template <Arithmetic A>
    requires(!std::same_as<A, T>)
  constexpr Jet(A value) : v(T(value)) {}  // NOLINT
  /// The i-th independent variable.
  static constexpr Jet variable(const T& value, int i) {
    Jet x(value);
    x.d[static_cast<std::size_t>(i)] = T(1);
    return x;
  }

  [[gnu::always_inline]] friend constexpr Jet operator-(Jet a) {
    a.v = -a.v;
    for (T& x : a.d) x = -x;
    return a;
  }
  friend constexpr Jet operator+(const Jet& a) { return a; }
  [[gnu::always_inline]] friend constexpr Jet operator+(Jet a, const Jet& b) { return a += b; }
  [[gnu::always_inline]] friend constexpr Jet operator-(Jet a, const Jet& b) { return a -= b; }
  [[gnu::always_inline]] friend constexpr Jet operator*(const Jet& a, const Jet& b) {
    Jet y(a.v * b.v);
    for (std::size_t i = 0; i < y.d.size(); ++i) y.d[i] = a.v * b.d[i] + b.v * a.d[i];
    return y;
  }
  /// A number times a jet: without the products with its zero derivatives, which the compiler must otherwise keep.
  template <Arithmetic A>
  [[gnu::always_inline]] friend constexpr Jet operator*(A c, const Jet& b) {
    Jet y;
    y.v = scale(c, b.v);
    for (std::size_t i = 0; i < y.d.size(); ++i) y.d[i] = scale(c, b.d[i]);
    return y;
  }
  template <Arithmetic A>
  friend constexpr Jet operator*(const Jet& a, A c) {
    return c * a;
  }
  friend constexpr Jet operator/(const Jet& a, const Jet& b) {
    const T w = T(1) / b.v;
    Jet y(a.v * w);
    for (std::size_t i = 0; i < y.d.size(); ++i) y.d[i] = (a.d[i] - y.v * b.d[i]) * w;
    return y;
  }
  template <Arithmetic A>
  static constexpr T scale(A c, const T& x) {
    if constexpr (Arithmetic<T>)
      return static_cast<T>(c) * x;
    else
      return c * x;
  }
  [[gnu::always_inline]] constexpr Jet& operator+=(const Jet& b) {
    v = v + b.v;
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = d[i] + b.d[i];
    return *this;
  }
  [[gnu::always_inline]] constexpr Jet& operator-=(const Jet& b) {
    v = v - b.v;
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = d[i] - b.d[i];
    return *this;
  }
  constexpr Jet& operator*=(const Jet& b) { return *this = *this * b; }
  constexpr Jet& operator/=(const Jet& b) { return *this = *this / b; }

  friend constexpr bool operator<(const Jet& a, const Jet& b) { return a.v < b.v; }
  friend constexpr bool operator>(const Jet& a, const Jet& b) { return a.v > b.v; }
  friend constexpr bool operator<=(const Jet& a, const Jet& b) { return a.v <= b.v; }
  friend constexpr bool operator>=(const Jet& a, const Jet& b) { return a.v >= b.v; }
  friend constexpr bool operator==(const Jet& a, const Jet& b) { return a.v == b.v; }
};

template <class T, int N>
constexpr Truth less(const Jet<T, N>& a, const Jet<T, N>& b) {
  return less(a.v, b.v);
}
template <class T, int N>
constexpr Jet<T, N> hull(const Jet<T, N>& a, const Jet<T, N>& b) {
  Jet<T, N> y(hull(a.v, b.v));
  for (std::size_t i = 0; i < y.d.size(); ++i) y.d[i] = hull(a.d[i], b.d[i]);
  return y;
}
template <class T, int N>
constexpr auto value_of(const Jet<T, N>& x) {
  return value_of(x.v);
}

/// The chain rule: value f and slope f' at x.v.
template <class T, int N>
constexpr Jet<T, N> chain(const T& f, const T& slope, const Jet<T, N>& x) {
  Jet<T, N> y(f);
  for (std::size_t i = 0; i < y.d.size(); ++i) y.d[i] = slope * x.d[i];
  return y;
}

template <class T, int N>
Jet<T, N> sin(const Jet<T, N>& x) {
  using std::cos;
  using std::sin;
  return chain(T(sin(x.v)), T(cos(x.v)), x);
}
template <class T, int N>
Jet<T, N> cos(const Jet<T, N>& x) {
  using std::cos;
  using std::sin;
  return chain(T(cos(x.v)), T(-sin(x.v)), x);
}
template <class T, int N>
Jet<T, N> tan(const Jet<T, N>& x) {
  using std::tan;
  const T t = tan(x.v);
  return chain(t, T(T(1) + t * t), x);
}
template <class T, int N>
Jet<T, N> exp(const Jet<T, N>& x) {
  using std::exp;
  const T e = exp(x.v);
  return chain(e, e, x);
}
template <class T, int N>
Jet<T, N> log(const Jet<T, N>& x) {
  using std::log;
  return chain(T(log(x.v)), T(T(1) / x.v), x);
}
template <class T, int N>
Jet<T, N> log10(const Jet<T, N>& x) {
  using std::log;
  return log(x) / Jet<T, N>(T(log(T(10))));
}
template <class T, int N>
Jet<T, N> sqrt(const Jet<T, N>& x) {
  using std::sqrt;
  const T r = sqrt(x.v);
  return chain(r, T(T(1) / (T(2) * r)), x);
}
template <class T, int N>
Jet<T, N> cbrt(const Jet<T, N>& x) {
  using std::cbrt;
  const T r = cbrt(x.v);
  return chain(r, T(T(1) / (T(3) * r * r)), x);
}
template <class T, int N>
Jet<T, N> asin(const Jet<T, N>& x) {
  using std::asin;
  using std::sqrt;
  return chain(T(asin(x.v)), T(T(1) / sqrt(T(1) - x.v * x.v)), x);
}
template <class T, int N>
Jet<T, N> acos(const Jet<T, N>& x) {
  using std::acos;
  using std::sqrt;
  return chain(T(acos(x.v)), T(T(-1) / sqrt(T(1) - x.v * x.v)), x);
}
template <class T, int N>
Jet<T, N> atan(const Jet<T, N>& x) {
  using std::atan;
  return chain(T(atan(x.v)), T(T(1) / (T(1) + x.v * x.v)), x);
}
template <class T, int N>
Jet<T, N> sinh(const Jet<T, N>& x) {
  using std::cosh;
  using std::sinh;
  return chain(T(sinh(x.v)), T(cosh(x.v)), x);
}
template <class T, int N>
Jet<T, N> cosh(const Jet<T, N>& x) {
  using std::cosh;
  using std::sinh;
  return chain(T(cosh(x.v)), T(sinh(x.v)), x);
}
template <class T, int N>
Jet<T, N> tanh(const Jet<T, N>& x) {
  using std::tanh;
  const T t = tanh(x.v);
  return chain(t, T(T(1) - t * t), x);
}
template <class T, int N>
Jet<T, N> pow(const Jet<T, N>& x, int k) {
  if (k < 0) return Jet<T, N>(1) / pow(x, -k);
  Jet<T, N> y(1), b = x;
  for (int n = k; n > 0; n >>= 1, b = n > 0 ? b * b : b)
    if (n & 1) y = y * b;
  return y;
}
template <class T, int N>
Jet<T, N> pow(const Jet<T, N>& x, const Jet<T, N>& y) {
  using std::log;
  using std::pow;
  const T f = pow(x.v, y.v), dx = y.v * pow(x.v, y.v - T(1));
  Jet<T, N> r(f);
  const T dy = f * log(x.v);
  for (std::size_t i = 0; i < r.d.size(); ++i) r.d[i] = dx * x.d[i] + dy * y.d[i];
  return r;
}
template <class T, int N, Arithmetic A>
  requires(!std::same_as<A, int>)
Jet<T, N> pow(const Jet<T, N>& x, A a) {
  using std::pow;
  if (a == static_cast<A>(static_cast<int>(a))) return pow(x, static_cast<int>(a));
  return chain(T(pow(x.v, a)), T(T(a) * pow(x.v, a - 1)), x);
}
template <class T, int N>
Jet<T, N> abs(const Jet<T, N>& x) {
  const Truth negative = less(x.v, T(0));
  if (negative == Truth::unknown) return hull(x, -x);
  return negative == Truth::yes ? -x : x;
}
template <class T, int N>
Jet<T, N> min(const Jet<T, N>& a, const Jet<T, N>& b) {
  const Truth first = less(a.v, b.v);
  if (first == Truth::unknown) return hull(a, b);
  return first == Truth::yes ? a : b;
}
template <class T, int N>
Jet<T, N> max(const Jet<T, N>& a, const Jet<T, N>& b) {
  return -min(-a, -b);
}
template <class T, int N>
Jet<T, N> floor(const Jet<T, N>& x) {
  using std::floor;
  return Jet<T, N>(T(floor(x.v)));
}
template <class T, int N>
Jet<T, N> ceil(const Jet<T, N>& x) {
  using std::ceil;
  return Jet<T, N>(T(ceil(x.v)));
}
template <class T, int N>
Jet<T, N> hypot(const Jet<T, N>& x, const Jet<T, N>& y) {
  return sqrt(x * x + y * y);
}
template <class T, int N>
Jet<T, N> atan2(const Jet<T, N>& y, const Jet<T, N>& x) {
  using std::atan2;
  const T w = T(1) / (x.v * x.v + y.v * y.v);
  Jet<T, N> a(T(atan2(y.v, x.v)));
  for (std::size_t i = 0; i < a.d.size(); ++i) a.d[i] = (x.v * y.d[i] - y.v * x.d[i]) * w;
  return a;
}
template <class T, int N>
bool isfinite(const Jet<T, N>& x) {
  using std::isfinite;
  if (!isfinite(x.v)) return false;
  for (const T& v : x.d)
    if (!isfinite(v)) return false;
  return true;
}

}  // namespace ricochet::numerics
