#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

namespace ricochet::complementarity {

/// One contact with Coulomb friction: r = (r_N, r_T) in the cone |r_T| ≤ μ r_N, u = Wr + q, 0 ≤ r_N ⊥ u_N ≥ 0, and
/// r_T = −μ r_N u_T/|u_T| where it slips. D = 2 is a planar, D = 3 a spatial contact.
template <class Real, int D>
using ContactVector = Eigen::Matrix<Real, D, 1>;
template <class Real, int D>
using ContactMatrix = Eigen::Matrix<Real, D, D>;

/// Euclidean projection on the cone |r_T| ≤ μ r_N.
template <class Real, int D>
ContactVector<Real, D> project_on_friction_cone(const ContactVector<Real, D>& r, Real mu) {
  const Real tangential = r.template tail<D - 1>().norm();
  if (tangential <= mu * r[0]) return r;
  if (mu * tangential <= -r[0]) return ContactVector<Real, D>::Zero();
  ContactVector<Real, D> p;
  p[0] = (r[0] + mu * tangential) / (1 + mu * mu);
  p.template tail<D - 1>() = r.template tail<D - 1>() * (mu * p[0] / tangential);
  return p;
}

/// Puts r into the cone by changing as little as rounding asks for: r_N stays, r_T is shortened.
template <class Real, int D>
void clip_to_friction_cone(ContactVector<Real, D>& r, Real mu) {
  r[0] = std::max(r[0], Real(0));
  const Real tangential = r.template tail<D - 1>().norm(), bound = mu * r[0];
  if (tangential > bound) r.template tail<D - 1>() *= bound / tangential;
}

namespace detail {

/// What is left of a contact when u_N = 0 is eliminated: u_T = S r_T + q̃, with S = W_TT − W_TN W_NT / W_NN in its
/// principal axes. Redundant directions give S = 0 and q̃ = 0 up to rounding, which is removed here: noise over noise
/// would be an impulse of any size.
template <class Real, int D>
struct Tangential {
  Eigen::Matrix<Real, D - 1, D - 1> axes;
  Eigen::Matrix<Real, D - 1, 1> S, q;

