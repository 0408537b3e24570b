// A discrete orbit with its tangent: ghost nodes of the free rule around a piece of an impact step.
#pragma once

#include <array>

#include "ricochet/discrete/flight.hpp"
#include "ricochet/numerics/factor.hpp"

namespace ricochet::closure {

/// The rule whose flight over −s undoes a flight over s: stages and fractions from the other end (errata F15).
template <class Real>
discrete::Rule<Real> adjoint(const discrete::Rule<Real>& rule) {
  using Rule = discrete::Rule<Real>;
  Rule base = rule.stages() == 1 ? Rule::rectangle(rule.stage(0).c) : Rule::trapezoid();
  if (!rule.is_composed()) return base;
  return Rule::composed(base, {rule.fractions().rbegin(), rule.fractions().rend()}, rule.name(), rule.order());
}

/// Nodes of the rule with step h at times ±h/2, ±3h/2, …, each as an increment from the first one, (q,p) at −h/2, with
/// the action collected from there and the derivative with respect to z = (q,p). Increments, not positions: the
/// interpolation below subtracts them.
template <class Mechanics>
class Orbit {
 public:
  using Real = typename Mechanics::Real;
  using Vec = typename Mechanics::Vec;
  static constexpr int N = Mechanics::N, Max = Mechanics::Max;
  static constexpr int N2 = N > 0 ? 2 * N : Eigen::Dynamic, Max2 = Max > 0 ? 2 * Max : Eigen::Dynamic;
  static constexpr int one_row = N == 1 ? Eigen::RowMajor : Eigen::ColMajor;
  using Tangent = Eigen::Matrix<Real, N, N2, one_row, Max, Max2>;
  static constexpr int most_pairs = 5;

  struct Node {
    Vec dq, dp;      ///< increments from the base node
    Tangent Tq, Tp;  ///< ∂dq/∂z, ∂dp/∂z
    Real action;     ///< Σ L_d from the base node to this one; negative backwards
  };

  /// Flies the nodes that `pairs` pairs need from the base (q,p), `backward` being the adjoint of `forward`. Without
  /// `tangent` only dq, dp and the action.
  void fly(const Mechanics& mechanics, const discrete::Rule<Real>& forward, const discrete::Rule<Real>& backward,
           const Vec& q, const Vec& p, Real t, Real h, int pairs, bool tangent, discrete::FlightWork<Mechanics>& work) {
    const auto n = q.size();
    Node& base = right_[0];  // where both directions start; node −h/2 itself stays at increment zero
    auto reset = [&](Node& x) {
      x.dq.setZero(n);
      x.dp.setZero(n);
      x.Tq.setZero(n, 2 * n);
      x.Tp.setZero(n, 2 * n);
      x.action = 0;
    };
    reset(left_[0]);
    reset(base);
    for (int k = 0; k < pairs; ++k) {
      if (k > 0) right_[static_cast<std::size_t>(k)] = right_[static_cast<std::size_t>(k - 1)];
      advance(mechanics, forward, q, p, t, h, right_[static_cast<std::size_t>(k)], tangent, work);
      if (k == 0) continue;
      left_[static_cast<std::size_t>(k)] = left_[static_cast<std::size_t>(k - 1)];
      advance(mechanics, backward, q, p, t, -h, left_[static_cast<std::size_t>(k)], tangent, work);
    }
  }
  /// P_k at (k+½)h and R_k at −(k+½)h, k = 0, 1, ….
  const Node& right(int k) const { return right_[static_cast<std::size_t>(k)]; }
  const Node& left(int k) const { return left_[static_cast<std::size_t>(k)]; }

  /// One step of the rule (all parts of a composed one) from base + x.
  void advance(const Mechanics& mechanics, const discrete::Rule<Real>& rule, const Vec& q, const Vec& p, Real t, Real h,
               Node& x, bool tangent, discrete::FlightWork<Mechanics>& work) {
    using System = std::decay_t<decltype(mechanics.system())>;
    for (const Real fraction : rule.fractions()) {
      const Real s = fraction * h;
      q_ = q + x.dq;
      p_ = p + x.dp;
      bool flown = false;
      if constexpr (mechanics::Separable<System>)
        if (discrete::is_explicit(mechanics, rule)) {
          discrete::fly_explicit(mechanics, rule, q_, p_, t, s, dq_, dp_, work);
          flown = true;
        }
      if (!flown) discrete::fly_implicit(mechanics, rule, q_, p_, t, s, dq_, dp_, work);
      linearise(mechanics, rule, t, s, work.u, x, tangent);
      x.dq += dq_;
      x.dp += dp_;
    }
  }

 private:
  /// Action and tangent of one interval with mean velocity u. With δq_c = δq + c s δu:
  ///   δp = Σ w [(L_vq − s(1−c) L_qq) δq_c + (L_vv − s(1−c) L_qv) δu],  δq' = δq + s δu,
  ///   δp' = δp + s Σ w [L_qq δq_c + L_qv δu]      (the implicit function theorem on p = −D1 L_d).
  void linearise(const Mechanics& mechanics, const discrete::Rule<Real>& rule, Real t, Real s, const Vec& u, Node& x,
                 bool tangent) {
    const auto n = q_.size();
    if (tangent) {
      J_.setZero(n, n);
      A_.setZero(n, n);
      G_.setZero(n, n);
      K_.setZero(n, n);
    }
    for (std::size_t k = 0; k < rule.stages(); ++k) {
      const auto [c, w] = rule.stage(k);
      q_stage_ = q_ + (c * s) * u;
      if (!tangent) {
        mechanics.evaluate(q_stage_, u, t, at_);
      } else {
        mechanics.evaluate(q_stage_, u, t, at_, second_);
        const Real pull = s * (1 - c);
        const auto toward = (second_.Lvq - pull * second_.Qq).eval();
        A_ += w * toward;
        J_ += w * (second_.Lvv - pull * second_.Qv + (c * s) * toward);
        G_ += w * second_.Qq;
        K_ += w * (second_.Qv + (c * s) * second_.Qq);
      }
      x.action += s * w * (u.dot(at_.Lv) - at_.energy);
    }
    if (!tangent) return;
    // δq and δp of the start of this interval: those of the base, (I 0) and (0 I), plus the increments so far.
    start_q_ = x.Tq;
    start_q_.leftCols(n).diagonal().array() += Real(1);
    start_p_ = x.Tp;
    start_p_.rightCols(n).diagonal().array() += Real(1);
    lu_.compute(J_);
    du_ = start_p_ - A_ * start_q_;
    lu_.solve(du_);
    x.Tq += s * du_;
    x.Tp += s * (G_ * start_q_ + K_ * du_);
  }

  std::array<Node, most_pairs> right_, left_;
  Vec q_, p_, dq_, dp_, q_stage_;
  typename Mechanics::Point1 at_;
  typename Mechanics::Point2 second_;
  typename Mechanics::Mat J_, A_, G_, K_;
  numerics::Lu<typename Mechanics::Mat> lu_;
  Tangent start_q_, start_p_, du_;
};

}  // namespace ricochet::closure
