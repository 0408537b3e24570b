// The tangent of a whole step of an explicit rule: three shears, one Hessian of V.
#pragma once

#include "ricochet/discrete/rule.hpp"
#include "ricochet/tangent/columns.hpp"
#include "ricochet/tangent/constant_mass.hpp"
#include "ricochet/tangent/potential_hessian.hpp"

namespace ricochet::tangent {

/// With a constant mass, no forces and no explicit time, M u = p − s w₀∇V(q), q' = q + s u, p' = M u − s w₁∇V(q'):
///
///   δp ← δp − s w₀H(q) δq,   δq ← δq + s M⁻¹δp,   δp ← δp − s w₁H(q') δq
///
/// H(q') is the next step's H(q). The matrices are symmetric, so what comes out is symplectic to rounding.
template <class Mechanics>
class ExplicitStep {
 public:
  using Real = typename Mechanics::Real;
  using Vec = typename Mechanics::Vec;
  using Mat = typename Mechanics::Mat;
  using X = Columns<Mechanics>;

  /// From q to `end` over the length s.
  template <class Family>
  void push(const Mechanics& mechanics, const Family& family, const discrete::Rule<Real>& rule, const Vec& q, Real s,
            const Vec& end, X& x) {
    if (!prepared_ || s != length_) prepare(mechanics, family, rule, s);
    if (left_ != 0) {
      if (!kept_ || here_ != q) potential_hessian(mechanics, q, Real(0), g_, H_);
      before_ = left_ * H_;
    }
    if (right_ != 0) {
      potential_hessian(mechanics, end, Real(0), g_, H_);
      here_ = end;
      kept_ = true;
      after_ = right_ * H_;
    }
    if constexpr (Mechanics::N > 0)
      by_columns(x);
    else
      as_matrices(x);
  }

 private:
  template <class Family>
  void prepare(const Mechanics& mechanics, const Family& family, const discrete::Rule<Real>& rule, Real s) {
    length_ = s;
    prepared_ = true;
    left_ = right_ = 0;
    for (std::size_t k = 0; k < rule.stages(); ++k) (rule.stage(k).c == 0 ? left_ : right_) -= s * rule.stage(k).w;
    mass_.prepare(mechanics, family);
    drift_ = s * mass_.inverse();
  }
  /// A few coordinates: one column after the other stays in registers.
  void by_columns(X& x) const {
    for (Eigen::Index c = 0; c < x.size(); ++c) {
      Vec q = x.q.col(c), p = x.p.col(c);
      if (left_ != 0) p += before_.lazyProduct(q);
      q += drift_.lazyProduct(p);
      if (right_ != 0) p += after_.lazyProduct(q);
      x.q.col(c) = q;
      x.p.col(c) = p;
    }
  }
  void as_matrices(X& x) const {
    if (left_ != 0) x.p.noalias() += before_ * x.q;
    x.q.noalias() += drift_ * x.p;
    if (right_ != 0) x.p.noalias() += after_ * x.q;
  }

  Real length_{}, left_{}, right_{};  ///< s, −s w₀, −s w₁
  ConstantMass<Mechanics> mass_;
  Mat drift_, before_, after_;  ///< s M⁻¹, −s w₀H(q), −s w₁H(q')
  Mat H_;
  Vec g_, here_;  ///< where H_ is, if it is kept
  bool kept_ = false, prepared_ = false;
};

}  // namespace ricochet::tangent
