// L, the forces and their derivatives at one point of (q, v, t, θ): the blocks tangents are made of.
#pragma once

#include "ricochet/mechanics/mechanics.hpp"
#include "ricochet/tangent/columns.hpp"

namespace ricochet::tangent {

/// θ of a family in any scalar.
template <class T, class Family>
std::vector<T> parameters_of(const Family& family) {
  std::vector<T> theta;
  for (int j = 0; j < family.parameters(); ++j) theta.push_back(T(family.parameter(j)));
  return theta;
}

/// First and second derivatives of L with Q = ∂L/∂q + f, as in mechanics::Mechanics, by t and θ too.
template <class Mechanics>
struct Stage {
  using Real = typename Mechanics::Real;
  using Vec = typename Mechanics::Vec;
  using Mat = typename Mechanics::Mat;
  using Block = typename Columns<Mechanics>::Block;
  using Row = typename Columns<Mechanics>::Row;

  typename Mechanics::Point1 at;
  typename Mechanics::Point2 second;
  bool more = false;  ///< depends on t or θ, or is forced: the rest is filled in
  Vec Lvt, Qt;
  Block Lv_theta, Q_theta;
  Vec f;
  Row slope;                                              ///< ∂L/∂(q,v,t,θ)
  Row rate_slope;                                         ///< ∂(∂L/∂t)/∂(q,v,t,θ)
  Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> F;  ///< ∂f/∂(q,v,t,θ)

  template <class Family>
  void evaluate(const Mechanics& mechanics, const Family& family, const Vec& q, const Vec& v, Real t) {
    more = family.parameters() > 0 || !mechanics.autonomous();
    if (!more) {
      mechanics.evaluate(q, v, t, at, second);
      return;
    }
    const Eigen::Index n = mechanics.dimension(), m = family.parameters(), size = 2 * n + 1 + m;
    z_.resize(size), slope.resize(size), H_.resize(size, size);
    z_.head(n) = q, z_.segment(n, n) = v, z_[2 * n] = t;
    for (Eigen::Index j = 0; j < m; ++j) z_[2 * n + 1 + j] = Real(family.parameter(static_cast<int>(j)));
    const auto at_n = static_cast<std::size_t>(n);
    const Point<Real> z(z_.data(), static_cast<std::size_t>(size));
    const Real L = numerics::hessian<Eigen::Dynamic, Real>(
        [&]<class T>(Point<T> x) {
          return family.lagrangian(x.subspan(0, at_n), x.subspan(at_n, at_n), x[2 * at_n], x.subspan(2 * at_n + 1));
        },
        z, std::span<Real>(slope.data(), static_cast<std::size_t>(size)), H_);
    at.Q = slope.head(n).transpose();
    at.Lv = slope.segment(n, n).transpose();
    at.energy = v.dot(at.Lv) - L;
    at.supply = mechanics.timed() ? -slope[2 * n] : Real(0);
    second.Qq = H_.topLeftCorner(n, n);
    second.Qv = H_.block(0, n, n, n);
    second.Lvq = H_.block(n, 0, n, n);
    second.Lvv = H_.block(n, n, n, n);
    Lvt = H_.block(n, 2 * n, n, 1);
    Qt = H_.block(0, 2 * n, n, 1);
    Lv_theta = H_.block(n, 2 * n + 1, n, m);
    Q_theta = H_.block(0, 2 * n + 1, n, m);
    rate_slope = H_.row(2 * n);
    f.setZero(n);
    F.setZero(n, size);
    if (mechanics.forced()) {
      force(family, z, n);
      at.Q += f;
      at.supply += f.dot(v);
      second.Qq += F.leftCols(n);
      second.Qv += F.middleCols(n, n);
      Qt += F.col(2 * n);
      Q_theta += F.rightCols(m);
    }
  }

  /// δ of the energy v·∂L/∂v − L for δ(q,v,t,θ).
  template <class A, class B>
  void energy(const Vec& v, const A& dq, const B& dv, const Row& dt, const Columns<Mechanics>& X, Row& row) const {
    const Vec by_q = second.Lvq.transpose() * v, by_v = second.Lvv * v;
    row.noalias() = by_v.transpose().lazyProduct(dv);
    if (!more) {
      row.noalias() += (by_q - at.Q).transpose().lazyProduct(dq);
      return;
    }
    const auto n = v.size();
    row.noalias() += by_q.transpose().lazyProduct(dq);
    row += (v.dot(Lvt) - slope[2 * n]) * dt - slope.head(n) * dq;
    if (X.theta.rows() > 0) row += (v.transpose() * Lv_theta - slope.tail(X.theta.rows())) * X.theta;
  }
  /// δ of the supply −∂L/∂t + f·v.
  template <class A, class B>
  Row supply(const Vec& v, const A& dq, const B& dv, const Row& dt, const Columns<Mechanics>& X) const {
    const auto n = v.size(), m = X.theta.rows();
    Row by = v.transpose() * F - rate_slope;
    Row row = by.head(n) * dq + (by.segment(n, n) + f.transpose()) * dv + by[2 * n] * dt;
    if (m > 0) row += by.tail(m) * X.theta;
    return row;
  }

 private:
  template <class Family>
  void force(const Family& family, Point<Real> z, Eigen::Index n) {
    constexpr std::size_t C = 4;
    using J = numerics::Jet<Real, C>;
    x_jet<J>().resize(z.size());
    f_jet<J>().resize(static_cast<std::size_t>(n));
    auto& x = x_jet<J>();
    auto& out = f_jet<J>();
    const auto k = static_cast<std::size_t>(n);
    for (std::size_t c = 0; c < z.size(); c += C) {
      for (std::size_t i = 0; i < z.size(); ++i)
        x[i] = i >= c && i < c + C ? J::variable(z[i], static_cast<int>(i - c)) : J(z[i]);
      for (J& y : out) y = J(0);
      const Point<J> all(x);
      family.force(all.subspan(0, k), all.subspan(k, k), all[2 * k], all.subspan(2 * k + 1), std::span<J>(out));
      for (std::size_t i = 0; i < k; ++i) {
        f[static_cast<Eigen::Index>(i)] = out[i].v;
        for (std::size_t j = c; j < std::min(c + C, z.size()); ++j)
          F(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = out[i].d[j - c];
      }
    }
  }
  template <class J>
  static std::vector<J>& x_jet() {
    thread_local std::vector<J> x;
    return x;
  }
  template <class J>
  static std::vector<J>& f_jet() {
    thread_local std::vector<J> f;
    return f;
  }

  Eigen::Matrix<Real, Eigen::Dynamic, 1> z_;
  Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> H_;
};

}  // namespace ricochet::tangent
