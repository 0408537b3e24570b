// Bracketed roots to the last digit: secant steps while they converge fast, TOMS 748 otherwise.
#pragma once

#include <boost/math/tools/toms748_solve.hpp>
#include <cstdint>
#include <optional>

#include "ricochet/numerics/function_ref.hpp"
#include "ricochet/numerics/scalar.hpp"

namespace ricochet::numerics {

template <class Real>
struct Root {
  Real x{}, residual{};
  Real other{};  ///< the far end of the last bracket, or the point before the last step

  /// Where f has changed its sign: behind a jump, of a function of this size, and at the root itself otherwise.
  Real behind(Real size) const { return std::abs(residual) > Real(1e-6) * size ? std::max(x, other) : x; }
};

/// Root of f in [a,b] given f(a)·f(b) ≤ 0, to about one unit in the last place; of a function that jumps through zero
/// one side of the jump, with the other side as `other`.
///
/// Evaluations are flights, so none is spent on confirming a root: secant steps d_k shrink superlinearly, the one after
/// the next would be below |d_k|²/|d_{k−1}|, and when that is rounding the last step is taken unseen.
template <class Real>
Root<Real> bracketed_root(FunctionRef<Real(Real)> f, Real a, Real fa, Real b, Real fb) {
  if (fa == Real(0)) return {a, fa, a};
  if (fb == Real(0)) return {b, fb, b};
  Real best = a, best_value = fa;
  if (std::abs(fb) < std::abs(fa)) best = b, best_value = fb;
  auto watched = [&](Real x) {
    const Real y = f(x);
    if (std::abs(y) < std::abs(best_value)) best = x, best_value = y;
    return y;
  };
  const Real eps = std::numeric_limits<Real>::epsilon();
  const Real scale = std::max(std::abs(a), std::abs(b)), near = Real(1e-6) * std::abs(b - a);
  auto unit = [&](Real x) { return eps * std::max(std::abs(x), eps * scale); };

  Real x0 = a, f0 = fa, x1 = b, f1 = fb;
  if (best == a) std::swap(x0, x1), std::swap(f0, f1);
  Real last = std::abs(b - a);
  for (int it = 0; it < 20; ++it) {
    const Real slope = (f1 - f0) / (x1 - x0), d = -f1 / slope, x2 = x1 + d;
    if (!(x2 > std::min(a, b) && x2 < std::max(a, b))) break;
    const Real ratio = std::abs(d) / last;
    if (it > 1 && std::abs(d) * ratio <= unit(x2) / 4 && ratio < Real(0.01)) return {x2, slope * d * ratio, x1};
    if (it > 1 && ratio > Real(0.5)) break;
    const Real f2 = watched(x2);
    if (f2 == Real(0)) return {x2, f2, x2};
    if ((f2 < 0) == (fa < 0))
      a = x2, fa = f2;
    else
      b = x2, fb = f2;
    x0 = x1, f0 = f1, x1 = x2, f1 = f2;
    last = std::abs(d);
  }
  auto close = [&](Real x, Real y) { return std::abs(y - x) <= unit(x); };
  std::uintmax_t iterations = 200;
  if (a > b) std::swap(a, b), std::swap(fa, fb);
  const auto [lo, hi] = boost::math::tools::toms748_solve(watched, a, b, fa, fb, close, iterations);
  if (best < lo - near || best > hi + near) {  // no root: f is smaller away from where it changes its sign
    const Real f_lo = f(lo), f_hi = f(hi);
    return std::abs(f_lo) < std::abs(f_hi) ? Root<Real>{lo, f_lo, hi} : Root<Real>{hi, f_hi, lo};
  }
  return {best, best_value, best == lo ? hi : lo};
}

/// The root in [a,b] next to x, where f has about this slope (to a part in a thousand) and curvature: a Newton step,
/// then secants, until f is below its rounding. As a rule two evaluations do; nothing when they do not converge at
/// once.
template <class Real>
std::optional<Real> nearby_root(FunctionRef<Real(Real)> f, Real x, Real slope, Real curvature, Real a, Real b,
                                Real rounding) {
  const Real eps = std::numeric_limits<Real>::epsilon(), bent = std::abs(curvature / slope);
  Real fx = f(x), d = -fx / slope;
  for (int it = 0; it < 6; ++it) {
    const Real y = x + d, unit = eps * std::abs(y);
    if (!(y >= a && y <= b)) return std::nullopt;
    if (std::abs(d) <= 100 * unit) return y;
    const Real fy = f(y), steep = (fy - fx) / d, next = -fy / steep, z = y + next;
    if (!(steep / slope > Real(0.5) && steep / slope < 2 && std::abs(next) < std::abs(d) / 8)) return std::nullopt;
    // A secant over d misses the root by |f''/2f'| |d| |next|; twice that is allowed for.
    if (bent * std::abs(d) * std::abs(next) <= std::max(unit, rounding / std::abs(slope)) / 2 && z >= a && z <= b)
      return z;
    x = y, fx = fy, d = next;
  }
  return std::nullopt;
}

}  // namespace ricochet::numerics
