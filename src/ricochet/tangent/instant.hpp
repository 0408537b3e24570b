// Derivatives of what happens at one instant: functions of (q, v, t, θ) carried over to the columns of a tangent.
#pragma once

#include "ricochet/numerics/factor.hpp"
#include "ricochet/tangent/contact.hpp"

namespace ricochet::tangent {

/// The point (q, v, t, θ) of a node, and δv of the columns there: δp = L_vv δv + L_vq δq + L_vt δt + L_vθ δθ.
template <class Mechanics, class Family>
class Instant {
 public:
  using Real = typename Mechanics::Real;
  using Vec = typename Mechanics::Vec;
  using X = Columns<Mechanics>;
  using Dense = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

  template <class Node>
  void at(const Mechanics& mechanics, const Family& family, const Node& node) {
    n_ = static_cast<std::size_t>(node.q.size());
    v_.resize(node.q.size());
    mechanics.velocity(node.q, node.p, node.t, v_);
    stage_.evaluate(mechanics, family, node.q, v_, node.t);
    lu_.compute(stage_.second.Lvv);
    y_.clear();
    y_.insert(y_.end(), node.q.begin(), node.q.end());
    y_.insert(y_.end(), v_.begin(), v_.end());
    y_.push_back(node.t);
    for (int j = 0; j < family.parameters(); ++j) y_.push_back(Real(family.parameter(j)));
  }
  const Vec& velocity() const { return v_; }
  const Stage<Mechanics>& stage() const { return stage_; }

  typename X::Block velocities(const X& x) const {
    typename X::Block r = x.p - stage_.second.Lvq * x.q;
    if (stage_.more) {
      r -= stage_.Lvt * x.t;
      if (x.theta.rows() > 0) r -= stage_.Lv_theta * x.theta;
    }
    lu_.solve(r);
    return r;
  }

  /// Values and δ of f: Argument<T> ↦ vector<T>, for columns with δv beside them.
  template <class F>
  Dense push(const F& f, const X& x, const typename X::Block& dv, Vector& value) const {
    using J = numerics::Jet<Real, static_cast<int>(C)>;
    const std::size_t size = y_.size();
    Dense in(static_cast<Eigen::Index>(size), x.size());
    in << x.q, dv, x.t, x.theta;
    Dense out;
    std::vector<J> y(size);
    for (std::size_t c = 0; c < size; c += C) {
      for (std::size_t i = 0; i < size; ++i)
        y[i] = i >= c && i < c + C ? J::variable(y_[i], static_cast<int>(i - c)) : J(y_[i]);
      const std::vector<J> r = f(Argument<J>{Point<J>(y), n_});
      if (c == 0) {
        value.resize(static_cast<Eigen::Index>(r.size()));
        out.setZero(static_cast<Eigen::Index>(r.size()), x.size());
      }
      for (std::size_t i = 0; i < r.size(); ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        value[row] = r[i].v;
        for (std::size_t j = c; j < std::min(c + C, size); ++j)
          if (r[i].d[j - c] != 0) out.row(row) += r[i].d[j - c] * in.row(static_cast<Eigen::Index>(j));
      }
    }
    return out;
  }

  /// δφ_i at a node, whether `at` was there or not: velocities do not matter.
  template <class Node>
  typename X::Row gap(const Family& family, int i, const Node& node, const X& x) const {
    using J = numerics::Jet<Real, 4>;
    const auto n = static_cast<std::size_t>(node.q.size()), m = static_cast<std::size_t>(family.parameters());
    numerics::Scratch<J, Eigen::Dynamic> scratch(static_cast<int>(n + 1 + m));
    const std::span<J> z = scratch.span();
    typename X::Row row = X::Row::Zero(x.size());
    for (std::size_t c = 0; c < z.size(); c += 4) {
      for (std::size_t k = 0; k < n; ++k) z[k] = J(node.q[static_cast<Eigen::Index>(k)]);
      z[n] = J(node.t);
      for (std::size_t j = 0; j < m; ++j) z[n + 1 + j] = J(Real(family.parameter(static_cast<int>(j))));
      for (std::size_t k = c; k < std::min(c + 4, z.size()); ++k) z[k].d[k - c] = Real(1);
      const Point<J> all(z);
      const J phi = family.gap(i, all.subspan(0, n), all[n], all.subspan(n + 1));
      for (std::size_t k = c; k < std::min(c + 4, z.size()); ++k) {
        const Real slope = phi.d[k - c];
        if (slope == 0) continue;
        if (k < n)
          row += slope * x.q.row(static_cast<Eigen::Index>(k));
        else if (k == n)
          row += slope * x.t;
        else
          row += slope * x.theta.row(static_cast<Eigen::Index>(k - n - 1));
      }
    }
    return row;
  }

 private:
  /// Variables differentiated by at a time: all of (q, v, t) and one parameter where they are few.
  static constexpr std::size_t C = Mechanics::N > 0 && Mechanics::N <= 3 ? 2 * Mechanics::N + (is_fixed<Family> ? 1 : 2)
                                                                         : 4;

  std::size_t n_ = 0;
  Vec v_;
  Stage<Mechanics> stage_;
  numerics::Lu<typename Mechanics::Mat> lu_;
  std::vector<Real> y_;
};

}  // namespace ricochet::tangent
