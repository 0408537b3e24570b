#pragma once

#include <cmath>
#include <limits>

#include "ricochet/complementarity/storage.hpp"

namespace ricochet::complementarity {

/// Replaces a symmetric m × m matrix by the orthogonal projector on its null space: the eigenvectors with eigenvalues
/// ≤ tolerance, by Jacobi rotations (small matrices, high relative accuracy). False if the matrix is regular.
template <class Real, int Max>
bool null_projector(int m, Square<Real, Max>& A, Real tolerance) {
  Square<Real, Max> V(m);
  for (int i = 0; i < m; ++i) V(i, i) = 1;
  const Real eps = std::numeric_limits<Real>::epsilon();
  for (int sweep = 0; sweep < 40; ++sweep) {
    Real off = 0, all = 0;
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j) (i == j ? all : off) += A(i, j) * A(i, j);
    if (off <= eps * eps * all) break;
    for (int p = 0; p < m; ++p)
      for (int q = p + 1; q < m; ++q) {
        if (A(p, q) == 0) continue;
        const Real theta = (A(q, q) - A(p, p)) / (2 * A(p, q));
        const Real t = std::copysign(Real(1), theta) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const Real c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (int i = 0; i < m; ++i) {
          const Real aip = A(i, p), aiq = A(i, q), vip = V(i, p), viq = V(i, q);
          A(i, p) = c * aip - s * aiq;
          A(i, q) = s * aip + c * aiq;
          V(i, p) = c * vip - s * viq;
          V(i, q) = s * vip + c * viq;
        }
        for (int i = 0; i < m; ++i) {
          const Real api = A(p, i), aqi = A(q, i);
          A(p, i) = c * api - s * aqi;
          A(q, i) = s * api + c * aqi;
        }
      }
  }
  Array<int, Max> null(m);
  int nullity = 0;
  for (int i = 0; i < m; ++i)
    if (A(i, i) <= tolerance) null[nullity++] = i;
  if (nullity == 0) return false;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) {
      A(i, j) = 0;
      for (int n = 0; n < nullity; ++n) A(i, j) += V(i, null[n]) * V(j, null[n]);
    }
  // A share of rounding size would become a unit share by scaling: such an unknown is determined.
  for (int i = 0; i < m; ++i)
    if (A(i, i) <= tolerance * tolerance)
      for (int j = 0; j < m; ++j) A(i, j) = A(j, i) = 0;
  return true;
}

}  // namespace ricochet::complementarity
