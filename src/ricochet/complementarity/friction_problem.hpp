#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "ricochet/complementarity/friction_local.hpp"

namespace ricochet::complementarity {

/// u = Wr + b with r_i in the friction cone of contact i; W symmetric positive semidefinite, stored by D × D blocks, so
/// that many contacts of few bodies each cost what they touch. D = 2: planar, (normal, slip); D = 3: spatial.
template <class Real, int D>
class FrictionProblem {
 public:
  using Vector = ContactVector<Real, D>;
  using Matrix = ContactMatrix<Real, D>;

  /// Begins a problem of n contacts; rows are then added in order, each with its blocks.
  void reset(int n) {
    rows_.assign(1, 0);
    columns_.clear();
    blocks_.clear();
    sizes_.clear();
    b_.assign(static_cast<std::size_t>(n), Vector::Zero());
    mu_.assign(static_cast<std::size_t>(n), Real(0));
    diagonal_.assign(static_cast<std::size_t>(n), Matrix::Zero());
    scale_.assign(static_cast<std::size_t>(n), Real(1));
    minimum_.assign(static_cast<std::size_t>(n), Real(0));
  }
  void add_block(int column, const Matrix& W) {
    const std::size_t row = rows_.size() - 1;
    if (column == static_cast<int>(row)) {
      diagonal_[row] = W;
      const Real mean = W.trace() / D;
      scale_[row] = mean > 0 ? mean : Real(1);
    } else {
      columns_.push_back(column);
      blocks_.push_back(W);
      sizes_.push_back(W.norm());
    }
  }
  void finish_row(const Vector& b, Real mu) {
    const std::size_t row = rows_.size() - 1;
    b_[row] = b;
    mu_[row] = mu;
    rows_.push_back(columns_.size());
  }

  /// From a dense W of size nD and b, contact by contact (normal, slip, …); blocks that are zero are left out.
  template <class DenseMatrix, class DenseVector, class Friction>
  void assign(int n, const DenseMatrix& W, const DenseVector& b, const Friction& mu) {
    reset(n);
    for (int i = 0; i < n; ++i) {
      Vector bi;
      for (int a = 0; a < D; ++a) bi[a] = b[D * i + a];
      for (int j = 0; j < n; ++j) {
        Matrix block;
        for (int a = 0; a < D; ++a)
          for (int c = 0; c < D; ++c) block(a, c) = W(D * i + a, D * j + c);
        if (i == j || (block.array() != 0).any()) add_block(j, block);
      }
      finish_row(bi, mu[i]);
    }
  }

  /// A normal impulse that acts in any case (Poisson's restitution): 0 ≤ r_N − c ⊥ u_N ≥ 0, |r_T| ≤ μ r_N.
  void set_minimum(int i, Real c) { minimum_[at(i)] = c; }
  void set_mu(int i, Real mu) { mu_[at(i)] = mu; }

  int size() const { return static_cast<int>(b_.size()); }
  const Vector& b(int i) const { return b_[at(i)]; }
  Real minimum(int i) const { return minimum_[at(i)]; }
  Real mu(int i) const { return mu_[at(i)]; }
  const Matrix& diagonal(int i) const { return diagonal_[at(i)]; }
  /// Mean diagonal of the block: √ of it turns an impulse into a speed in the kinetic metric.
  Real scale(int i) const { return scale_[at(i)]; }

  template <class F>
  void for_each_block(int i, F&& f) const {
    f(i, diagonal_[at(i)]);
    for (std::size_t n = rows_[at(i)]; n < rows_[at(i) + 1]; ++n) f(columns_[n], blocks_[n]);
  }

  /// b_i + Σ_{j≠i} W_ij r_j: what contact i would see without its own impulse.
  Vector free_velocity(int i, const std::vector<Vector>& r) const {
    Vector u = b(i);
    for (std::size_t n = rows_[at(i)]; n < rows_[at(i) + 1]; ++n) u.noalias() += blocks_[n] * r[at(columns_[n])];
    return u;
  }
  Vector velocity(int i, const std::vector<Vector>& r) const { return free_velocity(i, r) + diagonal(i) * r[at(i)]; }

  /// Natural map of the cone problem K* ∋ u + μ|u_T|e_N ⊥ r ∈ K (De Saxcé's bipotential), each contact with its own
  /// step 1/scale, as a speed in the kinetic metric, relative to the largest |b| or Σ|W||r|: what rounding is relative
  /// to.
  Real residual(const std::vector<Vector>& r) const {
    Real worst = 0, reference = 0;
    for (int i = 0; i < size(); ++i) {
      const Vector gap = r[at(i)] - natural_map(i, r[at(i)], velocity(i, r));
      const Real root = std::sqrt(scale(i));
      Real size = b(i).norm() + diagonal(i).norm() * r[at(i)].norm();
      for (std::size_t n = rows_[at(i)]; n < rows_[at(i) + 1]; ++n) size += sizes_[n] * r[at(columns_[n])].norm();
      worst = std::max(worst, root * gap.norm());
      reference = std::max(reference, size / root);
      if (!std::isfinite(gap.squaredNorm())) return std::numeric_limits<Real>::infinity();
    }
    return reference > 0 ? worst / reference : worst;
  }

  /// Where r is a solution, it is its own image.
  Vector natural_map(int i, const Vector& r, Vector u) const {
    // No cone any more, or a wide one, whose natural map hardly sees the normal (u_N < 0 is 1/μ of itself there, and
    // the rounding of u_T is μ of itself): the normal and the tangential projection one after the other.
    if (minimum(i) > 0 || mu(i) > 1) {
      Vector image = r - u / scale(i);
      image[0] = std::max(image[0], minimum(i));
      clip_to_friction_cone<Real, D>(image, mu(i));
      return image;
    }
    u[0] += mu(i) * u.template tail<D - 1>().norm();
    return project_on_friction_cone<Real, D>(r - u / scale(i), mu(i));
  }

  bool finite() const {
    for (int i = 0; i < size(); ++i)
      if (!b(i).allFinite() || !(mu(i) >= 0) || !std::isfinite(mu(i)) || !diagonal(i).allFinite()) return false;
    for (const Matrix& W : blocks_)
      if (!W.allFinite()) return false;
    return true;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  std::vector<std::size_t> rows_;
  std::vector<int> columns_;
  std::vector<Matrix> blocks_, diagonal_;
  std::vector<Vector> b_;
  std::vector<Real> mu_, scale_, minimum_, sizes_;
};

}  // namespace ricochet::complementarity
