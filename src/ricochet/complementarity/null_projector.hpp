#pragma once

#include <cmath>
#include <limits>

#include "ricochet/complementarity/storage.hpp"

namespace ricochet::complementarity {

/// A V becomes diagonal by Jacobi rotations, which V collects (small matrices, high relative accuracy).
template <class Real, int Max>
void diagonalize(int m, Square<Real, Max>& A, Square<Real, Max>& V) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) V(i, j) = i == j ? 1 : 0;
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
}

/// The same projector of a large matrix, by way of its range, which many contacts of few coordinates share: its columns
/// with the largest remainders (Cholesky with pivots, on a copy), made orthonormal, then diagonalized among themselves:
/// O(m² r) where rotations of the whole matrix take O(m³) several times. −1 where the rank r is no small part of m,
/// else how many dimensions the null space has.
template <class Real, int Max>
int project_by_range(int m, Square<Real, Max>& A, Real tolerance) {
  const int most = m / 4;
  Square<Real, Max> columns(m);  // row k is the k-th column, orthonormal to those before
  Array<Real, Max> left(m);
  for (int i = 0; i < m; ++i) left[i] = A(i, i);
  int rank = 0;
  // By Gram and Schmidt, twice: a column of A less its parts along the others. What is left of its diagonal entry is
  // that of the Schur complement, followed on the way.
  Square<Real, Max> factor(m);  // row k is the k-th column of the Cholesky factor
  for (;; ++rank) {
    int pivot = 0;
    for (int i = 1; i < m; ++i)
      if (left[i] > left[pivot]) pivot = i;
    if (!(left[pivot] > tolerance / 64)) break;
    if (rank == most) return -1;
    const Real root = std::sqrt(left[pivot]);
    for (int i = 0; i < m; ++i) {
      Real entry = A(i, pivot);
      for (int k = 0; k < rank; ++k) entry -= factor(k, i) * factor(k, pivot);
      factor(rank, i) = entry / root;
    }
    for (int i = 0; i < m; ++i) left[i] -= factor(rank, i) * factor(rank, i);
    left[pivot] = 0;
    for (int i = 0; i < m; ++i) columns(rank, i) = factor(rank, i);
    for (int pass = 0; pass < 2; ++pass)
      for (int k = 0; k < rank; ++k) {
        Real along = 0;
        for (int i = 0; i < m; ++i) along += columns(k, i) * columns(rank, i);
        for (int i = 0; i < m; ++i) columns(rank, i) -= along * columns(k, i);
      }
    Real norm = 0;
    for (int i = 0; i < m; ++i) norm += columns(rank, i) * columns(rank, i);
    norm = std::sqrt(norm);
    for (int i = 0; i < m; ++i) columns(rank, i) /= norm;
  }
  Square<Real, Max> inner(rank), turned(rank);
  Array<Real, Max> image(m);
  for (int k = 0; k < rank; ++k) {
    for (int i = 0; i < m; ++i) {
      image[i] = 0;
      for (int j = 0; j < m; ++j) image[i] += A(i, j) * columns(k, j);
    }
    for (int l = 0; l <= k; ++l) {
      Real product = 0;
      for (int i = 0; i < m; ++i) product += columns(l, i) * image[i];
      inner(k, l) = inner(l, k) = product;
    }
  }
  diagonalize<Real, Max>(rank, inner, turned);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) A(i, j) = i == j ? 1 : 0;
  int nullity = m;
  for (int k = 0; k < rank; ++k) {
    if (inner(k, k) <= tolerance) continue;
    --nullity;
    for (int i = 0; i < m; ++i) {
      image[i] = 0;
      for (int l = 0; l < rank; ++l) image[i] += turned(l, k) * columns(l, i);
    }
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j) A(i, j) -= image[i] * image[j];
  }
  return nullity;
}

/// Replaces a symmetric m × m matrix by the orthogonal projector on its null space: the eigenvectors with eigenvalues
/// ≤ tolerance. False if the matrix is regular.
template <class Real, int Max>
bool null_projector(int m, Square<Real, Max>& A, Real tolerance) {
  constexpr int large = 32;
  int nullity = -1;
  if constexpr (Max == any_size)
    if (m > large) nullity = project_by_range<Real, Max>(m, A, tolerance);
  if (nullity < 0) {
    Square<Real, Max> V(m);
    diagonalize<Real, Max>(m, A, V);
    Array<int, Max> null(m);
    nullity = 0;
    for (int i = 0; i < m; ++i)
      if (A(i, i) <= tolerance) null[nullity++] = i;
    if (nullity == 0) return false;
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j) {
        A(i, j) = 0;
        for (int n = 0; n < nullity; ++n) A(i, j) += V(i, null[n]) * V(j, null[n]);
      }
  }
  if (nullity == 0) return false;
  // A share of rounding size would become a unit share by scaling: such an unknown is determined.
  for (int i = 0; i < m; ++i)
    if (A(i, i) <= tolerance * tolerance)
      for (int j = 0; j < m; ++j) A(i, j) = A(j, i) = 0;
  return true;
}

}  // namespace ricochet::complementarity
