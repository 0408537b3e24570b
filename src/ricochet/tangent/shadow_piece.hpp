// The tangent of a piece flown by a shadow closure: its flight's own equations, differentiated at first order.
#pragma once

#include "ricochet/closure/shadow.hpp"
#include "ricochet/numerics/factor.hpp"
#include "ricochet/tangent/constant_mass.hpp"
#include "ricochet/tangent/potential_at.hpp"

namespace ricochet::tangent {

/// The equations of closure/shadow_lagrangian.hpp in u, never divided by a short s: with κ = h²−s², d = (g1−g0)/s,
/// j = M⁻¹d, a = M⁻¹g,
///
///   p  = Mu + (s/2)g0 − H0 x0 − (κ/12)d − ρ((s/2)Q_m − Q_u),   x0 = (κ/12)u + (κs/24)a1 + f j
///   p' = p − (s/2)(g0+g1) + H0 x0 + H1 x1 + sρ Q_m,             x1 = (κs/24)a0 − (κ/12)u − f j,   q' = q + su
///   E  = ½u·Mu + ½(V0+V1) − (h²+s²)/12 d·u − (h²−3s²)/24 g0·a1 + (12s⁴−h⁴−5h²s²)/360 d·j − (h⁴−5s⁴)/720 Q + ρQ_u·u
///
/// where f = κ(h²−4s²)/180 and ρ = (h⁴−s⁴)/720 are of order 4, as is Q(m,u). Their changes by (q,u,s,θ) ask for
/// ∇²(w·∇V) at six places, one direction w each: third derivatives of V as matrices, once, not per column.
template <int Order, class Mechanics, class Family>
class ShadowPiece {
 public:
  using Real = typename Mechanics::Real;
  using Vec = typename Mechanics::Vec;
  using Mat = typename Mechanics::Mat;
  using X = Columns<Mechanics>;
  using Row = typename X::Row;
  using Block = typename X::Block;

  /// From (q,p) to `end`, which the run has found: Newton begins at its mean velocity and mostly ends there.
  void push(const Mechanics& mechanics, const Family& family, const Vec& q, const Vec& p, const Vec& end, Real t,
            Real s, Real h, X& x) {
    const auto n = q.size(), m = x.theta.rows();
    mass_.prepare(mechanics, family);
    q_ = q;
    s_ = s;
    h_ = h;
    if (s > 0)
      u_ = (end - q) / s;
    else
      mechanics.velocity(q, p, t, u_);
    Real last = std::numeric_limits<Real>::infinity();
    for (int it = 0;; ++it) {
      evaluate(mechanics, family);
      jacobian_ = P_.middleCols(n, n);
      lu_.compute(jacobian_);
      const Vec du = lu_(Vec(p0_ - p));
      const Real increment = du.norm();
      // A correction of 1e-11 is squared by Newton, and changes derivatives by no more than itself.
      const bool done = increment <= Real(1e-11) * u_.norm() || (it > 2 && increment >= last / 2);
      if (!done && (it == 30 || !(increment < std::numeric_limits<Real>::infinity())))
        throw Error(ErrorKind::no_convergence, "the tangent of a shadow flight was not solved; a smaller step helps");
      u_ -= du;
      if (done) break;
      last = increment;
    }
    // δu with p given, then p' and E.
    du_ = x.p;
    du_.noalias() -= P_.leftCols(n).lazyProduct(x.q);
    du_.noalias() -= P_.col(2 * n).lazyProduct(x.s);
    if (m > 0) du_.noalias() -= P_.rightCols(m) * x.theta;
    lu_.solve(du_);
    x.p.noalias() += gain_.leftCols(n).lazyProduct(x.q);
    x.p.noalias() += gain_.middleCols(n, n).lazyProduct(du_);
    x.p.noalias() += gain_.col(2 * n).lazyProduct(x.s);
    x.start.noalias() = E_.head(n).lazyProduct(x.q);
    x.start.noalias() += E_.segment(n, n).lazyProduct(du_);
    x.start += E_[2 * n] * x.s;
    if (m > 0) {
      x.p.noalias() += gain_.rightCols(m) * x.theta;
      x.start.noalias() += E_.tail(m) * x.theta;
    }
    x.end = x.start;
    x.q += s * du_;
    x.q.noalias() += u_.lazyProduct(x.s);
    x.t += x.s;
  }

