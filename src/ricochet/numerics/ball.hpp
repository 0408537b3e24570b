// Midpoint–radius enclosures: cheap rigorous bounds of a user's functor over a whole flight.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>

#include "ricochet/numerics/scalar.hpp"

namespace ricochet::numerics {

/// Whether a functor has compared balls since this was last set to false: what it reads then depends on where it is.
inline thread_local bool ball_branches = false;
constexpr void note_branch() {
  if (!std::is_constant_evaluated()) ball_branches = true;
}

/// Whether a function was asked for a ball that reaches out of its domain, since this was last set to false. What comes
/// back encloses the values where there are some: enough on a curve that stays inside, too little for a box.
inline thread_local bool ball_leaves_domain = false;

/// The set of reals within `rad` of `mid`. Every operation encloses the exact image; rounding is covered by
/// adding one unit in the last place of the midpoint per operation.
template <class R>
struct Ball {
  R mid{};
  R rad{};

  constexpr Ball() = default;
  constexpr Ball(R m) : mid(m) {}  // NOLINT: a number is a ball
  template <Arithmetic A>
    requires(!std::same_as<A, R>)
  constexpr Ball(A m) : mid(static_cast<R>(m)) {}  // NOLINT
  constexpr Ball(R m, R r) : mid(m), rad(r) {}

  static constexpr Ball between(R lo, R hi) {
    const R m = lo + (hi - lo) / 2;
    if (!(m - m == 0)) return everything();  // an end is infinite or not a number
    return {m, std::max(hi - m, m - lo)};
  }
  static constexpr Ball everything() { return {R(0), std::numeric_limits<R>::infinity()}; }

  constexpr R lower() const { return mid - rad; }
  constexpr R upper() const { return mid + rad; }
  /// Largest absolute value in the ball.
  constexpr R magnitude() const { return (mid < 0 ? -mid : mid) + rad; }

  friend constexpr Ball operator-(const Ball& a) { return {-a.mid, a.rad}; }
  friend constexpr Ball operator+(const Ball& a) { return a; }
  friend constexpr Ball operator+(const Ball& a, const Ball& b) { return rounded(a.mid + b.mid, a.rad + b.rad); }
  friend constexpr Ball operator-(const Ball& a, const Ball& b) { return rounded(a.mid - b.mid, a.rad + b.rad); }
  friend constexpr Ball operator*(const Ball& a, const Ball& b) {
    const R am = a.mid < 0 ? -a.mid : a.mid, bm = b.mid < 0 ? -b.mid : b.mid;
    return rounded(a.mid * b.mid, am * b.rad + a.rad * (bm + b.rad));
  }
  friend constexpr Ball operator/(const Ball& a, const Ball& b) { return a * inverse(b); }
  constexpr Ball& operator+=(const Ball& b) { return *this = *this + b; }
  constexpr Ball& operator-=(const Ball& b) { return *this = *this - b; }
  constexpr Ball& operator*=(const Ball& b) { return *this = *this * b; }
  constexpr Ball& operator/=(const Ball& b) { return *this = *this / b; }

  // Branches of a user's functor follow the midpoint; `less` tells where that is not certain.
  friend constexpr bool operator<(const Ball& a, const Ball& b) { return note_branch(), a.mid < b.mid; }
  friend constexpr bool operator>(const Ball& a, const Ball& b) { return note_branch(), a.mid > b.mid; }
  friend constexpr bool operator<=(const Ball& a, const Ball& b) { return note_branch(), a.mid <= b.mid; }
  friend constexpr bool operator>=(const Ball& a, const Ball& b) { return note_branch(), a.mid >= b.mid; }
  friend constexpr bool operator==(const Ball& a, const Ball& b) { return a.mid == b.mid && a.rad == b.rad; }

  friend constexpr Ball inverse(const Ball& b) {
    const R bm = b.mid < 0 ? -b.mid : b.mid;
    if (!(bm > b.rad)) return everything();
    return rounded(R(1) / b.mid, b.rad / (bm * (bm - b.rad)));
  }

