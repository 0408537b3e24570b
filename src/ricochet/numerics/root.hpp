// Bracketed roots to the last digit: TOMS 748 with a tolerance of one unit in the last place.
#pragma once

#include <boost/math/tools/toms748_solve.hpp>
#include <cstdint>

#include "ricochet/numerics/function_ref.hpp"
#include "ricochet/numerics/scalar.hpp"

namespace ricochet::numerics {

template <class Real>
struct Root {
  Real x{}, residual{};
  /// The far end of the last bracket: the root lies between x and other.
  Real other{};
};

/// Root of f in [a,b] given f(a)·f(b) ≤ 0; returns the end of the final bracket with the smaller residual.
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
  const Real scale = std::max(std::abs(a), std::abs(b));
  auto close = [&](Real x, Real y) { return std::abs(y - x) <= eps * std::max(std::abs(x), eps * scale); };
  std::uintmax_t iterations = 200;
  const auto [lo, hi] = boost::math::tools::toms748_solve(watched, a, b, fa, fb, close, iterations);
  return {best, best_value, best == lo ? hi : lo};
}

}  // namespace ricochet::numerics