 private:
  static constexpr int N = Mechanics::N;
  /// Variables differentiated by at a time: all of (q, u, s) and one parameter where they are few.
  static constexpr int W = N > 0 && N <= 3 ? 2 * N + (is_fixed<Family> ? 1 : 2) : 5;
  using J = numerics::Jet<Real, W>;
  using JV = Few<J, N>;
  using Place = PotentialAt<Mechanics, Family>;

  /// p0, and the derivatives of p, p' − p and E by (q, u, s, θ).
  void evaluate(const Mechanics& mechanics, const Family& family) {
    const auto n = q_.size(), size = 2 * n + 1 + static_cast<Eigen::Index>(family.parameters());
    P_.resize(n, size), gain_.resize(n, size), E_.resize(size), p0_.resize(n);
    look(mechanics, family);
    for (Eigen::Index first = 0; first < size; first += W) differentiate(family, first, size);
  }

  // ---- values ------------------------------------------------------------------------------------------------------

  /// The potential at all places, each with the direction that its Hessian meets.
  void look(const Mechanics& mechanics, const Family& family) {
    const Real s = s_, h = h_, h2 = h * h, kappa = (h - s) * (h + s);
    q1_ = q_ + s * u_;
    mechanics.potential_gradient(q_, Real(0), g0_);
    mechanics.potential_gradient(q1_, Real(0), g1_);
    short_ = s * 64 < h;
    Vec x0 = (kappa / 12) * u_ + (kappa * s / 24) * mass_.solve(g1_),
        x1 = (kappa * s / 24) * mass_.solve(g0_) - (kappa / 12) * u_;
    if (short_) {
      // (g1−g0)/s as the mean of Hu over the flight by three Gauss points, as the flights form it.
      d_.setZero(q_.size());
      for (std::size_t k = 0; k < 3; ++k) {
        between_[k].at(family, Vec(q_ + gauss(k).c * s * u_), u_);
        d_ += gauss(k).w * between_[k].Hw;
      }
    } else {
      d_ = (g1_ - g0_) / s;
    }
    if constexpr (Order == 4) {
      const Vec force = (kappa * (h2 - 4 * s * s) / 180) * mass_.solve(d_);
      x0 += force;
      x1 -= force;
    }
    start_.at(family, q_, x0);
    end_.at(family, q1_, x1);
    if constexpr (Order == 4) {
      const Real eta = h2 / 8;
      const Vec m = q_ + (s / 2) * u_;
      mechanics.potential_gradient(m, Real(0), g_m_);
      const Vec r = mass_.solve(g_m_), along = (48 / (h2 * h)) * u_, across = (24 / h2) * r;
      a_.at(family, Vec(m - (h / 2) * u_), Vec(-along - across));
      b_.at(family, Vec(m + (h / 2) * u_), Vec(along - across));
      y_.at(family, Vec(m - eta * r), r);
      const auto n = q_.size();
      const Vec forces =
          (3 / eta) * (g_m_ - y_.g.head(n)) - (24 / h2) * (a_.g.head(n) - 2 * g_m_ + b_.g.head(n)) + 3 * y_.Hw;
      m_.at(family, m, Vec((48 / h2 + 3 / eta) * r + mass_.solve(forces)));
    }
  }

  struct Gauss {
    Real c, w;
  };
  static Gauss gauss(std::size_t k) {
    const Real side = static_cast<Real>(k) - 1;
    return {Real(0.5) + side * std::sqrt(Real(15)) / 10, (k == 1 ? Real(8) : Real(5)) / 18};
  }

  // ---- first derivatives by variables first, first + 1, … of (q, u, s, θ)
  // --------------------------------------------

