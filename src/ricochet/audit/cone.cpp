#include "ricochet/audit/cone.hpp"

#include <cmath>
#include <vector>

#include "ricochet/complementarity/nonnegative.hpp"

namespace ricochet::audit {

Mat inverse_mass(const Dynamics& dynamics, const Vec& q, const Vec& v, double t) {
  const Eigen::Index n = dynamics.dimension();
  Mat out(n, n);
  Vec x(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    dynamics.inverse_mass(q, v, t, Vec::Unit(n, k), x);
    out.col(k) = x;
  }
  return out;
}

Explained explain(const Vec& jump, const Mat& normals, const Mat& lines, const Mat& inverse_mass) {
  const Eigen::Index m = normals.cols(), f = lines.cols(), k = m + 2 * f;
  Explained out{Vec::Zero(m), Vec::Zero(f), jump, 0};
  if (k > 0) {
    // A line is two opposite directions, so one problem of complementarity does for all: 0 ≤ λ ⊥ Wλ − Gᵀ M⁻¹ jump ≥ 0.
    Mat G(jump.size(), k);
    G << normals, lines, -lines;
    const Mat W = G.transpose() * inverse_mass * G;
    const Vec v = -G.transpose() * (inverse_mass * jump);
    std::vector<double> lambda(static_cast<std::size_t>(k), 0.0);
    complementarity::NonnegativeSolver<double, complementarity::any_size> solver;
    solver.solve(static_cast<int>(k), W, v, lambda);
    const Vec x = Eigen::Map<const Vec>(lambda.data(), k);
    out.lambda = x.head(m);
    out.free = x.segment(m, f) - x.tail(f);
    out.rest = jump - G * x;
  }
  out.size = std::sqrt(std::max(0.0, out.rest.dot(inverse_mass * out.rest)));
  return out;
}

std::optional<Vec> opening(const Vec& without, const Mat& normals, const Mat& lines, const Mat& inverse_mass) {
  const Eigen::Index m = normals.cols(), f = lines.cols(), k = m + 2 * f;
  Mat G(normals.rows(), k);
  G << normals, lines, -lines;
  const Mat W = G.transpose() * inverse_mass * G;
  Vec v(k);
  v << without, -without.tail(f);
  std::vector<double> lambda(static_cast<std::size_t>(k), 0.0);
  complementarity::NonnegativeSolver<double, complementarity::any_size> solver;
  if (solver.solve(static_cast<int>(k), W, v, lambda) != complementarity::Status::solved) return std::nullopt;
  return Vec((W * Eigen::Map<const Vec>(lambda.data(), k) + v).head(m));
}

}  // namespace ricochet::audit
