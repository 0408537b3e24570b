#pragma once

#include <Eigen/Dense>
#include <optional>
#include <random>

namespace ricochet::testing {

/// Random Gram matrices W = G Gᵀ and rates v = G u + c: the normals G are the data a mechanical system would give.
template <class Real>
struct RandomCone {
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  Matrix G, W;
  Vector u, v;
};

/// `dimension` < k makes W singular; `repeated` copies rows of G so that contacts coincide.
template <class Real>
RandomCone<Real> random_cone(std::mt19937_64& engine, int k, int dimension, bool repeated = false) {
  std::normal_distribution<double> normal;
  RandomCone<Real> cone;
  cone.G.resize(k, dimension);
  cone.u.resize(dimension);
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < dimension; ++j) cone.G(i, j) = static_cast<Real>(normal(engine));
  if (repeated)
    for (int i = 1; i < k; ++i)
      if (engine() % 2) cone.G.row(i) = cone.G.row(i - 1);
  for (int j = 0; j < dimension; ++j) cone.u[j] = static_cast<Real>(normal(engine));
  cone.W = cone.G * cone.G.transpose();
  cone.v = cone.G * cone.u;
  return cone;
}

/// 0 ≤ λ ⊥ Wλ + v ≥ 0 by trying every active set in long double; only for regular W.
inline std::optional<Eigen::Matrix<long double, Eigen::Dynamic, 1>> enumerate_nonnegative(
    const Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>& W,
    const Eigen::Matrix<long double, Eigen::Dynamic, 1>& v, long double slack) {
  const int k = static_cast<int>(v.size());
  for (unsigned set = 0; set < (1u << k); ++set) {
    std::vector<int> P;
    for (int i = 0; i < k; ++i)
      if (set & (1u << i)) P.push_back(i);
    Eigen::Matrix<long double, Eigen::Dynamic, 1> lambda = Eigen::Matrix<long double, Eigen::Dynamic, 1>::Zero(k);
    if (!P.empty()) {
      const Eigen::Matrix<long double, Eigen::Dynamic, 1> part = W(P, P).partialPivLu().solve(-v(P));
      for (std::size_t a = 0; a < P.size(); ++a) lambda[P[a]] = part[static_cast<Eigen::Index>(a)];
    }
    if (!lambda.allFinite() || lambda.minCoeff() < 0) continue;
    if ((W * lambda + v).minCoeff() >= -slack) return lambda;
  }
  return std::nullopt;
}

}  // namespace ricochet::testing
