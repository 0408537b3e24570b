// The directions a tangent follows, one per column: how state, time and parameters vary together.
#pragma once

#include <Eigen/Core>

namespace ricochet::tangent {

/// δ(q, p, t, θ) at a node, the variation δs of the length of the flight from there, and what becomes of its energies.
template <class Mechanics>
struct Columns {
  using Real = typename Mechanics::Real;
  static constexpr int N = Mechanics::N, Max = Mechanics::Max;
  static constexpr int one_row = N == 1 ? Eigen::RowMajor : Eigen::ColMajor;
  using Block = Eigen::Matrix<Real, N, Eigen::Dynamic, one_row, Max, Eigen::Dynamic>;
  using Row = Eigen::Matrix<Real, 1, Eigen::Dynamic>;
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

  Block q, p;
  Row t, s;
  Matrix theta;
  Row start, end;  ///< δ of Interval::start and Interval::end of the last flight

  Eigen::Index size() const { return q.cols(); }
  /// The first column that varies a parameter, size() if none does: those of the start usually come first.
  Eigen::Index first_varied() const {
    for (Eigen::Index c = 0; c < theta.cols(); ++c)
      for (Eigen::Index l = 0; l < theta.rows(); ++l)
        if (theta(l, c) != 0) return c;
    return size();
  }
  /// `columns` zero columns of n coordinates and m parameters.
  void reset(Eigen::Index n, Eigen::Index m, Eigen::Index columns) {
    q.setZero(n, columns);
    p.setZero(n, columns);
    t.setZero(columns);
    s.setZero(columns);
    theta.setZero(m, columns);
    start.setZero(columns);
    end.setZero(columns);
  }
  /// The first `columns` of `other`, followed by zeros.
  void take(const Columns& other, Eigen::Index columns, Eigen::Index all) {
    reset(other.q.rows(), other.theta.rows(), all);
    q.leftCols(columns) = other.q.leftCols(columns);
    p.leftCols(columns) = other.p.leftCols(columns);
    t.head(columns) = other.t.head(columns);
    s.head(columns) = other.s.head(columns);
    theta.leftCols(columns) = other.theta.leftCols(columns);
  }
  /// Adds column `from` times the entries of `by` to the first by.size() columns.
  void combine(Eigen::Index from, const Row& by) {
    const Eigen::Index k = by.size();
    q.leftCols(k).noalias() += q.col(from).lazyProduct(by);
    p.leftCols(k).noalias() += p.col(from).lazyProduct(by);
    t.head(k) += t[from] * by;
    s.head(k) += s[from] * by;
    start.head(k) += start[from] * by;
    end.head(k) += end[from] * by;
  }
};

}  // namespace ricochet::tangent
