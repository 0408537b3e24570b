// The discrete Lagrangian L_s of Verlet's shadow: its slot derivatives over a piece s of a step h.
#pragma once

#include "ricochet/closure/shadow_work.hpp"

namespace ricochet::closure {

/// Verlet with step h follows, up to a small remainder, the flow of a shadow Lagrangian L + h²(…) + h⁴(…). L_s(q0,q1,s)
/// is a discrete Lagrangian of that shadow over any length s, equal to Verlet's L_d at s = h (docs/shadow.md). With
/// w = q1−q0, u = w/s, g = ∇V, κ = h²−s², products in M⁻¹ where two forces meet:
///
///   order 2:  L_s = s uᵀMu/2 − s(V0+V1)/2 − κ[(g1−g0)·u/12 − (s/24) g0·g1]
///   order 4:  … − κ(h²−4s²)/(360 s) |g1−g0|² + s(h⁴−s⁴)/720 Q(m,u)
///
/// with m the midpoint and Q ≈ V⁗u⁴ − 6V‴[u,u,g] + 3V″[g,g] by differences over a,b = m ± hu/2 and y = m − (h²/8)g_m.
///
/// The unknown of a flight is u, never q1: so everything here is a function of (q0, u, s), and (g1−g0)/s is formed
/// without dividing rounding errors by a short s.
template <int Order, class Mechanics>
class ShadowLagrangian {
  static_assert(Order == 2 || Order == 4);

 public:
  using Real = typename Mechanics::Real;
  using Vec = typename Mechanics::Vec;

  using Curvature = typename ClosureWork<Mechanics>::Curvature;

  /// `start` knows V and its derivatives at q0.
  ShadowLagrangian(const Mechanics& mechanics, Curvature& start, Real s, Real h)
      : mechanics_(mechanics), start_(start), q0_(start.q), t_(start.t), s_(s), h_(h), kappa_((h - s) * (h + s)) {
    if constexpr (Order == 4) {
      const Real h2 = h * h, s2 = s * s;
      rho_ = kappa_ * (h2 + s2) / 720;  // (h⁴−s⁴)/720
      forces_ = kappa_ * (h2 - 4 * s2) / 180;
    }
  }

  const Vec& g0() const { return start_.g; }
  /// M⁻¹g0 and M⁻¹(g1−g0)/s.
  const Vec& a0() const { return start_.a; }
  const Vec& jerk() const { return j_; }
  Real kappa() const { return kappa_; }
  /// y = M⁻¹H0 x.
  void apply_MH0(const Vec& x, Vec& y) { start_.H.apply_over_mass(x, y); }
  void inverse_mass(const Vec& y, Vec& x) const { mechanics_.velocity(q0_, y, t_, x); }

  /// Everything but Q at u, as velocities: −D1 L_s = M(u + s a0/2 − correction), correction without the part of Q.
  void evaluate(const Vec& u) {
    q1_ = q0_ + s_ * u;
    difference(u);
    x0_ = (kappa_ / 12) * u + (kappa_ * s_ / 24) * a1_;
    if constexpr (Order == 4) x0_ += forces_ * j_;
    apply_MH0(x0_, correction_);
    correction_ += (kappa_ / 12) * j_;
  }
  const Vec& correction() const { return correction_; }

  /// Q, ∂Q/∂m and ∂Q/∂u at u.
  void evaluate_Q(const Vec& u)
    requires(Order == 4)
  {
    const Real h = h_, h2 = h * h, eta = h2 / 8;
    m_ = q0_ + (s_ / 2) * u;
    const Real V_m = mechanics_.potential_gradient(m_, t_, g_m_);
    inverse_mass(g_m_, r_);
    const auto sides = std::array<const Vec*, 2>{&u, &r_};
    const Real V_a = hessian_vectors<2>(mechanics_, Vec(m_ - (h / 2) * u), t_, g_a_, sides, {&Hu_a_, &Hr_a_});
    const Real V_b = hessian_vectors<2>(mechanics_, Vec(m_ + (h / 2) * u), t_, g_b_, sides, {&Hu_b_, &Hr_b_});
    hessian_vector(mechanics_, Vec(m_ - eta * r_), t_, g_y_, r_, Hr_y_);

    bend_ = g_a_ - 2 * g_m_ + g_b_;
    fall_ = g_m_ - g_y_;
    auto& [Q, at_s, Qu, Qm, at_u] = quartic_;
    Q = (48 / (h2 * h2)) * (h * (g_b_ - g_a_).dot(u) - 4 * (V_a - 2 * V_m + V_b)) - (24 / h2) * bend_.dot(r_) +
        (3 / eta) * fall_.dot(r_);
    Qu = (48 / (h2 * h)) * ((h / 2) * (Hu_a_ + Hu_b_) - (g_b_ - g_a_)) - (12 / h) * (Hr_b_ - Hr_a_);
    // ∂Q/∂m: H_m meets r, M⁻¹ of the two differences of forces, and the inner slope of y.
    inverse_mass(Vec((3 / eta) * (fall_ + eta * Hr_y_) - (24 / h2) * bend_), x_);
    x_ += (48 / h2 + 3 / eta) * r_;
    hessian_vector(mechanics_, m_, t_, scratch_, x_, Qm);
    Qm +=
        (48 / (h2 * h)) * (Hu_b_ - Hu_a_) - (192 / (h2 * h2)) * bend_ - (24 / h2) * (Hr_a_ + Hr_b_) - (3 / eta) * Hr_y_;
    at_u = u;
    at_s = s_;
    apply_Q();
  }
  /// Takes Q over from a flight nearby.
  void adopt(const typename ClosureWork<Mechanics>::Quartic& quartic) {
    quartic_ = quartic;
    apply_Q();
  }
  const typename ClosureWork<Mechanics>::Quartic& quartic() const { return quartic_; }
  /// The part of Q in the correction of u: M⁻¹((s/2)ρ Q_m − ρ Q_u), ρ = (h⁴−s⁴)/720.
  const Vec& correction_Q() const { return correction_Q_; }
  /// The part of Q in the energy, which does not vanish with s, relative to the kinetic energy.
  Real share_Q(const Vec& u, const Vec& p0) const {
    const Real h2 = h_ * h_;
    return (h2 * h2 / 720 * std::abs(quartic_.Q) + std::abs(rho_ * quartic_.Qu.dot(u))) / std::abs(p0.dot(u));
  }

