// The tangent of a whole step of an explicit rule: three shears, one Hessian of V.
#pragma once

#include "ricochet/discrete/rule.hpp"
#include "ricochet/tangent/columns.hpp"
#include "ricochet/tangent/constant_mass.hpp"
#include "ricochet/tangent/parameter_slopes.hpp"

namespace ricochet::tangent {

/// With a constant mass and no forces, M u = p − s w₀∇V(q), q' = q + s u, p' = M u − s w₁∇V(q'):
///
///   δp ← δp − s w₀(H(q) δq + ∂_θ∇V(q) δθ)
///   δq ← δq + M⁻¹(s δp − ∂_θM (q'−q) δθ)
///   δp ← δp − s w₁(H(q') δq + ∂_θ∇V(q') δθ)
///
/// H(q') is the next step's H(q). The matrices are symmetric, so what comes out is symplectic to rounding.
template <class Mechanics>
class ExplicitStep {
 public:
  using Real = typename Mechanics::Real;
  using Vec = typename Mechanics::Vec;
  using Mat = typename Mechanics::Mat;
  using X = Columns<Mechanics>;

  /// From q at the time t to `end` over the length s.
  template <class Family>
  void push(const Mechanics& mechanics, const Family& family, const discrete::Rule<Real>& rule, const Vec& q, Real t,
            Real s, const Vec& end, X& x) {
    if (!prepared_ || s != length_) prepare(mechanics, family, rule, s);
    Eigen::Index plain = x.size();
    if constexpr (!is_fixed<Family>) plain = x.first_varied();
    const bool varied = plain < x.size();
    if (left_ != 0) {
      if (!kept_ || here_ != q || (mechanics.timed() && when_ != t) || (varied && !slopes_kept_))
        V_.at(mechanics, family, q, t, varied);
      before_ = left_ * V_.H;
      if (varied) before_theta_ = left_ * V_.g_theta;
    }
    if (right_ != 0) {
      V_.at(mechanics, family, end, t + s, varied);
      here_ = end;
      when_ = t + s;
      kept_ = true;
      slopes_kept_ = varied;
      after_ = right_ * V_.H;
      if (varied) after_theta_ = right_ * V_.g_theta;
    }
    if (varied && mass_.varies()) {
      mass_.slopes(q - end, inertia_);
      drift_theta_.resize(inertia_.rows(), inertia_.cols());
      drift_theta_.noalias() = mass_.inverse().lazyProduct(inertia_);
    }
    if constexpr (Mechanics::N > 0)
      by_columns(x, plain);
    else
      as_matrices(x, plain);
  }

 private:
  using Block = typename X::Block;

  template <class Family>
  void prepare(const Mechanics& mechanics, const Family& family, const discrete::Rule<Real>& rule, Real s) {
    length_ = s;
    prepared_ = true;
    left_ = right_ = 0;
    for (std::size_t k = 0; k < rule.stages(); ++k) (rule.stage(k).c == 0 ? left_ : right_) -= s * rule.stage(k).w;
    mass_.prepare(mechanics, family);
    drift_ = s * mass_.inverse();
  }
  /// A few coordinates: one column after the other stays in registers. The first `plain` ones have δθ = 0.
  void by_columns(X& x, Eigen::Index plain) const {
    for (Eigen::Index c = 0; c < x.size(); ++c) {
      Vec q = x.q.col(c), p = x.p.col(c);
      const bool varied = c >= plain;
      if (left_ != 0) {
        p += before_.lazyProduct(q);
        if (varied) p += before_theta_.lazyProduct(x.theta.col(c));
      }
      q += drift_.lazyProduct(p);
      if (varied && mass_.varies()) q += drift_theta_.lazyProduct(x.theta.col(c));
      if (right_ != 0) {
        p += after_.lazyProduct(q);
        if (varied) p += after_theta_.lazyProduct(x.theta.col(c));
      }
      x.q.col(c) = q;
      x.p.col(c) = p;
    }
  }
  void as_matrices(X& x, Eigen::Index plain) const {
    const Eigen::Index varied = x.size() - plain;
    const auto add = [&](const Block& slopes, Block& to) {
      if (varied > 0) to.rightCols(varied) += slopes.lazyProduct(x.theta.rightCols(varied));
    };
    if (left_ != 0) {
      x.p.noalias() += before_ * x.q;
      add(before_theta_, x.p);
    }
    x.q.noalias() += drift_ * x.p;
    if (mass_.varies()) add(drift_theta_, x.q);
    if (right_ != 0) {
      x.p.noalias() += after_ * x.q;
      add(after_theta_, x.p);
    }
  }

  Real length_{}, left_{}, right_{};  ///< s, −s w₀, −s w₁
  ConstantMass<Mechanics> mass_;
  PotentialSlopes<Mechanics> V_;
  Mat drift_, before_, after_;                      ///< s M⁻¹, −s w₀H(q), −s w₁H(q')
  Block drift_theta_, before_theta_, after_theta_;  ///< −M⁻¹∂_θM(q'−q), −s w₀∂_θ∇V(q), −s w₁∂_θ∇V(q')
  Block inertia_;                                   ///< −∂_θM(q'−q)
  Vec here_;                                        ///< where and when V_ is, if it is kept
  Real when_{};
  bool kept_ = false, slopes_kept_ = false, prepared_ = false;
};

}  // namespace ricochet::tangent
