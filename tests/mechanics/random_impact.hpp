// Random impacts with friction, of one contact or several, in the plane and in space.
#pragma once

#include <algorithm>
#include <random>

#include "ricochet/mechanics/law_friction.hpp"

namespace ricochet::mechanics::testing {

using Vector = VectorX<double>;
using Matrix = MatrixX<double>;

struct Impact {
  int dimension;
  Matrix H, W;
  Vector u, v, e, mu;
  FrictionContacts<double> contacts() const { return friction_contacts<double>(dimension, W, v, e, mu); }
};

/// A body of mass 1 and radius of gyration 1 hits with a point at (x, y), x, y normal; velocities normal with φ̇⁻ < 0; e
/// uniform in [0, 1]; μ uniform in [0, 2].
inline Impact random_rod(std::mt19937_64& engine) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const double x = normal(engine), y = normal(engine);
  Impact impact{2, Matrix(2, 3), {}, Vector(3), {}, Vector(1), Vector(1)};
  impact.H << 0, 1, x, 1, 0, -y;
  for (int i = 0; i < 3; ++i) impact.u[i] = normal(engine);
  impact.v = impact.H * impact.u;
  if (impact.v[0] > 0) {
    impact.u = -impact.u;
    impact.v = -impact.v;
  }
  impact.W = impact.H * impact.H.transpose();
  impact.e << uniform(engine);
  impact.mu << 2 * uniform(engine);
  return impact;
}

/// n contacts of a random system with approaching normals; fewer freedoms than rates in every third trial.
inline Impact random_impact(std::mt19937_64& engine, int n, int dimension, int trial) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const int rows = n * dimension, freedoms = trial % 3 == 0 && n > 1 ? std::max(3, rows - 2) : rows + 2;
  Impact impact{dimension, Matrix(rows, freedoms), {}, Vector(freedoms), {}, Vector(n), Vector(n)};
  for (int j = 0; j < freedoms; ++j) {
    impact.u[j] = normal(engine);
    for (int i = 0; i < rows; ++i) impact.H(i, j) = normal(engine);
  }
  for (int i = 0; i < n; ++i) {
    if (impact.H.row(i * dimension).dot(impact.u) > 0) impact.H.row(i * dimension) *= -1;
    impact.e[i] = uniform(engine);
    impact.mu[i] = uniform(engine);
  }
  if (trial % 4 == 0) impact.e.setConstant(impact.e[0]);
  if (trial % 16 == 1) impact.e.setOnes();
  impact.v = impact.H * impact.u;
  impact.W = impact.H * impact.H.transpose();
  return impact;
}

inline double kinetic_gain(const Impact& impact, const Vector& r) {
  const Vector after = impact.u + impact.H.transpose() * r;
  return (after.squaredNorm() - impact.u.squaredNorm()) / 2;
}

}  // namespace ricochet::mechanics::testing
