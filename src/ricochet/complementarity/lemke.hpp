#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "ricochet/complementarity/storage.hpp"

namespace ricochet::complementarity {

/// z with 0 ≤ z ⊥ w = Mz + q ≥ 0 for any square M: Lemke's algorithm on a dense tableau, with the lexicographic ratio
/// test, so that degenerate problems do not cycle. Ends with a solution or on a ray; for copositive-plus M (positive
/// semidefinite ones, and the friction problems of planar contacts) a ray means that no solution exists.
template <class Real, int Max>
class Lemke {
 public:
  template <class Matrix, class Vector, class Unknown>
  Status solve(int k, const Matrix& M, const Vector& q, Unknown& z) {
    Status status = Status::no_convergence;
    // Rounding can end a path of a singular problem too early. Another covering vector takes another path.
    for (int path = 0; path < 4; ++path) {
      for (int i = 0; i < k; ++i) z[i] = 0;
      if (!build(k, M, q, path)) return Status::not_finite;
      const Status ended = pivot_until_complementary();
      if (ended == Status::solved && read(M, q, z) <= std::sqrt(eps()) * magnitude_) return Status::solved;
      if (path == 0 || ended == Status::ray) status = ended == Status::solved ? Status::no_convergence : ended;
    }
    for (int i = 0; i < k; ++i) z[i] = 0;
    return status;
  }

 private:
  static constexpr Real eps() { return std::numeric_limits<Real>::epsilon(); }
  int w(int i) const { return i; }
  int z(int i) const { return k_ + i; }
  int z0() const { return 2 * k_; }
  int rhs() const { return 2 * k_ + 1; }
  Real& T(int row, int column) { return T_[row * (2 * k_ + 2) + column]; }

  /// I w − M z − d z0 = q, rows and columns of M scaled to entries of size one: w and z may have different units.
  template <class Matrix, class Vector>
  bool build(int k, const Matrix& M, const Vector& q, int path) {
    k_ = k;
    magnitude_ = 0;
    T_.assign(2 * k * (k + 1));
    basis_.assign(k);
    column_.assign(k);
    Array<Real, Max> row(k);
    for (int i = 0; i < k; ++i) {
      if (!std::isfinite(q[i])) return false;
      for (int j = 0; j < k; ++j) {
        if (!std::isfinite(M(i, j))) return false;
        row[i] = std::max(row[i], std::abs(Real(M(i, j))));
      }
      if (!(row[i] > 0)) row[i] = 1;
    }
    for (int j = 0; j < k; ++j) {
      for (int i = 0; i < k; ++i) column_[j] = std::max(column_[j], std::abs(Real(M(i, j))) / row[i]);
      if (!(column_[j] > 0)) column_[j] = 1;
    }
    for (int i = 0; i < k; ++i) {
      for (int j = 0; j < k; ++j) T(i, z(j)) = -M(i, j) / (row[i] * column_[j]);
      T(i, w(i)) = 1;
      const Real fraction = Real(0.6180339887) * Real((i + 1) * path);
      T(i, z0()) = -1 - (fraction - std::floor(fraction));
      T(i, rhs()) = q[i] / row[i];
      magnitude_ = std::max(magnitude_, std::abs(T(i, rhs())));
      basis_[i] = w(i);
    }
    return true;
  }

  Status pivot_until_complementary() {
    int row = -1;
    for (int i = 0; i < k_; ++i)
      if (T(i, rhs()) < 0 && (row < 0 || lexicographically_less(i, -T(i, z0()), row, -T(row, z0())))) row = i;
    if (row < 0) return Status::solved;
    int entering = z0();
    const int bound = 50 * (k_ + 2) * (k_ < 10 ? 10 : k_);
    for (int n = 0; n < bound; ++n) {
      const int leaving = basis_[row];
      pivot(row, entering);
      if (leaving == z0()) return Status::solved;
      entering = leaving < k_ ? z(leaving) : w(leaving - k_);
      row = leaving_row(entering);
      if (row < 0) return covering() <= 1024 * Real(k_) * eps() * magnitude_ ? Status::solved : Status::ray;
    }
    return Status::no_convergence;
  }

  /// The value of z0, which is basic until the end: a ray met when it is down to rounding is a solution.
  Real covering() {
    for (int i = 0; i < k_; ++i)
      if (basis_[i] == z0()) return T(i, rhs());
    return 0;
  }

  /// The lexicographic order of (rhs, columns of w) of two rows, each divided by its pivot.
  bool lexicographically_less(int a, Real pivot_a, int b, Real pivot_b) {
    for (int c = -1; c < k_; ++c) {
      const int column = c < 0 ? rhs() : w(c);
      const Real x = T(a, column) / pivot_a, y = T(b, column) / pivot_b;
      const Real noise = 64 * eps() * (std::abs(x) + std::abs(y));
      if (x < y - noise) return true;
      if (x > y + noise) return false;
    }
    return a < b;
  }

