#include "ricochet/scene/sign_change.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ricochet::scene {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// f at both ends of a bracket, the first of them on the side of the start.
struct Bracket {
  double a, fa, b, fb;

  bool narrow(double length) const { return b - a <= 2 * eps * std::max(b, eps * length); }
  /// False where f is no finite number.
  bool put(double x, double y) {
    if (!std::isfinite(y)) return false;
    if ((y < 0) == (fa < 0) && y != 0)
      a = x, fa = y;
    else
      b = x, fb = y;
    return true;
  }
};

/// Chandrupatla's method (1997): inverse quadratic interpolation where the three last points allow it, halves
/// otherwise.
bool narrow(numerics::FunctionRef<double(double)> f, double length, Bracket& bracket) {
  double share = 0.5;  // of the way from x1 to x2
  double x1 = bracket.b, f1 = bracket.fb, x2 = bracket.a, f2 = bracket.fa;
  for (int it = 0; it < 200 && !bracket.narrow(length) && bracket.fb != 0; ++it) {
    const double x = x1 + share * (x2 - x1), y = f(x);
    if (!bracket.put(x, y)) return false;
    double x3 = x2, f3 = f2;
    if ((y < 0) == (f1 < 0))
      x3 = x1, f3 = f1;
    else
      x2 = x1, f2 = f1;
    x1 = x, f1 = y;
    const double xi = (x1 - x2) / (x3 - x2), phi = (f1 - f2) / (f3 - f2);
    share = 0.5;
    if (phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)
      share = f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2);
    const double least = eps * std::max(bracket.b, eps * length) / std::abs(x2 - x1);
    share = least < 0.5 ? std::clamp(share, least, 1 - least) : 0.5;
  }
  return true;
}

/// Whether |f| grows towards a place on one side of it: next to a pole at least as a logarithm does, next to a jump not
/// at all.
bool grows(numerics::FunctionRef<double(double)> f, double x, double y, double away, double far_end) {
  constexpr double jump = 2, fits = 1e3 * eps;
  if (std::abs(away) > std::abs(far_end - x)) away = far_end - x;
  if (std::abs(away) <= fits * std::max(std::abs(x), std::abs(far_end))) return false;  // the other side tells
  return !(std::abs(y) <= jump * std::abs(f(x + away)));
}

}  // namespace

std::optional<double> sign_change(numerics::FunctionRef<double(double)> f, double at_start, double length,
                                  double at_end) {
  if (!std::isfinite(at_start) || !std::isfinite(at_end) || at_start == 0) return std::nullopt;
  if (at_end == 0) return length;
  if ((at_start < 0) == (at_end < 0)) return std::nullopt;
  Bracket bracket{0, at_start, length, at_end};
  if (!narrow(f, length, bracket)) return std::nullopt;
  while (bracket.fb != 0 && bracket.b - bracket.a > eps * eps * length) {  // the last bits
    const double x = bracket.a + (bracket.b - bracket.a) / 2;
    if (x <= bracket.a || x >= bracket.b) break;
    if (!bracket.put(x, f(x))) return std::nullopt;
  }
  // At a root both values are rounding. What is not may be a jump or a pole.
  const double small = 1e-3 * std::min(std::abs(at_start), std::abs(at_end)), away = length / (1 << 20);
  if (std::abs(bracket.fa) > small && grows(f, bracket.a, bracket.fa, -away, 0)) return std::nullopt;
  if (std::abs(bracket.fb) > small && grows(f, bracket.b, bracket.fb, away, length)) return std::nullopt;
  return bracket.b;
}

}  // namespace ricochet::scene
