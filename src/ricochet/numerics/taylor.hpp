// Truncated Taylor series in one variable: derivatives of a gap along a flight.
#pragma once

#include <array>
#include <cstddef>

#include "ricochet/numerics/scalar.hpp"

namespace ricochet::numerics {

/// c[0] + c[1] σ + … + c[K] σ^K; the k-th derivative is k!·c[k]. T may itself be a ball or a jet.
template <class T, int K>
struct Taylor {
  std::array<T, static_cast<std::size_t>(K) + 1> c{};

  constexpr Taylor() = default;
  constexpr Taylor(const T& v) { c[0] = v; }  // NOLINT: a constant is a series
  template <Arithmetic A>
    requires(!std::same_as<A, T>)
  constexpr Taylor(A v) {  // NOLINT
    c[0] = T(v);
  }

  constexpr T& operator[](int k) { return c[static_cast<std::size_t>(k)]; }
  constexpr const T& operator[](int k) const { return c[static_cast<std::size_t>(k)]; }

  friend constexpr Taylor operator-(Taylor a) {
    for (T& x : a.c) x = -x;
    return a;
  }
  friend constexpr Taylor operator+(const Taylor& a) { return a; }
  friend constexpr Taylor operator+(Taylor a, const Taylor& b) {
    for (int k = 0; k <= K; ++k) a[k] = a[k] + b[k];
    return a;
  }
  friend constexpr Taylor operator-(Taylor a, const Taylor& b) {
    for (int k = 0; k <= K; ++k) a[k] = a[k] - b[k];
    return a;
  }
  friend constexpr Taylor operator*(const Taylor& a, const Taylor& b) {
    Taylor y;
    for (int k = 0; k <= K; ++k) {
      T s = a[0] * b[k];
      for (int j = 1; j <= k; ++j) s = s + a[j] * b[k - j];
      y[k] = s;
    }
    return y;
  }
  friend constexpr Taylor operator/(const Taylor& a, const Taylor& b) {
    Taylor y;
    for (int k = 0; k <= K; ++k) {
      T s = a[k];
      for (int j = 1; j <= k; ++j) s = s - b[j] * y[k - j];
      y[k] = s / b[0];
    }
    return y;
  }
  constexpr Taylor& operator+=(const Taylor& b) { return *this = *this + b; }
  constexpr Taylor& operator-=(const Taylor& b) { return *this = *this - b; }
  constexpr Taylor& operator*=(const Taylor& b) { return *this = *this * b; }
  constexpr Taylor& operator/=(const Taylor& b) { return *this = *this / b; }

