// Derivatives of what happens at one instant: functions of (q, v, t, θ) carried over to the columns of a tangent.
#pragma once

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
    return lu_.solve(r);
  }

  /// Values and δ of f: Argument<T> ↦ vector<T>, for columns with δv beside them.
  template <class F>
  Dense push(const F& f, const X& x, const typename X::Block& dv, Vector& value) const {
    constexpr std::size_t C = 4;
    using J = numerics::Jet<Real, C>;
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

  /// δφ_i.
  typename X::Row gap(const Family& family, int i, const X& x) const {
    Vector value;
    return push([&]<class T>(const Argument<T>& y) { return std::vector<T>{family.gap(i, y.q(), y.t(), y.theta())}; },
                x, X::Block::Zero(x.q.rows(), x.size()), value);
  }

 private:
  std::size_t n_ = 0;
  Vec v_;
  Stage<Mechanics> stage_;
  Eigen::PartialPivLU<typename Mechanics::Mat> lu_;
  std::vector<Real> y_;
};

}  // namespace ricochet::tangent
