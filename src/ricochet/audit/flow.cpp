#include "ricochet/audit/flow.hpp"

#include <Eigen/LU>
#include <array>
#include <cmath>

#include "ricochet/error.hpp"
#include "ricochet/numerics/digits.hpp"

namespace ricochet::audit {
void Flow::slope(double t, const Vec& y, std::span<const int> held, Vec& f) const {
  const int n = dynamics_.dimension();
  const Vec q = y.head(n), v = y.segment(n, n);
  const bool with_work = y.size() > 2 * n;
  Vec a(n), reactions;
  dynamics_.acceleration(q, v, t, held, a, with_work ? &reactions : nullptr);
  f.resize(y.size());
  f.head(n) = v;
  f.segment(n, n) = a;
  if (!with_work) return;
  Point point;
  dynamics_.evaluate(q, v, t, point);
  f[2 * n] = point.supply;
  for (std::size_t k = 0; k < held.size(); ++k)
    f[2 * n] -= reactions[static_cast<Eigen::Index>(k)] * dynamics_.gap_drift(held[k], q, t);
}

bool Flow::stretch(double t, Vec& y, double s, std::span<const int> held) const {
  constexpr int columns = 9;
  std::array<Vec, columns> row;  // of the table of extrapolation, overwritten from the left
  Vec f0, f, last;
  slope(t, y, held, f0);
  // One scale for the positions and one for the velocities: a coordinate that passes zero has no digits of its own.
  const int n = dynamics_.dimension();
  Vec scale = y.cwiseAbs() + (s * f0).cwiseAbs();
  scale.head(n).setConstant(scale.head(n).maxCoeff());
  // Work that comes and goes is known to rounding of the energy that moves, of what it is made of, and of the time.
  const bool with_work = y.size() > 2 * n;
  double power = 0, change = 0, moves = 0;
  if (with_work) moves = std::pow(dynamics_.norm_v(y.head(n), y.segment(n, n), t, scale.segment(n, n)), 2);
  scale.segment(n, n).setConstant(scale.segment(n, n).maxCoeff());
  double error_before = std::numeric_limits<double>::infinity();
  for (int j = 0; j < columns; ++j) {
    const int pieces = 2 * (j + 1);
    const double h = s / pieces;
    // Increments, not states: a short flight does not lose the digits of y.
    Vec a = Vec::Zero(y.size()), b = h * f0;
    for (int i = 1; i < pieces; ++i) {
      slope(t + i * h, y + b, held, f);
      a += 2 * h * f;
      std::swap(a, b);
      if (!with_work) continue;
      power = std::max(power, std::abs(f[2 * n]));
      change = std::max(change, std::abs(f[2 * n] - f0[2 * n]));
    }
    slope(t + s, y + b, held, f);
    Vec value = (a + b + h * f) / 2;
    // Neville's scheme in h²: the error of Gragg's method has even powers only.
    for (int k = 1; k <= j; ++k) {
      const double ratio = static_cast<double>(pieces) / (2 * (j - k + 1));
      Vec next = value + (value - row[static_cast<std::size_t>(k - 1)]) / (ratio * ratio - 1);
      row[static_cast<std::size_t>(k - 1)] = value;
      value = next;
    }
    row[static_cast<std::size_t>(j)] = value;
    if (!value.allFinite()) return false;
    if (j == 0) {
      last = value;
      continue;
    }
    if (with_work) scale[2 * n] = std::abs(s) * power + std::abs(t) * change + moves;
    double error = 0;
    for (Eigen::Index i = 0; i < y.size(); ++i)
      error = std::max(error, std::abs(value[i] - last[i]) / (scale[i] + std::numeric_limits<double>::min()));
    last = value;
    if (error <= 4 * eps || (j > 4 && error <= 32 * eps && error >= error_before / 2)) {
      y += value;
      return true;
    }
    error_before = error;
  }
  return false;
}

void Flow::advance(double t, Vec& y, double s, std::span<const int> held, int depth) const {
  Vec trial = y;
  if (stretch(t, trial, s, held)) {
    y = trial;
    return;
  }
  if (depth == 12)
    throw Error(ErrorKind::no_convergence, "the free motion could not be followed from t = " + numerics::six_digits(t));
  advance(t, y, s / 2, held, depth + 1);
  advance(t + s / 2, y, s / 2, held, depth + 1);
}

State Flow::operator()(const State& from, double s, std::span<const int> held) const {
  return follow(from, s, held, nullptr);
}

State Flow::operator()(const State& from, double s, std::span<const int> held, double& work) const {
  return follow(from, s, held, &work);
}

State Flow::follow(const State& from, double s, std::span<const int> held, double* work) const {
  if (work != nullptr) *work = 0;
  if (s == 0) return from;
  const int n = dynamics_.dimension();
  Vec y = Vec::Zero(2 * n + (work != nullptr ? 1 : 0)), v(n);
  dynamics_.velocity(from.q, from.p, from.t, v);
  y.head(n) = from.q;
  y.segment(n, n) = v;
  advance(from.t, y, s, held, 0);
  State to{from.t + s, y.head(n), Vec(n)};
  v = y.segment(n, n);
  dynamics_.momentum(to.q, v, to.t, to.p);
  if (work != nullptr) *work = y[2 * n];
  return to;
}

bool Flow::aim(double t, const Vec& from, const Vec& to, double s, Vec& v0, Vec& v1) const {
  const int n = dynamics_.dimension();
  v0 = (to - from) / s;
  Vec y(2 * n);
  // ∂q(s)/∂v0 = s(1 + O(s²)): the simplified Newton iteration contracts by O(s²).
  double last = std::numeric_limits<double>::infinity();
  for (int it = 0; it < 40; ++it) {
    y << from, v0;
    advance(t, y, s, {}, 0);
    v1 = y.tail(n);
    const Vec dv = (to - y.head(n)) / s;
    const double size = dv.norm(), floor_level = 4 * eps * ((from.norm() + to.norm()) / std::abs(s) + v0.norm());
    if (!std::isfinite(size)) return false;
    if (size <= floor_level || (it > 3 && size <= 1e3 * floor_level && size >= last / 2)) return true;
    if (it > 8 && size >= last) return false;
    v0 += dv;
    last = size;
  }
  return false;
}

}  // namespace ricochet::audit
