#include "ricochet/audit/flow.hpp"

#include <Eigen/LU>
#include <array>
#include <cmath>

#include "ricochet/error.hpp"

namespace ricochet::audit {
void Flow::slope(double t, const Vec& y, std::span<const int> held, Vec& f) const {
  const int n = dynamics_.dimension();
  const Vec q = y.head(n), v = y.tail(n);
  Vec a(n);
  dynamics_.acceleration(q, v, t, held, a);
  f.resize(2 * n);
  f << v, a;
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
  scale.tail(n).setConstant(scale.tail(n).maxCoeff());
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
    throw Error(ErrorKind::no_convergence, "the free motion could not be followed from t = " + std::to_string(t));
  advance(t, y, s / 2, held, depth + 1);
  advance(t + s / 2, y, s / 2, held, depth + 1);
}

State Flow::operator()(const State& from, double s, std::span<const int> held) const {
  if (s == 0) return from;
  const int n = dynamics_.dimension();
  Vec y(2 * n), v(n);
  dynamics_.velocity(from.q, from.p, from.t, v);
  y << from.q, v;
  advance(from.t, y, s, held, 0);
  State to{from.t + s, y.head(n), Vec(n)};
  v = y.tail(n);
  dynamics_.momentum(to.q, v, to.t, to.p);
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
