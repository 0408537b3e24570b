// SO(3): Cayley and exponential maps, their inverses, and the derivatives of both, trivialised on the right.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <limits>

namespace ricochet::lie {

template <class Real>
using Vec3 = Eigen::Matrix<Real, 3, 1>;
template <class Real>
using Mat3 = Eigen::Matrix<Real, 3, 3>;

/// ω̂ v = ω × v.
template <class Real>
Mat3<Real> hat(const Vec3<Real>& w) {
  Mat3<Real> m;
  m << 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0;
  return m;
}
/// The axial vector of the skew part of m: vee(ω̂) = ω.
template <class Real>
Vec3<Real> vee(const Mat3<Real>& m) {
  return Vec3<Real>(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)) / 2;
}

/// c_k(θ) = Σ_j (−1)^j θ^{2j}/(2j+k)!: cos, sin θ/θ, (1−cos θ)/θ², (θ−sin θ)/θ³, … without cancellation at θ = 0.
template <class Real>
Real trigonometric_series(int k, Real theta_squared) {
  if (theta_squared > 1) {
    const Real theta = std::sqrt(theta_squared);
    Real c = k % 2 == 0 ? std::cos(theta) : std::sin(theta) / theta;
    Real factorial = 1;  // of j − 2
    for (int j = 2 + k % 2; j <= k; j += 2) {
      if (j > 3) factorial *= Real(j - 2) * Real(j - 3);
      c = (1 / factorial - c) / theta_squared;
    }
    return c;
  }
  Real term = 1, sum = 0;
  for (int j = 2; j <= k; ++j) term /= Real(j);
  for (int j = 0; std::abs(term) > std::numeric_limits<Real>::epsilon() / 64 * std::abs(sum); ++j) {
    sum += term;
    term *= -theta_squared / (Real(2 * j + k + 1) * Real(2 * j + k + 2));
  }
  return sum;
}

namespace so3 {

// ---- Cayley: τ(ω) = (I − ω̂/2)⁻¹(I + ω̂/2), a rotation by 2 atan(|ω|/2); it never reaches π (errata D12)
// ----------------

template <class Real>
Mat3<Real> cayley(const Vec3<Real>& w) {
  const Mat3<Real> W = hat(w);
  return Mat3<Real>::Identity() + 4 / (4 + w.squaredNorm()) * (W + W * W / 2);
}
/// ω = 2 vee(R − Rᵀ)/(1 + tr R); not finite at a rotation by π, where 1 + tr R = 0.
template <class Real>
Vec3<Real> cayley_inverse(const Mat3<Real>& R) {
  return 4 * vee(R) / (1 + R.trace());
}
/// dτ_ω δ = (Dτ(ω)·δ) τ(ω)⁻¹.
template <class Real>
Vec3<Real> dcayley(const Vec3<Real>& w, const Vec3<Real>& d) {
  return 4 / (4 + w.squaredNorm()) * (d + w.cross(d) / 2);
}
template <class Real>
Vec3<Real> dcayley_inverse(const Vec3<Real>& w, const Vec3<Real>& d) {
  return d - w.cross(d) / 2 + w * (w.dot(d) / 4);
}
template <class Real>
Vec3<Real> dcayley_inverse_star(const Vec3<Real>& w, const Vec3<Real>& m) {
  return m + w.cross(m) / 2 + w * (w.dot(m) / 4);
}

// ---- exponential
// -----------------------------------------------------------------------------------------------------

template <class Real>
Mat3<Real> exp(const Vec3<Real>& w) {
  const Mat3<Real> W = hat(w);
  const Real t2 = w.squaredNorm();
  return Mat3<Real>::Identity() + trigonometric_series(1, t2) * W + trigonometric_series(2, t2) * W * W;
}
/// The rotation vector with |ω| ≤ π.
template <class Real>
Vec3<Real> log(const Mat3<Real>& R) {
  Eigen::Quaternion<Real> q(R);
  if (q.w() < 0) q.coeffs() = -q.coeffs();
  const Real sine = q.vec().norm();
  if (sine == 0) return Vec3<Real>::Zero();
  return (2 * std::atan2(sine, q.w()) / sine) * q.vec();
}
/// dexp_ω = Σ ω̂^k/(k+1)!.
template <class Real>
Mat3<Real> dexp(const Vec3<Real>& w) {
  const Mat3<Real> W = hat(w);
  const Real t2 = w.squaredNorm();
  return Mat3<Real>::Identity() + trigonometric_series(2, t2) * W + trigonometric_series(3, t2) * W * W;
}
/// I − ω̂/2 + (1 − (θ/2)cot(θ/2))/θ² ω̂², for |ω| < 2π.
template <class Real>
Mat3<Real> dexp_inverse(const Vec3<Real>& w) {
  const Mat3<Real> W = hat(w);
  const Real t2 = w.squaredNorm();
  // (1 − θ sin θ/(2(1−cos θ)))/θ² = (c₂ − c₁/2)/(θ² c₂), and c₂ − c₁/2 = θ²(c₃/2 − c₄).
  const Real c = (trigonometric_series(3, t2) / 2 - trigonometric_series(4, t2)) / trigonometric_series(2, t2);
  return Mat3<Real>::Identity() - W / 2 + c * W * W;
}

}  // namespace so3
}  // namespace ricochet::lie
