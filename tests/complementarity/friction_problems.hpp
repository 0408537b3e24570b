#pragma once

#include <Eigen/Dense>
#include <random>
#include <vector>

namespace ricochet::testing {

/// W = HHᵀ, b = Hv: contacts (normal, slip, …) of one random mechanical system, so that a solution exists.
struct FrictionData {
  int n = 0, dimension = 0;
  Eigen::MatrixXd H, W;
  Eigen::VectorXd v, b, mu;
};

/// `singular` takes fewer degrees of freedom than contact directions, sometimes with contacts that coincide.
inline FrictionData random_friction(std::mt19937_64& engine, int n, int dimension, bool singular, int trial) {
  std::normal_distribution<double> normal;
  FrictionData data;
  data.n = n;
  data.dimension = dimension;
  const int rows = n * dimension;
  const int freedoms = singular ? std::max(1, static_cast<int>(engine() % static_cast<unsigned>(rows)))
                                : rows + static_cast<int>(engine() % 4u);
  data.H = Eigen::MatrixXd::NullaryExpr(rows, freedoms, [&] { return normal(engine); });
  if (singular && trial % 3 == 0 && n > 1) data.H.bottomRows(dimension) = data.H.topRows(dimension);
  data.v = Eigen::VectorXd::NullaryExpr(freedoms, [&] { return normal(engine); });
  data.W = data.H * data.H.transpose();
  data.b = data.H * data.v;
  data.mu = Eigen::VectorXd::NullaryExpr(n, [&] { return std::abs(normal(engine)); });
  if (trial % 7 == 0) data.mu[0] = 0;
  return data;
}

/// Largest violation of Coulomb's law, statement by statement, relative to the sizes involved; not the natural map.
template <class Impulses>
double coulomb_defect(const FrictionData& data, const Impulses& r) {
  const int d = data.dimension;
  Eigen::VectorXd all(data.n * d);
  for (int i = 0; i < data.n; ++i) all.segment(i * d, d) = r[static_cast<std::size_t>(i)];
  const Eigen::VectorXd u = data.W * all + data.b;
  const double speed = data.b.norm() + data.W.norm() * all.norm();
  const double impulse = std::max(all.norm(), data.b.norm() / data.W.norm());
  double worst = 0;
  for (int i = 0; i < data.n; ++i) {
    const double rn = all[i * d], un = u[i * d];
    const Eigen::VectorXd rt = all.segment(i * d + 1, d - 1), ut = u.segment(i * d + 1, d - 1);
    worst = std::max({worst, -rn / impulse, (rt.norm() - data.mu[i] * rn) / impulse, -un / speed,
                      std::min(un / speed, rn / impulse),
                      std::min(ut.norm() / speed, (rt + data.mu[i] * rn * ut.normalized()).norm() / impulse)});
  }
  return worst;
}

}  // namespace ricochet::testing
