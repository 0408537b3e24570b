// L, the forces and their derivatives at one point of (q, v, t, θ): the blocks tangents are made of.
#pragma once

#include "ricochet/mechanics/mechanics.hpp"
#include "ricochet/tangent/columns.hpp"
#include "ricochet/tangent/constant_mass.hpp"
#include "ricochet/tangent/parameter_slopes.hpp"

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
  Row L_theta;
  Vec f;
  Row slope;                                              ///< ∂L/∂(q,v,t,θ)
  Row rate_slope;                                         ///< ∂(∂L/∂t)/∂(q,v,t,θ)
  Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> F;  ///< ∂f/∂(q,v,t,θ)

  template <class Family>
  void evaluate(const Mechanics& mechanics, const Family& family, const Vec& q, const Vec& v, Real t) {
    more = family.parameters() > 0 || !mechanics.autonomous();
    if (!mechanics.autonomous()) {
      in_nested_jets(mechanics, family, q, v, t);
      return;
    }
    at_fixed_time(mechanics, family, q, v, t, more);
    if (!more) return;
    const Eigen::Index n = mechanics.dimension(), m = family.parameters(), size = 2 * n + 1 + m;
    Lvt.setZero(n), Qt.setZero(n), f.setZero(n);
    F.setZero(n, size), rate_slope.setZero(size), slope.resize(size);
    slope.head(n) = at.Q.transpose();
    slope.segment(n, n) = at.Lv.transpose();
    slope[2 * n] = 0;
    slope.tail(m) = L_theta;
  }

  /// `at`, `second` and, if asked for, Lv_theta and Q_theta: all that a flight of fixed length has to know. Of the
  /// second derivatives by θ only those of first derivatives by (q, v) are formed, at the cost of first derivatives.
  template <class Family>
  void at_fixed_time(const Mechanics& mechanics, const Family& family, const Vec& q, const Vec& v, Real t,
                     bool by_theta) {
    if (is_fixed<Family> || !by_theta) {
      mechanics.evaluate(q, v, t, at, second);
      return;
    }
    if constexpr (!is_fixed<Family>) {
      using System = std::decay_t<decltype(mechanics.system())>;
      if constexpr (mechanics::Separable<System>)
        of_constant_mass(mechanics, family, q, v, t);
      else
        of_lagrangian(mechanics, family, q, v, t);
      if (mechanics.forced()) {
        const Eigen::Index n = mechanics.dimension(), m = family.parameters();
        place(family, q, v, t);
        f.setZero(n), F.setZero(n, 2 * n + 1 + m);
        force(family, Point<Real>(z_.data(), static_cast<std::size_t>(z_.size())), n, 2 * n + 1);
        Q_theta += F.rightCols(m);
      }
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
  /// (q, v, t, θ) as one vector.
  template <class Family>
  void place(const Family& family, const Vec& q, const Vec& v, Real t) {
    const Eigen::Index n = q.size(), m = family.parameters();
    z_.resize(2 * n + 1 + m);
    z_.head(n) = q, z_.segment(n, n) = v, z_[2 * n] = t;
    for (Eigen::Index j = 0; j < m; ++j) z_[2 * n + 1 + j] = Real(family.parameter(static_cast<int>(j)));
  }
  /// L = ½ vᵀMv − V.
  template <class Family>
  void of_constant_mass(const Mechanics& mechanics, const Family& family, const Vec& q, const Vec& v, Real t) {
    const Eigen::Index n = mechanics.dimension();
    mass_.prepare(mechanics, family);
    V_.at(mechanics, family, q, t, true);
    Q_theta = -V_.g_theta;
    mass_.slopes(v, Lv_theta);
    L_theta.noalias() = (v.transpose() / 2).lazyProduct(Lv_theta);
    L_theta -= V_.V_theta;
    if (mechanics.forced()) {
      mechanics.evaluate(q, v, t, at, second);
      return;
    }
    mechanics.evaluate(q, v, t, at);
    second.Qq = -V_.H;
    second.Qv.setZero(n, n), second.Lvq.setZero(n, n);
    second.Lvv = mass_.matrix();
  }
  template <class Family>
  void of_lagrangian(const Mechanics& mechanics, const Family& family, const Vec& q, const Vec& v, Real t) {
    constexpr int Z = Mechanics::N > 0 ? 2 * Mechanics::N : Eigen::Dynamic;
    const Eigen::Index n = mechanics.dimension(), m = family.parameters();
    mechanics.evaluate(q, v, t, at, second);
    place(family, q, v, t);
    Lv_theta.resize(n, m), Q_theta.resize(n, m), L_theta.resize(m);
    struct {
      Stage& to;
      Eigen::Index n;
      void operator()(int l, Real y) const { to.L_theta[l] = y; }
      void operator()(int i, int l, Real y) const { (i < n ? to.Q_theta(i, l) : to.Lv_theta(i - n, l)) = y; }
    } const by{*this, n};
    const auto at_n = static_cast<std::size_t>(n);
    mixed_slopes<Z, Real>(
        family,
        [&]<class T>(Point<T> x, Point<T> theta) {
          return family.lagrangian(x.subspan(0, at_n), x.subspan(at_n, at_n), T(t), theta);
        },
        Point<Real>(z_.data(), 2 * at_n), by);
  }
  /// The general way, by time and with forces that depend on everything.
  template <class Family>
  void in_nested_jets(const Mechanics& mechanics, const Family& family, const Vec& q, const Vec& v, Real t) {
    const Eigen::Index n = mechanics.dimension(), m = family.parameters(), size = 2 * n + 1 + m;
    place(family, q, v, t);
    slope.resize(size), H_.resize(size, size);
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
      force(family, z, n, 0);
      at.Q += f;
      at.supply += f.dot(v);
      second.Qq += F.leftCols(n);
      second.Qv += F.middleCols(n, n);
      Qt += F.col(2 * n);
      Q_theta += F.rightCols(m);
    }
  }
  /// f and the columns of F from `first` on.
  template <class Family>
  void force(const Family& family, Point<Real> z, Eigen::Index n, Eigen::Index first) {
    constexpr std::size_t C = 4;
    using J = numerics::Jet<Real, C>;
    x_jet<J>().resize(z.size());
    f_jet<J>().resize(static_cast<std::size_t>(n));
    auto& x = x_jet<J>();
    auto& out = f_jet<J>();
    const auto k = static_cast<std::size_t>(n);
    for (auto c = static_cast<std::size_t>(first); c < z.size(); c += C) {
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

  ConstantMass<Mechanics> mass_;
  PotentialSlopes<Mechanics> V_;
  Eigen::Matrix<Real, Eigen::Dynamic, 1> z_;
  Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> H_;
};

}  // namespace ricochet::tangent
