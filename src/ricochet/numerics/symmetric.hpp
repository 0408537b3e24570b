// Small symmetric semidefinite systems, perhaps singular: least-norm solutions by Jacobi's eigenvalue method.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ricochet::numerics {

/// A k×k symmetric matrix and the solution of Wx = b with the least Σ W_ii x_i². Redundant contacts (four corners flat
/// on a floor) share equally that way. Plain loops: a few contacts never pay for a matrix library, in time or in
/// compiling.
template <class Real>
class Symmetric {
 public:
  void resize(int k) {
    k_ = k;
    entries_.assign(static_cast<std::size_t>(k * k), Real(0));
    factored_ = false;
  }
  int size() const { return k_; }
  Real& operator()(int i, int j) {
    factored_ = false;
    return entries_[static_cast<std::size_t>(i * k_ + j)];
  }
  Real operator()(int i, int j) const { return entries_[static_cast<std::size_t>(i * k_ + j)]; }

  /// b becomes x.
  void solve(std::vector<Real>& b) {
    if (k_ == 1) {
      b[0] /= entries_[0];
      return;
    }
    if (!factored_) factor();
    std::vector<Real>& c = sum_;
    c.assign(static_cast<std::size_t>(k_), Real(0));
    for (int m = 0; m < k_; ++m) {
      const Real value = a_[at(m, m)];
      if (!(value > Real(1e-10) * largest_)) continue;
      Real projection = 0;
      for (int i = 0; i < k_; ++i)
        projection += v_[at(i, m)] * scale_[static_cast<std::size_t>(i)] * b[static_cast<std::size_t>(i)];
      for (int i = 0; i < k_; ++i) c[static_cast<std::size_t>(i)] += v_[at(i, m)] * projection / value;
    }
    for (int i = 0; i < k_; ++i)
      b[static_cast<std::size_t>(i)] = c[static_cast<std::size_t>(i)] * scale_[static_cast<std::size_t>(i)];
  }

 private:
  std::size_t at(int i, int j) const { return static_cast<std::size_t>(i * k_ + j); }

  /// Eigenvalues on the diagonal of a_, eigenvectors in the columns of v_, of the matrix scaled to unit diagonal.
  void factor() {
    factored_ = true;
    a_ = entries_;
    v_.assign(entries_.size(), Real(0));
    scale_.assign(static_cast<std::size_t>(k_), Real(1));
    for (int i = 0; i < k_; ++i) {
      v_[at(i, i)] = 1;
      if (entries_[at(i, i)] > 0) scale_[static_cast<std::size_t>(i)] = 1 / std::sqrt(entries_[at(i, i)]);
    }
    for (int i = 0; i < k_; ++i)
      for (int j = 0; j < k_; ++j)
        a_[at(i, j)] *= scale_[static_cast<std::size_t>(i)] * scale_[static_cast<std::size_t>(j)];
    const Real eps = std::numeric_limits<Real>::epsilon();
    for (int sweep = 0; sweep < 60; ++sweep) {
      bool rotated = false;
      for (int p = 0; p < k_; ++p)
        for (int q = p + 1; q < k_; ++q)
          if (std::abs(a_[at(p, q)]) > eps * Real(0.125)) {
            rotate(p, q);
            rotated = true;
          }
      if (!rotated) break;
    }
    largest_ = 0;
    for (int i = 0; i < k_; ++i) largest_ = std::max(largest_, a_[at(i, i)]);
  }
  void rotate(int p, int q) {
    const Real theta = (a_[at(q, q)] - a_[at(p, p)]) / (2 * a_[at(p, q)]);
    const Real t = (theta >= 0 ? Real(1) : Real(-1)) / (std::abs(theta) + std::sqrt(theta * theta + 1));
    const Real c = 1 / std::sqrt(t * t + 1), s = t * c;
    for (int i = 0; i < k_; ++i) {
      const Real x = a_[at(i, p)], y = a_[at(i, q)];
      a_[at(i, p)] = c * x - s * y;
      a_[at(i, q)] = s * x + c * y;
    }
    for (int i = 0; i < k_; ++i) {
      const Real x = a_[at(p, i)], y = a_[at(q, i)];
      a_[at(p, i)] = c * x - s * y;
      a_[at(q, i)] = s * x + c * y;
      const Real u = v_[at(i, p)], w = v_[at(i, q)];
      v_[at(i, p)] = c * u - s * w;
      v_[at(i, q)] = s * u + c * w;
    }
    a_[at(p, q)] = a_[at(q, p)] = 0;
  }

  int k_ = 0;
  bool factored_ = false;
  Real largest_ = 0;
  std::vector<Real> entries_, a_, v_, scale_, sum_;
};

}  // namespace ricochet::numerics