  void differentiate(const Family& family, Eigen::Index first, Eigen::Index size) {
    const auto n = static_cast<std::size_t>(q_.size()), m = static_cast<std::size_t>(family.parameters());
    const auto variable = [&](Real value, std::size_t i) {
      const auto c = static_cast<Eigen::Index>(i) - first;
      return c >= 0 && c < W ? J::variable(value, static_cast<int>(c)) : J(value);
    };
    for (JV* v : {&jq_, &ju_, &x1j_, &g0j_, &g1j_, &dj_, &jj_, &w0_, &w1_, &H0x_, &H1x_, &p_, &dp_, &t_}) resize(*v, n);
    theta_.resize(m);
    for (std::size_t k = 0; k < n; ++k) {
      jq_[k] = variable(q_[static_cast<Eigen::Index>(k)], k);
      ju_[k] = variable(u_[static_cast<Eigen::Index>(k)], n + k);
    }
    const J s = variable(s_, 2 * n);
    for (std::size_t j = 0; j < m; ++j)
      theta_[j] = variable(Real(family.parameter(static_cast<int>(j))), 2 * n + 1 + j);

    const Real h = h_, h2 = h * h;
    const J s2 = s * s, kappa = J(h2) - s2;
    for (std::size_t k = 0; k < n; ++k) x1j_[k] = jq_[k] + s * ju_[k];
    start_.gradient(jq_, theta_, g0j_);
    end_.gradient(x1j_, theta_, g1j_);
    difference(s);
    mass_.solve(dj_, theta_, jj_);
    const J twelfth = (1 / Real(12)) * kappa, cross = (1 / Real(24)) * (kappa * s);
    mass_.solve(g1j_, theta_, w0_);
    J E = (-1 / Real(12)) * (J(h2) + s2) * dot(dj_, ju_) + (-1 / Real(24)) * (J(h2) - 3 * s2) * dot(g0j_, w0_);
    mass_.solve(g0j_, theta_, w1_);
    for (std::size_t k = 0; k < n; ++k) {
      const J plain = twelfth * ju_[k];
      w0_[k] = plain + cross * w0_[k];
      w1_[k] = cross * w1_[k] - plain;
    }
    if constexpr (Order == 4) {
      const J f = (1 / Real(180)) * (kappa * (J(h2) - 4 * s2));
      for (std::size_t k = 0; k < n; ++k) {
        const J force = f * jj_[k];
        w0_[k] += force;
        w1_[k] -= force;
      }
    }
    start_.apply(jq_, theta_, w0_, H0x_);
    end_.apply(x1j_, theta_, w1_, H1x_);
    mass_.multiply(ju_, theta_, p_);
    E += 0.5 * (dot(p_, ju_) + start_.value(jq_, theta_) + end_.value(x1j_, theta_));
    const J half = 0.5 * s;
    for (std::size_t k = 0; k < n; ++k) {
      const J pull = half * g0j_[k] - H0x_[k];
      p_[k] += pull - twelfth * dj_[k];
      dp_[k] = H1x_[k] - pull - half * g1j_[k];
    }
    if constexpr (Order == 4) {
      const J s4 = s2 * s2, rho = (1 / Real(720)) * (J(h2 * h2) - s4);
      const J Q = quartic(half);
      for (std::size_t k = 0; k < n; ++k) {
        p_[k] -= rho * (half * Qm_[k] - Qu_[k]);
        dp_[k] += (s * rho) * Qm_[k];
      }
      E += (1 / Real(360)) * ((12 * s4 - J(h2 * h2) - (5 * h2) * s2) * dot(dj_, jj_)) -
           (1 / Real(720)) * ((J(h2 * h2) - 5 * s4) * Q) + rho * dot(Qu_, ju_);
    }
    for (std::size_t k = 0; k < n; ++k) p0_[static_cast<Eigen::Index>(k)] = p_[k].v;
    for (Eigen::Index c = first; c < std::min<Eigen::Index>(first + W, size); ++c) {
      const auto i = static_cast<std::size_t>(c - first);
      for (std::size_t k = 0; k < n; ++k) {
        P_(static_cast<Eigen::Index>(k), c) = p_[k].d[i];
        gain_(static_cast<Eigen::Index>(k), c) = dp_[k].d[i];
      }
      E_[c] = E.d[i];
    }
  }

  /// d = (g1−g0)/s.
  void difference(const J& s) {
    const std::size_t n = jq_.size();
    if (!short_) {
      const J over = J(1) / s;
      for (std::size_t k = 0; k < n; ++k) dj_[k] = (g1j_[k] - g0j_[k]) * over;
      return;
    }
    for (std::size_t k = 0; k < n; ++k) dj_[k] = J(0);
    for (std::size_t i = 0; i < 3; ++i) {
      const J along = gauss(i).c * s;
      for (std::size_t k = 0; k < n; ++k) t_[k] = jq_[k] + along * ju_[k];
      between_[i].apply(t_, theta_, ju_, w0_);
      for (std::size_t k = 0; k < n; ++k) dj_[k] += gauss(i).w * w0_[k];
    }
  }