 private:
  static constexpr Ball rounded(R m, R r) {
    r += std::numeric_limits<R>::epsilon() * (m < 0 ? -m : m);
    return {m, r >= 0 ? r : std::numeric_limits<R>::infinity()};  // 0·∞ is everything, not NaN
  }
};

template <class R>
constexpr Truth less(const Ball<R>& a, const Ball<R>& b) {
  if (a.upper() < b.lower()) return Truth::yes;
  if (a.lower() >= b.upper()) return Truth::no;
  return Truth::unknown;
}
template <class R>
constexpr Ball<R> hull(const Ball<R>& a, const Ball<R>& b) {
  return Ball<R>::between(std::min(a.lower(), b.lower()), std::max(a.upper(), b.upper()));
}
template <class R>
constexpr R value_of(const Ball<R>& x) {
  return x.mid;
}

/// Image of a nondecreasing function, from its values at the ends.
template <class R, class F>
Ball<R> increasing(const Ball<R>& x, F f) {
  const R lo = f(x.lower()), hi = f(x.upper());
  if (!(lo <= hi)) return Ball<R>::everything();  // out of the domain, or not a number
  Ball<R> y = Ball<R>::between(lo, hi);
  y.rad += 2 * std::numeric_limits<R>::epsilon() * y.magnitude();
  return y;
}

// |f(m+δ) − f(m)| ≤ |f'(m)||δ| + max|f''| δ²/2, and never more than the range of f.
template <class R>
Ball<R> sin(const Ball<R>& x) {
  const R s = std::sin(x.mid), c = std::cos(x.mid);
  return {s, std::min(R(2), x.rad * (std::min(R(1), std::abs(c) + x.rad / 2))) + std::numeric_limits<R>::epsilon()};
}
template <class R>
Ball<R> cos(const Ball<R>& x) {
  const R s = std::sin(x.mid), c = std::cos(x.mid);
  return {c, std::min(R(2), x.rad * (std::min(R(1), std::abs(s) + x.rad / 2))) + std::numeric_limits<R>::epsilon()};
}
template <class R>
Ball<R> tan(const Ball<R>& x) {
  return sin(x) / cos(x);
}
template <class R>
Ball<R> exp(const Ball<R>& x) {
  return increasing(x, [](R v) { return std::exp(v); });
}
template <class R>
Ball<R> log(const Ball<R>& x) {
  return x.lower() > 0 ? increasing(x, [](R v) { return std::log(v); }) : Ball<R>::everything();
}
template <class R>
Ball<R> log10(const Ball<R>& x) {
  return x.lower() > 0 ? increasing(x, [](R v) { return std::log10(v); }) : Ball<R>::everything();
}
template <class R>
Ball<R> sqrt(const Ball<R>& x) {
  if (x.lower() < 0) ball_leaves_domain = true;
  if (x.upper() < 0) return Ball<R>::everything();
  return increasing(x, [](R v) { return std::sqrt(std::max(v, R(0))); });
}
template <class R>
Ball<R> cbrt(const Ball<R>& x) {
  return increasing(x, [](R v) { return std::cbrt(v); });
}
template <class R>
Ball<R> asin(const Ball<R>& x) {
  if (x.magnitude() > 1) ball_leaves_domain = true;
  return increasing(x, [](R v) { return std::asin(std::clamp(v, R(-1), R(1))); });
}
template <class R>
Ball<R> acos(const Ball<R>& x) {
  if (x.magnitude() > 1) ball_leaves_domain = true;
  return -increasing(x, [](R v) { return -std::acos(std::clamp(v, R(-1), R(1))); });
}
template <class R>
Ball<R> atan(const Ball<R>& x) {
  return increasing(x, [](R v) { return std::atan(v); });
}
template <class R>
Ball<R> sinh(const Ball<R>& x) {
  return increasing(x, [](R v) { return std::sinh(v); });
}
template <class R>
Ball<R> cosh(const Ball<R>& x) {
  const Ball<R> e = exp(x);
  return (e + inverse(e)) * R(0.5);
}
template <class R>
Ball<R> tanh(const Ball<R>& x) {
  return increasing(x, [](R v) { return std::tanh(v); });
}
template <class R>
Ball<R> abs(const Ball<R>& x) {
  if (x.lower() >= 0) return x;
  if (x.upper() <= 0) return -x;
  return Ball<R>::between(R(0), x.magnitude());
}
template <class R>
Ball<R> min(const Ball<R>& a, const Ball<R>& b) {
  return Ball<R>::between(std::min(a.lower(), b.lower()), std::min(a.upper(), b.upper()));
}
template <class R>
Ball<R> max(const Ball<R>& a, const Ball<R>& b) {
  return Ball<R>::between(std::max(a.lower(), b.lower()), std::max(a.upper(), b.upper()));
}
template <class R>
Ball<R> floor(const Ball<R>& x) {
  return increasing(x, [](R v) { return std::floor(v); });
}
template <class R>
Ball<R> ceil(const Ball<R>& x) {
  return increasing(x, [](R v) { return std::ceil(v); });
}
template <class R>
Ball<R> hypot(const Ball<R>& x, const Ball<R>& y) {
  const R r = std::hypot(x.mid, y.mid), d = std::hypot(x.rad, y.rad);
  return Ball<R>::between(std::max(R(0), r - d), r + d) + Ball<R>(R(0), 2 * std::numeric_limits<R>::epsilon() * r);
}
template <class R>
Ball<R> atan2(const Ball<R>& y, const Ball<R>& x) {
  const R r = std::hypot(x.mid, y.mid), d = std::hypot(x.rad, y.rad), pi = std::acos(R(-1));
  const R a = std::atan2(y.mid, x.mid), e = 4 * std::numeric_limits<R>::epsilon();
  if (!(r > d)) return {a, 2 * pi};
  const R spread = std::asin(d / r) + e;
  if (std::abs(a) + spread >= pi) return {R(0), pi + e};  // across the branch cut
  return {a, spread};
}
template <class R>
Ball<R> pow(const Ball<R>& x, int k) {
  if (k < 0) return inverse(pow(x, -k));
  Ball<R> y(R(1)), b = x;
  for (int n = k; n > 0; n >>= 1, b = b * b)
    if (n & 1) y = y * b;
  if (k % 2 == 0 && y.lower() < 0) return Ball<R>::between(R(0), y.upper());
  return y;
}
template <class R>
Ball<R> pow(const Ball<R>& x, const Ball<R>& y) {
  if (y.rad == 0 && y.mid == std::floor(y.mid) && std::abs(y.mid) < 1024) return pow(x, static_cast<int>(y.mid));
  if (x.lower() < 0) ball_leaves_domain = true;
  if (x.lower() <= 0 && y.rad == 0 && y.mid > 0 && x.upper() >= 0)  // x^y on [0, x]: monotone
    return Ball<R>::between(R(0), std::pow(x.upper(), y.mid) * (1 + 4 * std::numeric_limits<R>::epsilon()));
  return exp(y * log(x));
}
template <class R, Arithmetic A>
  requires(!std::same_as<A, int>)
Ball<R> pow(const Ball<R>& x, A y) {
  return pow(x, Ball<R>(y));
}
template <class R>
bool isfinite(const Ball<R>& x) {
  return std::isfinite(x.mid) && std::isfinite(x.rad);
}

}  // namespace ricochet::numerics
