// SE(3) and its algebra: ξ = (ω, γ), g = (Λ, r); Demoures 2016 section 5, errata D11, D12.
#pragma once

#include "ricochet/lie/so3.hpp"

namespace ricochet::lie {

template <class Real>
using Vec6 = Eigen::Matrix<Real, 6, 1>;  ///< (ω, γ) in the algebra, (μ, ν) in its dual
template <class Real>
using Mat4 = Eigen::Matrix<Real, 4, 4>;

template <class Real>
Vec6<Real> join(const Vec3<Real>& a, const Vec3<Real>& b) {
  Vec6<Real> x;
  x << a, b;
  return x;
}

/// A rigid motion: x ↦ Λx + r.
template <class Real>
struct SE3 {
  Mat3<Real> R = Mat3<Real>::Identity();
  Vec3<Real> r = Vec3<Real>::Zero();

  friend SE3 operator*(const SE3& a, const SE3& b) { return {a.R * b.R, a.r + a.R * b.r}; }
  SE3 inverse() const { return {R.transpose(), -(R.transpose() * r)}; }
  Mat4<Real> matrix() const {
    Mat4<Real> m = Mat4<Real>::Identity();
    m.template topLeftCorner<3, 3>() = R;
    m.template topRightCorner<3, 1>() = r;
    return m;
  }
};

namespace se3 {

/// ξ as the 4×4 matrix [ω̂ γ; 0 0].
template <class Real>
Mat4<Real> hat(const Vec6<Real>& x) {
  Mat4<Real> m = Mat4<Real>::Zero();
  m.template topLeftCorner<3, 3>() = lie::hat<Real>(x.template head<3>());
  m.template topRightCorner<3, 1>() = x.template tail<3>();
  return m;
}

/// Ad_g ξ = g ξ g⁻¹ = (Λω, Λγ + r × Λω).
template <class Real>
Vec6<Real> Ad(const SE3<Real>& g, const Vec6<Real>& x) {
  const Vec3<Real> w = g.R * x.template head<3>();
  return join<Real>(w, g.R * x.template tail<3>() + g.r.cross(w));
}
/// ⟨Ad*_g m, ξ⟩ = ⟨m, Ad_g ξ⟩: (Λᵀ(μ + ν × r), Λᵀν) (errata D11; the ν of the second part is misprinted in (5.11)).
template <class Real>
Vec6<Real> Ad_star(const SE3<Real>& g, const Vec6<Real>& m) {
  const Vec3<Real> nu = m.template tail<3>();
  return join<Real>(g.R.transpose() * (m.template head<3>() + nu.cross(g.r)), g.R.transpose() * nu);
}
/// ad_ξ ζ = [ξ, ζ].
template <class Real>
Vec6<Real> ad(const Vec6<Real>& x, const Vec6<Real>& y) {
  const Vec3<Real> w = x.template head<3>(), g = x.template tail<3>(), a = y.template head<3>();
  return join<Real>(w.cross(a), w.cross(Vec3<Real>(y.template tail<3>())) + g.cross(a));
}
/// ad*_ξ (μ, ν) = −(ω × μ + γ × ν, ω × ν).
template <class Real>
Vec6<Real> ad_star(const Vec6<Real>& x, const Vec6<Real>& m) {
  const Vec3<Real> w = x.template head<3>(), g = x.template tail<3>(), mu = m.template head<3>(),
                   nu = m.template tail<3>();
  return join<Real>(-(w.cross(mu) + g.cross(nu)), -w.cross(nu));
}

// ---- Cayley (errata D12)
// ---------------------------------------------------------------------------------------------

template <class Real>
SE3<Real> cayley(const Vec6<Real>& x) {
  const Vec3<Real> w = x.template head<3>(), g = x.template tail<3>();
  return {so3::cayley(w), 4 / (4 + w.squaredNorm()) * (g + w.cross(g) / 2 + w * (w.dot(g) / 4))};
}
template <class Real>
Vec6<Real> cayley_inverse(const SE3<Real>& g) {
  const Vec3<Real> w = so3::cayley_inverse(g.R);
  return join<Real>(w, g.r - w.cross(g.r) / 2);
}
/// dτ_ξ δ = (Dτ(ξ)·δ) τ(ξ)⁻¹.
template <class Real>
Vec6<Real> dcayley(const Vec6<Real>& x, const Vec6<Real>& d) {
  const Vec3<Real> w = x.template head<3>(), g = x.template tail<3>(), b = d.template tail<3>();
  const Vec3<Real> a = so3::dcayley<Real>(w, d.template head<3>());
  // (I − ω̂/2)⁻¹ b = (b + ½ω×b + ¼ω(ω·b)) / (1 + |ω|²/4)
  return join<Real>(a, (b + w.cross(b) / 2 + w * (w.dot(b) / 4)) / (1 + w.squaredNorm() / 4) + g.cross(a) / 2);
}
template <class Real>
Vec6<Real> dcayley_inverse(const Vec6<Real>& x, const Vec6<Real>& d) {
  const Vec3<Real> w = x.template head<3>(), g = x.template tail<3>(), a = d.template head<3>();
  const Vec3<Real> b = d.template tail<3>() - g.cross(a) / 2;
  return join<Real>(so3::dcayley_inverse(w, a), b - w.cross(b) / 2);
}
/// (dτ⁻¹_ξ)*(μ, ν) = (μ + ½ω×μ + ¼(ω·μ)ω + ½γ×ν', ν'), ν' = ν + ½ω×ν.
template <class Real>
Vec6<Real> dcayley_inverse_star(const Vec6<Real>& x, const Vec6<Real>& m) {
  const Vec3<Real> w = x.template head<3>(), g = x.template tail<3>(), mu = m.template head<3>(),
                   nu = m.template tail<3>();
  const Vec3<Real> moved = nu + w.cross(nu) / 2;
  return join<Real>(so3::dcayley_inverse_star(w, mu) + g.cross(moved) / 2, moved);
}

// ---- exponential
// -----------------------------------------------------------------------------------------------------

template <class Real>
SE3<Real> exp(const Vec6<Real>& x) {
  const Vec3<Real> w = x.template head<3>();
  return {so3::exp(w), so3::dexp(w) * x.template tail<3>()};
}
template <class Real>
Vec6<Real> log(const SE3<Real>& g) {
  const Vec3<Real> w = so3::log(g.R);
  return join<Real>(w, so3::dexp_inverse(w) * g.r);
}
/// The lower left block of dexp: the derivative of dexp_ω along γ, with both orders of the products summed.
template <class Real>
Mat3<Real> dexp_coupling(const Vec6<Real>& x) {
  const Mat3<Real> W = lie::hat<Real>(x.template head<3>()), G = lie::hat<Real>(x.template tail<3>());
  const Real t2 = x.template head<3>().squaredNorm();
  const Real c3 = trigonometric_series(3, t2), c4 = trigonometric_series(4, t2), c5 = trigonometric_series(5, t2);
  const Mat3<Real> WGW = W * G * W;
  return G / 2 + c3 * (W * G + G * W + WGW) + c4 * (W * W * G + G * W * W - 3 * WGW) +
         (c4 - 3 * c5) / 2 * (WGW * W + W * WGW);
}
/// dexp_ξ = Σ ad_ξ^k/(k+1)!, trivialised on the right.
template <class Real>
Vec6<Real> dexp(const Vec6<Real>& x, const Vec6<Real>& d) {
  const Mat3<Real> V = so3::dexp<Real>(x.template head<3>());
  return join<Real>(V * d.template head<3>(), dexp_coupling(x) * d.template head<3>() + V * d.template tail<3>());
}
template <class Real>
Vec6<Real> dexp_inverse(const Vec6<Real>& x, const Vec6<Real>& d) {
  const Mat3<Real> V = so3::dexp_inverse<Real>(x.template head<3>());
  const Vec3<Real> a = V * d.template head<3>();
  return join<Real>(a, V * (d.template tail<3>() - dexp_coupling(x) * a));
}
template <class Real>
Vec6<Real> dexp_inverse_star(const Vec6<Real>& x, const Vec6<Real>& m) {
  const Mat3<Real> V = so3::dexp_inverse<Real>(x.template head<3>()).transpose();
  const Vec3<Real> nu = V * m.template tail<3>();
  return join<Real>(V * (m.template head<3>() - dexp_coupling(x).transpose() * nu), nu);
}

}  // namespace se3
}  // namespace ricochet::lie
