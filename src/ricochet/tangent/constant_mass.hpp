// A mass matrix that depends on parameters only: M, M⁻¹ and ∂M/∂θ, made once.
#pragma once

#include "ricochet/mechanics/mechanics.hpp"

namespace ricochet::tangent {

template <class Mechanics>
class ConstantMass {
 public:
  using Real = typename Mechanics::Real;
  using Vec = typename Mechanics::Vec;
  using Mat = typename Mechanics::Mat;

  template <class Family>
  void prepare(const Mechanics& mechanics, const Family& family) {
    if (known_) return;
    known_ = true;
    const int n = mechanics.dimension(), m = family.parameters();
    M_.resize(n, n), inverse_.resize(n, n);
    Vec unit(n), column(n);
    for (int k = 0; k < n; ++k) {
      unit.setZero();
      unit[k] = 1;
      mechanics.velocity(unit, unit, Real(0), column);
      inverse_.col(k) = column;
      mechanics.momentum(unit, unit, Real(0), column);
      M_.col(k) = column;
    }
    // The columns round differently; a symplectic tangent needs one number for both places.
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j) inverse_(i, j) = inverse_(j, i);
    using D = numerics::Jet<Real, 1>;
    std::vector<D> theta;
    for (int j = 0; j < m; ++j) theta.push_back(D(Real(family.parameter(j))));
    for (auto& by : theta) {
      by.d[0] = Real(1);
      Mat& slope = slopes_.emplace_back(n, n);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) slope(i, j) = family.mass(i, j, Point<D>(theta)).d[0];
      by.d[0] = Real(0);
      varies_ |= !slope.isZero(Real(0));
    }
  }

  const Mat& matrix() const { return M_; }
  const Mat& inverse() const { return inverse_; }
  /// Whether M depends on any parameter.
  bool varies() const { return varies_; }
  /// ∂(Mx)/∂θ, a column per parameter.
  template <class X, class Block>
  void slopes(const X& x, Block& out) const {
    out.resize(M_.rows(), static_cast<Eigen::Index>(slopes_.size()));
    for (std::size_t l = 0; l < slopes_.size(); ++l)
      out.col(static_cast<Eigen::Index>(l)).noalias() = slopes_[l].lazyProduct(x);
  }
  Vec solve(const Vec& y) const { return inverse_ * y; }

  /// Mx in jets, θ varying with them.
  template <class J, class JV>
  void multiply(const JV& x, const std::vector<J>& theta, JV& y) const {
    product(M_, x, y);
    vary(x, theta, Real(1), y);
  }
  /// M⁻¹y likewise: δx = M⁻¹(δy − δM x).
  template <class J, class JV>
  void solve(const JV& y, const std::vector<J>& theta, JV& x) const {
    product(inverse_, y, x);
    if (theta.empty()) return;
    thread_local JV shift;
    shift = x;
    for (J& z : shift) z = J(0);
    vary(x, theta, Real(-1), shift);
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t j = 0; j < x.size(); ++j)
        x[i] += inverse_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) * shift[j];
  }

 private:
  template <class JV>
  static void product(const Mat& A, const JV& x, JV& y) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      y[i] = A(row, 0) * x[0];
      for (std::size_t j = 1; j < x.size(); ++j) y[i] += A(row, static_cast<Eigen::Index>(j)) * x[j];
    }
  }
  /// y += sign δM x.
  template <class J, class JV>
  void vary(const JV& x, const std::vector<J>& theta, Real sign, JV& y) const {
    for (std::size_t l = 0; l < theta.size(); ++l)
      for (std::size_t i = 0; i < x.size(); ++i) {
        Real slope = 0;
        for (std::size_t j = 0; j < x.size(); ++j)
          slope += slopes_[l](static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) * x[j].v;
        for (std::size_t c = 0; c < theta[l].d.size(); ++c) y[i].d[c] += sign * slope * theta[l].d[c];
      }
  }

  bool known_ = false, varies_ = false;
  Mat M_, inverse_;
  std::vector<Mat> slopes_;  ///< ∂M/∂θ_l
};

}  // namespace ricochet::tangent