  Tangential(const ContactMatrix<Real, D>& W, const ContactVector<Real, D>& free) {
    const Eigen::Matrix<Real, D - 1, 1> w = W.template bottomLeftCorner<D - 1, 1>();
    const Real noise = 256 * std::numeric_limits<Real>::epsilon();
    const Real size = noise * W.template bottomRightCorner<D - 1, D - 1>().trace();
    const Real rate = noise * (free.template tail<D - 1>().norm() + w.norm() * std::abs(free[0]) / W(0, 0));
    if constexpr (D == 2) {
      axes(0, 0) = 1;
      S[0] = W(1, 1) - w[0] * w[0] / W(0, 0);
    } else {
      const Real a = W(1, 1) - w[0] * w[0] / W(0, 0), c = W(2, 2) - w[1] * w[1] / W(0, 0);
      const Real b = W(1, 2) - w[0] * w[1] / W(0, 0);
      const Real mean = (a + c) / 2, radius = std::hypot((a - c) / 2, b), angle = std::atan2(b, (a - c) / 2) / 2;
      axes << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
      S << mean + radius, mean - radius;
    }
    q = axes.transpose() * (free.template tail<D - 1>() - w * (free[0] / W(0, 0)));
    for (int i = 0; i < D - 1; ++i)
      if (S[i] <= size) {
        S[i] = 0;
        if (std::abs(q[i]) <= rate) q[i] = 0;
      }
  }
};

}  // namespace detail

/// Exact solution for one contact with symmetric positive semidefinite W, W_NN > 0 unless it takes off. With several
/// solutions (W_NN < μ|W_NT|) taking off comes before sticking, and sticking before slipping.
///
/// Slip means u_T = −α r_T with α > 0, so (S + α) r_T = −q̃, and the cone gives one equation in τ = s/(s + α) ∈ (0, 1):
/// g = |r_T| − μ r_N, negative at τ → 0 (nothing but the normal impulse) and positive at τ = 1 (sticking needs more
/// than the cone has): bracketed, never lost. In the plane it is linear.
///
/// False only for data that are not finite or have no solution.
template <class Real, int D>
bool solve_one_contact(const ContactMatrix<Real, D>& W, const ContactVector<Real, D>& q, Real mu,
                       ContactVector<Real, D>& r) {
  r.setZero();
  if (!q.allFinite() || !W.allFinite()) return false;
  if (q[0] >= 0) return true;
  if (!(W(0, 0) > 0)) return false;
  if (mu == 0) {
    r[0] = -q[0] / W(0, 0);
    return true;
  }
  const detail::Tangential<Real, D> tangential(W, q);
  const Real s = tangential.S[0] > 0 ? tangential.S[0] : W(0, 0);
  const auto at = [&](Real tau) {
    Eigen::Matrix<Real, D - 1, 1> t;
    for (int i = 0; i < D - 1; ++i)
      t[i] = tangential.q[i] != 0 ? -tangential.q[i] * tau / (tangential.S[i] * tau + s * (1 - tau)) : Real(0);
    r.template tail<D - 1>() = tangential.axes * t;
    r[0] = -(q[0] + W.template block<1, D - 1>(0, 1).dot(r.template tail<D - 1>())) / W(0, 0);
    return t.norm() - mu * r[0];
  };
  Real low = 0, high = 1, g_high = at(high), g_low;
  if (g_high <= 0) return true;  // sticks
  if constexpr (D == 2) {
    const Real side = tangential.q[0] > 0 ? Real(1) : Real(-1), stiffness = W(0, 0) - mu * side * W(0, 1);
    if (!(stiffness > 0)) return false;
    r[0] = -q[0] / stiffness;
    r[1] = -mu * side * r[0];
    return true;
  }
  g_low = at(low);
  if (!(g_low < 0)) return false;
  if (!std::isfinite(g_high)) g_high = std::numeric_limits<Real>::max();
  int side = 0;
  for (int n = 0; n < 200; ++n) {
    // Illinois regula falsi, with a bisection every third step
    Real tau = n % 3 == 2 ? (low + high) / 2 : low + (high - low) * (g_low / (g_low - g_high));
    if (!(tau > low && tau < high)) tau = (low + high) / 2;
    if (!(tau > low && tau < high)) break;
    const Real g = at(tau);
    if (g == 0) break;
    if (g < 0) {
      low = tau;
      g_low = g;
      if (side < 0) g_high /= 2;
      side = -1;
    } else {
      high = tau;
      g_high = g;
      if (side > 0) g_low /= 2;
      side = 1;
    }
    if (high - low <= 2 * std::numeric_limits<Real>::epsilon() * high) break;
  }
  clip_to_friction_cone<Real, D>(r, mu);
  return true;
}

namespace detail {

/// Friction under a given normal impulse: r_T in the disc of radius `bound`, against u_T = A r_T + q.
template <class Real, int T>
Eigen::Matrix<Real, T, 1> under_given_load(const Eigen::Matrix<Real, T, T>& A, const Eigen::Matrix<Real, T, 1>& q,
                                           Real bound) {
  if constexpr (T == 1) {
    if (!(A(0, 0) * bound > std::abs(q[0]))) return Eigen::Matrix<Real, 1, 1>(q[0] > 0 ? -bound : q[0] < 0 ? bound : 0);
    return -q / A(0, 0);
  } else {
    // (A + α) r = −q with |r| = bound: |r| falls with α
    const Real mean = (A(0, 0) + A(1, 1)) / 2, half = (A(0, 0) - A(1, 1)) / 2, radius = std::hypot(half, A(0, 1));
    const Real angle = std::atan2(A(0, 1), half) / 2;
    const Eigen::Matrix<Real, 2, 1> e1(std::cos(angle), std::sin(angle)), e2(-e1[1], e1[0]);
    const Real s1 = mean + radius, s2 = std::max(mean - radius, Real(0)), q1 = e1.dot(q), q2 = e2.dot(q);
    const auto at = [&](Real alpha) -> Eigen::Matrix<Real, 2, 1> {
      return -(e1 * (q1 != 0 ? q1 / (s1 + alpha) : q1) + e2 * (q2 != 0 ? q2 / (s2 + alpha) : q2));
    };
    if (at(0).norm() <= bound) return at(0);
    if (!(bound > 0)) return Eigen::Matrix<Real, 2, 1>::Zero();
    Real low = 0, high = q.norm() / bound;
    for (int n = 0; n < 200 && high - low > std::numeric_limits<Real>::epsilon() * high; ++n) {
      const Real middle = (low + high) / 2;
      (at(middle).norm() > bound ? low : high) = middle;
    }
    return at(high);
  }
}

}  // namespace detail

/// As solve_one_contact, with a normal impulse of at least c > 0: 0 ≤ r_N − c ⊥ u_N ≥ 0.
template <class Real, int D>
bool solve_one_contact_above(const ContactMatrix<Real, D>& W, const ContactVector<Real, D>& q, Real mu, Real c,
                             ContactVector<Real, D>& r) {
  const Eigen::Matrix<Real, D - 1, D - 1> A = W.template bottomRightCorner<D - 1, D - 1>();
  const auto load = [&](Real normal) {
    const Eigen::Matrix<Real, D - 1, 1> shifted =
        q.template tail<D - 1>() + W.template bottomLeftCorner<D - 1, 1>() * normal;
    r << normal, detail::under_given_load<Real, D - 1>(A, shifted, mu * normal);
  };
  if (!q.allFinite() || !W.allFinite() || !(W(0, 0) > 0)) return false;
  load(c);
  if (q[0] + W.row(0).dot(r) >= 0) return true;
  if (solve_one_contact<Real, D>(W, q, mu, r) && r[0] >= c) return true;
  load(c);  // strongly coupled directions: normal and tangential in turn; the residual tells whether that is enough
  for (int n = 0; n < 50; ++n)
    load(std::max(c, -(q[0] + W.template block<1, D - 1>(0, 1).dot(r.template tail<D - 1>())) / W(0, 0)));
  return true;
}

}  // namespace ricochet::complementarity