  /// u moves by so little that only V1−V0 sees it.
  void shift(const Vec& delta) { rise_ += s_ * g1_.dot(delta); }

  /// (D1 + D2) L_s = −s(g0+g1)/2 + X0 + X1 at the u last evaluated.
  void momentum_gain(const Vec& u, Vec& dp) {
    x_ = (kappa_ * s_ / 24) * start_.a - (kappa_ / 12) * u;
    if constexpr (Order == 4) x_ -= forces_ * j_;
    hessian_vector(mechanics_, q1_, t_, scratch_, x_, dp);
    start_.H.apply(x0_, scratch_);
    dp += scratch_;
    if constexpr (Order == 4) dp += (s_ * rho_) * quartic_.Qm;
    dp -= (s_ / 2) * (start_.g + g1_);
  }
  /// −D3 L_s less Verlet's own uᵀMu/2 + (V0+V1)/2.
  Real energy_correction(const Vec& u) const {
    const Real h2 = h_ * h_, s2 = s_ * s_;
    Real E = -(h2 + s2) / 12 * d_.dot(u) - (h2 - 3 * s2) / 24 * start_.g.dot(a1_);
    if constexpr (Order == 4)
      E += (12 * s2 * s2 - h2 * h2 - 5 * h2 * s2) / 360 * d_.dot(j_) - (h2 * h2 - 5 * s2 * s2) / 720 * quartic_.Q +
           rho_ * quartic_.Qu.dot(u);
    return E;
  }

  /// E = −D3 L_s and E − H at both ends, each a sum of small terms: with p = Mu + δ, E − H = −½ M⁻¹δ·(Mu+p) ± ½(V1−V0)
  /// + correction. `plain` is M⁻¹(p0 − s g0/2); p1 = p0 + dp.
  struct StartEnergies {
    Real energy, excess_start, correction;
  };
  StartEnergies start_energies(const Vec& u, const Vec& plain, const Vec& p0) {
    mechanics_.multiply_mass(u, Mu_);
    const Real correction = energy_correction(u);
    x0_ = (s_ / 2) * start_.a + (plain - u);
    return {Mu_.dot(u) / 2 + start_.V + rise_ / 2 + correction, correction + rise_ / 2 - x0_.dot(Mu_ + p0) / 2,
            correction};
  }
  /// Size of the terms of the excess: V at both ends, of which it has the difference.
  Real excess_scale() const { return 2 * std::abs(start_.V); }
  /// After start_energies.
  Real end_excess(const StartEnergies& start, const Vec& p0, const Vec& dp) {
    inverse_mass(dp, x_);
    x_ += x0_;
    return start.correction - rise_ / 2 - x_.dot(Mu_ + p0 + dp) / 2;
  }

 private:
  void apply_Q() {
    scratch_ = (s_ / 2) * rho_ * quartic_.Qm - rho_ * quartic_.Qu;
    inverse_mass(scratch_, correction_Q_);
  }
  /// g1, d = (g1−g0)/s and V1−V0. For short s the quotients are means over the flight, by three Gauss points: their
  /// error, ω⁸ s⁶h²/2e7 relative to u, is below the rounding of long double for s < h/64 and hω < 0.7.
  void difference(const Vec& u) {
    const Real V1 = mechanics_.potential_gradient(q1_, t_, g1_);
    inverse_mass(g1_, a1_);
    if (s_ * 64 >= h_) {
      d_ = (1 / s_) * (g1_ - start_.g);
      j_ = (1 / s_) * (a1_ - start_.a);
      rise_ = V1 - start_.V;
      return;
    }
    const Real half = std::sqrt(Real(15)) / 10;
    d_.setZero(u.size());
    rise_ = 0;
    for (const int k : {-1, 0, 1}) {
      const Real weight = (k == 0 ? Real(8) : Real(5)) / 18;
      x_ = q0_ + (s_ * (Real(0.5) + Real(k) * half)) * u;
      hessian_vector(mechanics_, x_, t_, scratch_, u, correction_);
      d_ += weight * correction_;
      rise_ += s_ * weight * scratch_.dot(u);
    }
    inverse_mass(d_, j_);
  }

  const Mechanics& mechanics_;
  Curvature& start_;
  const Vec& q0_;
  Real t_, s_, h_, kappa_, rho_{}, forces_{}, rise_{};
  typename ClosureWork<Mechanics>::Quartic quartic_;
  Vec q1_, g1_, a1_, d_, j_, x0_, x_, Mu_, correction_, correction_Q_, scratch_;
  Vec m_, g_m_, r_, g_a_, g_b_, g_y_, Hu_a_, Hr_a_, Hu_b_, Hr_b_, Hr_y_, bend_, fall_;
};

}  // namespace ricochet::closure