  /// Q(m,u) with Q_m and Q_u: differences over a,b = m ± hu/2 and y = m − (h²/8)M⁻¹g_m (closure/shadow_lagrangian.hpp).
  J quartic(const J& half) {
    const std::size_t n = jq_.size();
    for (JV* v : {&m_x_, &a_x_, &b_x_, &y_x_, &gm_, &ga_, &gb_, &gy_, &r_, &Qa_, &Qb_, &Qm_, &Qu_, &w_}) resize(*v, n);
    const Real h = h_, h2 = h * h, eta = h2 / 8, fourth = 192 / (h2 * h2), third = 48 / (h2 * h), second = 24 / h2;
    for (std::size_t k = 0; k < n; ++k) {
      m_x_[k] = jq_[k] + half * ju_[k];
      a_x_[k] = m_x_[k] - (h / 2) * ju_[k];
      b_x_[k] = m_x_[k] + (h / 2) * ju_[k];
    }
    m_.gradient(m_x_, theta_, gm_);
    a_.gradient(a_x_, theta_, ga_);
    b_.gradient(b_x_, theta_, gb_);
    mass_.solve(gm_, theta_, r_);
    for (std::size_t k = 0; k < n; ++k) y_x_[k] = m_x_[k] - eta * r_[k];
    y_.gradient(y_x_, theta_, gy_);
    for (std::size_t k = 0; k < n; ++k) w_[k] = -third * ju_[k] - second * r_[k];
    a_.apply(a_x_, theta_, w_, Qa_);
    for (std::size_t k = 0; k < n; ++k) w_[k] = third * ju_[k] - second * r_[k];
    b_.apply(b_x_, theta_, w_, Qb_);
    y_.apply(y_x_, theta_, r_, t_);  // H_y r
    J Q = -fourth * (a_.value(a_x_, theta_) - 2.0 * m_.value(m_x_, theta_) + b_.value(b_x_, theta_));
    for (std::size_t k = 0; k < n; ++k) {
      Qa_[k] -= fourth * ga_[k];
      Qb_[k] -= fourth * gb_[k];
      const J rise = gb_[k] - ga_[k], bend = ga_[k] - 2.0 * gm_[k] + gb_[k], fall = gm_[k] - gy_[k];
      Qu_[k] = third * rise + (h / 2) * (Qb_[k] - Qa_[k]);
      const J forces = (3 / eta) * fall - second * bend;
      Q += third * (rise * ju_[k]) + forces * r_[k];
      w_[k] = forces + 3.0 * t_[k];
    }
    mass_.solve(w_, theta_, Qm_);
    for (std::size_t k = 0; k < n; ++k) w_[k] = (2 * second + 3 / eta) * r_[k] + Qm_[k];
    m_.apply(m_x_, theta_, w_, Qm_);
    for (std::size_t k = 0; k < n; ++k) Qm_[k] += Qa_[k] + Qb_[k] + 2 * fourth * gm_[k] - (3 / eta) * t_[k];
    return Q;
  }

  static J dot(const JV& a, const JV& b) {
    J sum(0);
    for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
    return sum;
  }

  ConstantMass<Mechanics> mass_;
  Real s_{}, h_{};
  bool short_ = false;  ///< s < h/64
  Vec q_, u_, q1_, g0_, g1_, g_m_, d_, p0_;
  Place start_, end_, m_, a_, b_, y_;
  std::array<Place, 3> between_;
  typename Place::Wide P_, gain_;
  Row E_;
  Mat jacobian_;
  numerics::Lu<Mat> lu_;
  Block du_;
  JV jq_, ju_, x1j_, g0j_, g1j_, dj_, jj_, w0_, w1_, H0x_, H1x_, p_, dp_, t_;
  JV m_x_, a_x_, b_x_, y_x_, gm_, ga_, gb_, gy_, r_, Qa_, Qb_, Qm_, Qu_, w_;
  std::vector<J> theta_;
};

}  // namespace ricochet::tangent
