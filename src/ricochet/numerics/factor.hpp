// Cholesky and LU factors of dense matrices in plain loops. Eigen's are made for large matrices: their blocks and
// packets take a compiler some three seconds for every scalar and size, and the systems here have a few rows each.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <utility>

namespace ricochet::numerics {

namespace detail {
/// The number of rows as a constant where the type has it: loops over three rows then need no counter.
template <class Mat>
constexpr Eigen::Index rows_of(const Mat& a) {
  if constexpr (Mat::RowsAtCompileTime > 0)
    return Mat::RowsAtCompileTime;
  else
    return a.rows();
}

/// f(x) for every column x of B, as a pointer to contiguous numbers.
template <class Block, class F>
void for_each_column(Block& B, F&& f) {
  static_assert(!Block::IsRowMajor || Block::RowsAtCompileTime == 1, "columns have to be contiguous");
  for (Eigen::Index c = 0; c < B.cols(); ++c) f(&B.coeffRef(0, c));
}
}  // namespace detail

/// A = LLᵀ of a symmetric positive definite matrix, of which the lower triangle is read.
template <class Mat>
class Cholesky {
  static_assert(!Mat::IsRowMajor, "columns have to be contiguous");

 public:
  using Real = typename Mat::Scalar;

  /// False if A is not positive definite. What is not a number is not noticed here and makes solutions that are none.
  template <class Matrix>
  [[nodiscard]] bool compute(const Matrix& A) {
    L_ = A;
    const Eigen::Index n = detail::rows_of(L_);
    Real* const a = L_.data();
    for (Eigen::Index k = 0; k < n; ++k) {
      Real* const column = a + k * n;
      if (column[k] <= 0) return false;
      const Real pivot = column[k] = std::sqrt(column[k]);
      for (Eigen::Index i = k + 1; i < n; ++i) column[i] /= pivot;
      for (Eigen::Index j = k + 1; j < n; ++j)
        for (Eigen::Index i = j; i < n; ++i) a[j * n + i] -= column[i] * column[j];
    }
    for (Eigen::Index k = 0; k < n; ++k)
      for (Eigen::Index i = 0; i < k; ++i) a[k * n + i] = a[i * n + k];
    return true;
  }

  /// L_kk.
  Real pivot(Eigen::Index k) const { return L_(k, k); }

  /// B ← A⁻¹B.
  template <class Block>
  void solve(Block& B) const {
    const Eigen::Index n = detail::rows_of(L_);
    const Real* const a = L_.data();
    detail::for_each_column(B, [&](Real* x) {
      for (Eigen::Index k = 0; k < n; ++k) {
        x[k] /= a[k * n + k];
        for (Eigen::Index i = k + 1; i < n; ++i) x[i] -= a[k * n + i] * x[k];
      }
      for (Eigen::Index k = n; k-- > 0;) {
        x[k] /= a[k * n + k];
        for (Eigen::Index i = 0; i < k; ++i) x[i] -= a[k * n + i] * x[k];
      }
    });
  }

 private:
  Mat L_;  ///< with Lᵀ above it: both substitutions then go down columns
};

/// PA = LU of a square matrix, with the largest pivot of each column. A singular matrix has solutions that are not
/// finite.
template <class Mat>
class Lu {
  static_assert(!Mat::IsRowMajor, "columns have to be contiguous");

 public:
  using Real = typename Mat::Scalar;

  Lu() = default;
  template <class Matrix>
  explicit Lu(const Matrix& A) {
    compute(A);
  }

  template <class Matrix>
  void compute(const Matrix& A) {
    lu_ = A;
    const Eigen::Index n = detail::rows_of(lu_);
    swaps_.resize(n);
    Real* const a = lu_.data();
    for (Eigen::Index k = 0; k < n; ++k) {
      Real* const column = a + k * n;
      Eigen::Index largest = k;
      for (Eigen::Index i = k + 1; i < n; ++i)
        if (std::abs(column[i]) > std::abs(column[largest])) largest = i;
      swaps_[k] = static_cast<int>(largest);
      if (largest != k)
        for (Eigen::Index j = 0; j < n; ++j) std::swap(a[j * n + k], a[j * n + largest]);
      if (column[k] == 0) continue;
      for (Eigen::Index i = k + 1; i < n; ++i) column[i] /= column[k];
      for (Eigen::Index j = k + 1; j < n; ++j)
        for (Eigen::Index i = k + 1; i < n; ++i) a[j * n + i] -= column[i] * a[j * n + k];
    }
  }

  /// B ← A⁻¹B.
  template <class Block>
  void solve(Block& B) const {
    const Eigen::Index n = detail::rows_of(lu_);
    const Real* const a = lu_.data();
    detail::for_each_column(B, [&](Real* x) {
      for (Eigen::Index k = 0; k < n; ++k) std::swap(x[k], x[swaps_[k]]);
      for (Eigen::Index k = 0; k < n; ++k)
        for (Eigen::Index i = k + 1; i < n; ++i) x[i] -= a[k * n + i] * x[k];
      for (Eigen::Index k = n; k-- > 0;) {
        x[k] /= a[k * n + k];
        for (Eigen::Index i = 0; i < k; ++i) x[i] -= a[k * n + i] * x[k];
      }
    });
  }
  /// A⁻¹b.
  template <class Vec>
  typename Vec::PlainObject operator()(const Vec& b) const {
    typename Vec::PlainObject x = b;
    solve(x);
    return x;
  }
  Mat inverse() const {
    Mat X = Mat::Identity(lu_.rows(), lu_.rows());
    solve(X);
    return X;
  }

 private:
  Mat lu_;
  Eigen::Matrix<int, Mat::RowsAtCompileTime, 1, 0, Mat::MaxRowsAtCompileTime, 1> swaps_;
};

}  // namespace ricochet::numerics