  friend constexpr bool operator<(const Taylor& a, const Taylor& b) { return a[0] < b[0]; }
  friend constexpr bool operator>(const Taylor& a, const Taylor& b) { return a[0] > b[0]; }
  friend constexpr bool operator<=(const Taylor& a, const Taylor& b) { return a[0] <= b[0]; }
  friend constexpr bool operator>=(const Taylor& a, const Taylor& b) { return a[0] >= b[0]; }
  friend constexpr bool operator==(const Taylor& a, const Taylor& b) { return a[0] == b[0]; }
};

template <class T, int K>
constexpr Truth less(const Taylor<T, K>& a, const Taylor<T, K>& b) {
  return less(a[0], b[0]);
}
template <class T, int K>
constexpr Taylor<T, K> hull(const Taylor<T, K>& a, const Taylor<T, K>& b) {
  Taylor<T, K> y;
  for (int k = 0; k <= K; ++k) y[k] = hull(a[k], b[k]);
  return y;
}
template <class T, int K>
constexpr auto value_of(const Taylor<T, K>& x) {
  return value_of(x[0]);
}

/// Series of f(x) from f(x₀) and the series of f'(x): k y_k = Σ_j j x_j f'_{k−j}. Needs f' only up to order K−1.
template <class T, int K>
Taylor<T, K> integrate(const T& f0, const Taylor<T, K>& derivative, const Taylor<T, K>& x) {
  Taylor<T, K> y;
  y[0] = f0;
  for (int k = 1; k <= K; ++k) {
    T s = x[1] * derivative[k - 1];
    for (int j = 2; j <= k; ++j) s = s + T(j) * x[j] * derivative[k - j];
    y[k] = s / T(k);
  }
  return y;
}

template <class T, int K>
struct SinCos {
  Taylor<T, K> s, c;
};
template <class T, int K>
SinCos<T, K> sincos(const Taylor<T, K>& x) {
  using std::cos;
  using std::sin;
  SinCos<T, K> y;
  y.s[0] = sin(x[0]);
  y.c[0] = cos(x[0]);
  for (int k = 1; k <= K; ++k) {
    T s = x[1] * y.c[k - 1], c = x[1] * y.s[k - 1];
    for (int j = 2; j <= k; ++j) {
      s = s + T(j) * x[j] * y.c[k - j];
      c = c + T(j) * x[j] * y.s[k - j];
    }
    y.s[k] = s / T(k);
    y.c[k] = -c / T(k);
  }
  return y;
}
template <class T, int K>
Taylor<T, K> sin(const Taylor<T, K>& x) {
  return sincos(x).s;
}
template <class T, int K>
Taylor<T, K> cos(const Taylor<T, K>& x) {
  return sincos(x).c;
}
template <class T, int K>
Taylor<T, K> tan(const Taylor<T, K>& x) {
  const auto y = sincos(x);
  return y.s / y.c;
}
template <class T, int K>
Taylor<T, K> exp(const Taylor<T, K>& x) {
  using std::exp;
  Taylor<T, K> y;
  y[0] = exp(x[0]);
  for (int k = 1; k <= K; ++k) {
    T s = x[1] * y[k - 1];
    for (int j = 2; j <= k; ++j) s = s + T(j) * x[j] * y[k - j];
    y[k] = s / T(k);
  }
  return y;
}
template <class T, int K>
Taylor<T, K> log(const Taylor<T, K>& x) {
  using std::log;
  return integrate(log(x[0]), Taylor<T, K>(1) / x, x);
}
template <class T, int K>
Taylor<T, K> log10(const Taylor<T, K>& x) {
  using std::log;
  return log(x) / Taylor<T, K>(log(T(10)));
}
template <class T, int K>
Taylor<T, K> sqrt(const Taylor<T, K>& x) {
  using std::sqrt;
  Taylor<T, K> y;
  y[0] = sqrt(x[0]);
  for (int k = 1; k <= K; ++k) {
    T s = x[k];
    for (int j = 1; j < k; ++j) s = s - y[j] * y[k - j];
    y[k] = s / (T(2) * y[0]);
  }
  return y;
}
template <class T, int K>
Taylor<T, K> pow(const Taylor<T, K>& x, int k) {
  if (k < 0) return Taylor<T, K>(1) / pow(x, -k);
  Taylor<T, K> y(1), b = x;
  for (int n = k; n > 0; n >>= 1, b = n > 0 ? b * b : b)
    if (n & 1) y = y * b;
  return y;
}
template <class T, int K>
Taylor<T, K> pow(const Taylor<T, K>& x, const Taylor<T, K>& y) {
  return exp(y * log(x));
}
template <class T, int K, Arithmetic A>
  requires(!std::same_as<A, int>)
Taylor<T, K> pow(const Taylor<T, K>& x, A a) {
  using std::pow;
  if (a == static_cast<A>(static_cast<int>(a))) return pow(x, static_cast<int>(a));
  Taylor<T, K> y;  // x y' = a x' y
  y[0] = pow(x[0], a);
  for (int k = 1; k <= K; ++k) {
    T s = T(0);
    for (int j = 1; j <= k; ++j) s = s + (T(a) * T(j) - T(k - j)) * x[j] * y[k - j];
    y[k] = s / (T(k) * x[0]);
  }
  return y;
}
template <class T, int K>
Taylor<T, K> cbrt(const Taylor<T, K>& x) {
  using std::cbrt;
  Taylor<T, K> y;  // 3 x y' = x' y
  y[0] = cbrt(x[0]);
  for (int k = 1; k <= K; ++k) {
    T s = T(0);
    for (int j = 1; j <= k; ++j) s = s + (T(j) - T(3) * T(k - j)) * x[j] * y[k - j];
    y[k] = s / (T(3) * T(k) * x[0]);
  }
  return y;
}
template <class T, int K>
Taylor<T, K> asin(const Taylor<T, K>& x) {
  using std::asin;
  return integrate(asin(x[0]), Taylor<T, K>(1) / sqrt(Taylor<T, K>(1) - x * x), x);
}
template <class T, int K>
Taylor<T, K> acos(const Taylor<T, K>& x) {
  using std::acos;
  return integrate(acos(x[0]), Taylor<T, K>(-1) / sqrt(Taylor<T, K>(1) - x * x), x);
}
template <class T, int K>
Taylor<T, K> atan(const Taylor<T, K>& x) {
  using std::atan;
  return integrate(atan(x[0]), Taylor<T, K>(1) / (Taylor<T, K>(1) + x * x), x);
}
template <class T, int K>
Taylor<T, K> sinh(const Taylor<T, K>& x) {
  const auto e = exp(x);
  using std::sinh;
  auto y = (e - Taylor<T, K>(1) / e) / Taylor<T, K>(2);
  y[0] = sinh(x[0]);  // no cancellation in the value
  return y;
}
template <class T, int K>
Taylor<T, K> cosh(const Taylor<T, K>& x) {
  const auto e = exp(x);
  return (e + Taylor<T, K>(1) / e) / Taylor<T, K>(2);
}
template <class T, int K>
Taylor<T, K> tanh(const Taylor<T, K>& x) {
  using std::tanh;
  Taylor<T, K> y;  // y' = x'(1 − y²), order by order
  y[0] = tanh(x[0]);
  for (int k = 1; k <= K; ++k) {
    const auto d = Taylor<T, K>(1) - y * y;
    T s = T(0);
    for (int j = 1; j <= k; ++j) s = s + T(j) * x[j] * d[k - j];
    y[k] = s / T(k);
  }
  return y;
}
template <class T, int K>
Taylor<T, K> abs(const Taylor<T, K>& x) {
  const Truth negative = less(x[0], T(0));
  if (negative == Truth::unknown) return hull(x, -x);
  return negative == Truth::yes ? -x : x;
}
template <class T, int K>
Taylor<T, K> min(const Taylor<T, K>& a, const Taylor<T, K>& b) {
  const Truth first = less(a[0], b[0]);
  if (first == Truth::unknown) return hull(a, b);
  return first == Truth::yes ? a : b;
}
template <class T, int K>
Taylor<T, K> max(const Taylor<T, K>& a, const Taylor<T, K>& b) {
  return -min(-a, -b);
}
template <class T, int K>
Taylor<T, K> floor(const Taylor<T, K>& x) {
  using std::floor;
  return Taylor<T, K>(floor(x[0]));
}
template <class T, int K>
Taylor<T, K> ceil(const Taylor<T, K>& x) {
  using std::ceil;
  return Taylor<T, K>(ceil(x[0]));
}
template <class T, int K>
Taylor<T, K> hypot(const Taylor<T, K>& x, const Taylor<T, K>& y) {
  return sqrt(x * x + y * y);
}
template <class T, int K>
Taylor<T, K> atan2(const Taylor<T, K>& y, const Taylor<T, K>& x) {
  using std::atan2;
  // θ' = (x y' − y x')/(x² + y²)
  const auto r2 = x * x + y * y;
  Taylor<T, K> dx, dy;
  for (int k = 0; k < K; ++k) {
    dx[k] = T(k + 1) * x[k + 1];
    dy[k] = T(k + 1) * y[k + 1];
  }
  const auto d = (x * dy - y * dx) / r2;
  Taylor<T, K> a;
  a[0] = atan2(y[0], x[0]);
  for (int k = 1; k <= K; ++k) a[k] = d[k - 1] / T(k);
  return a;
}
template <class T, int K>
bool isfinite(const Taylor<T, K>& x) {
  using std::isfinite;
  for (const T& v : x.c)
    if (!isfinite(v)) return false;
  return true;
}

}  // namespace ricochet::numerics