  int leaving_row(int entering) {
    Real largest = 0;
    for (int i = 0; i < k_; ++i) largest = std::max(largest, std::abs(T(i, entering)));
    const Real smallest_pivot = 1024 * Real(k_) * eps() * std::max(largest, Real(1));
    int row = -1;
    for (int i = 0; i < k_; ++i) {
      const Real p = T(i, entering);
      if (p <= smallest_pivot) continue;
      // z0 leaves as soon as it can: that ends the path
      if (row < 0 || lexicographically_less(i, p, row, T(row, entering))) row = i;
    }
    if (row < 0) return row;
    for (int i = 0; i < k_; ++i) {
      const Real p = T(i, entering);
      if (basis_[i] != z0() || p <= smallest_pivot) continue;
      const Real mine = T(i, rhs()) / p, best = T(row, rhs()) / T(row, entering);
      if (mine <= best + 64 * eps() * std::abs(best)) return i;
    }
    return row;
  }

  void pivot(int row, int column) {
    const int n = 2 * k_ + 2;
    const Real inverse = 1 / T(row, column);
    for (int j = 0; j < n; ++j) T(row, j) *= inverse;
    T(row, column) = 1;
    for (int i = 0; i < k_; ++i) {
      const Real factor = T(i, column);
      if (i == row || factor == 0) continue;
      for (int j = 0; j < n; ++j) T(i, j) -= factor * T(row, j);
      T(i, column) = 0;
    }
    basis_[row] = column;
  }

  /// The pivots leave rounding in z; one step of refinement with the final basis, whose inverse stands under w, mends
  /// it.
  /// Returns the largest |min(w, z)|, scaled.
  template <class Matrix, class Vector, class Unknown>
  Real read(const Matrix& M, const Vector& q, Unknown& unknown) {
    for (int i = 0; i < k_; ++i)
      if (basis_[i] >= k_ && basis_[i] < z0())
        unknown[basis_[i] - k_] = std::max(T(i, rhs()), Real(0)) / column_[basis_[i] - k_];
    return refine(M, q, unknown);
  }

  template <class Matrix, class Vector, class Unknown>
  Real refine(const Matrix& M, const Vector& q, Unknown& unknown) {
    Array<Real, Max> residual(k_), row(k_), better(k_);
    const auto error = [&](const auto& x) {  // |min(w, z)| in scaled units
      Real worst = 0;
      for (int i = 0; i < k_; ++i) {
        Real sum = q[i], scale = 0;
        for (int j = 0; j < k_; ++j) {
          sum += M(i, j) * x[j];
          scale = std::max(scale, std::abs(Real(M(i, j))));
        }
        row[i] = scale > 0 ? scale : Real(1);
        residual[i] = sum / row[i];
        worst = std::max(worst, std::abs(std::min(residual[i], x[i] * column_[i])));
      }
      return worst;
    };
    const Real before = error(unknown);
    for (int i = 0; i < k_; ++i) better[i] = unknown[i];
    for (int i = 0; i < k_; ++i) {
      if (basis_[i] < k_ || basis_[i] >= z0()) continue;
      Real correction = 0;  // row i of B⁻¹ times the residual of the equations whose w is not basic
      for (int j = 0; j < k_; ++j) {
        bool w_is_basic = false;
        for (int l = 0; l < k_; ++l) w_is_basic = w_is_basic || basis_[l] == w(j);
        if (!w_is_basic) correction += T(i, w(j)) * residual[j];
      }
      const int at = basis_[i] - k_;
      better[at] = std::max(better[at] + correction / column_[at], Real(0));
    }
    const Real after = error(better);
    if (!(after < before)) return before;
    for (int i = 0; i < k_; ++i) unknown[i] = better[i];
    return after;
  }

  int k_ = 0;
  Real magnitude_ = 0;
  Array<Real, Max == any_size ? any_size : 2 * Max*(Max + 1)> T_;
  Array<int, Max> basis_;
  Array<Real, Max> column_;
};

template <class Matrix, class Vector, class Unknown>
[[nodiscard]] Status solve_lcp(int k, const Matrix& M, const Vector& q, Unknown& z) {
  using Real = std::remove_cvref_t<decltype(z[0])>;
  return with_storage(k, [&](auto max) {
    Lemke<Real, max()> lemke;
    return lemke.solve(k, M, q, z);
  });
}

template <class Matrix, class Vector, class Unknown>
[[nodiscard]] Status solve_lcp(const Matrix& M, const Vector& q, Unknown& z) {
  return solve_lcp(static_cast<int>(q.size()), M, q, z);
}

}  // namespace ricochet::complementarity
