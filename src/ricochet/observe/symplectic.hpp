// Does a map keep dq∧dp? Its Jacobian by high-order differences, and the residual of JᵀΩJ = Ω.
#pragma once

#include <Eigen/Core>

namespace ricochet::observe {

/// Jacobian of x ↦ map(x) by the 8th-order central difference with spacing δ·max(1,|x_k|). In long double with
/// δ ≈ 1e-3 truncation and rounding are both near 1e-16; the map must be smooth over ±4δ (no impact enters or leaves).
template <class Real, class Map>
Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> jacobian(const Map& map,
                                                             const Eigen::Matrix<Real, Eigen::Dynamic, 1>& x,
                                                             Real delta) {
  using VectorX = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  const Real weight[] = {Real(4) / 5, Real(-1) / 5, Real(4) / 105, Real(-1) / 280};
  Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> J(x.size(), x.size());
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    const Real d = delta * std::max(Real(1), std::abs(x[k]));
    VectorX column = VectorX::Zero(x.size());
    for (int m = 1; m <= 4; ++m) {
      VectorX forward = x, backward = x;
      forward[k] += Real(m) * d;
      backward[k] -= Real(m) * d;
      column += weight[m - 1] * (map(forward) - map(backward));
    }
    J.col(k) = column / d;
  }
  return J;
}

/// max |JᵀΩJ − Ω| with Ω = dq∧dp, for J of a map of (q,p).
template <class Matrix>
auto symplectic_residual(const Matrix& J) {
  const Eigen::Index n = J.rows() / 2;
  Matrix omega = Matrix::Zero(2 * n, 2 * n);
  omega.topRightCorner(n, n).setIdentity();
  omega.bottomLeftCorner(n, n) = -Matrix::Identity(n, n);
  const auto q = J.topRows(n), p = J.bottomRows(n);
  const Matrix moved = q.transpose().lazyProduct(p) - p.transpose().lazyProduct(q);
  return (moved - omega).cwiseAbs().maxCoeff();
}

/// The map of `advance(node)` on (q,p), as a function of stacked coordinates.
template <class Body, class Advance>
auto phase_map(const Body& body, const typename Body::Node& at, Advance advance) {
  using Real = typename Body::Real;
  using VectorX = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  return [&body, t = at.t, advance](const VectorX& x) {
    const int n = body.dimension();
    typename Body::Node node{t, x.head(n), x.tail(n)};
    advance(node);
    VectorX y(2 * n);
    y << node.q, node.p;
    return y;
  };
}

/// Symplectic residual of `advance` around a node.
template <class Body, class Advance>
typename Body::Real symplectic_residual(const Body& body, const typename Body::Node& at, Advance advance,
                                        typename Body::Real delta) {
  using Real = typename Body::Real;
  Eigen::Matrix<Real, Eigen::Dynamic, 1> x(2 * body.dimension());
  x << at.q, at.p;
  return symplectic_residual(jacobian<Real>(phase_map(body, at, advance), x, delta));
}

}  // namespace ricochet::observe
