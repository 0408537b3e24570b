// The tangent of a piece flown by a shadow closure: second derivatives of its discrete Lagrangian.
#pragma once

#include "ricochet/impact/shadow.hpp"
#include "ricochet/tangent/derivative.hpp"
#include "ricochet/tangent/small_solve.hpp"
#include "ricochet/tangent/stage.hpp"

namespace ricochet::tangent {

/// ℓ(q,u,s,θ) = L_s(q, q+su, s)/s of impact/shadow_lagrangian.hpp, in any scalar. Written down a second time and from
/// the formula alone, without the slot derivatives of the flights: those are then derivatives of this one.
template <int Order, class T, class Family>
T shadow_mean_lagrangian(const Family& family, Point<T> q, Point<T> u, const T& s, Point<T> theta, double h_) {
  const std::size_t n = q.size();
  const T h(h_), kappa = (h - s) * (h + s);
  Definite<T> mass;
  mass.resize(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      mass(i, j) = mass(j, i) = family.mass(static_cast<int>(i), static_cast<int>(j), theta);
  T kinetic(0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) kinetic += 0.5 * mass(i, j) * u[i] * u[j];
  mass.factor();
  using V = std::vector<T>;
  auto point = [&](const T& a) {  // q + a u
    V x(q.begin(), q.end());
    for (std::size_t k = 0; k < n; ++k) x[k] += a * u[k];
    return x;
  };
  auto gradient = [&](const V& x, V& g) {
    g.resize(n);
    return tangent::gradient<T>(
        [&]<class D>(Point<D> y) {
          std::vector<D> parameters;
          for (const T& p : theta) parameters.push_back(D(p));
          return family.potential(y, D(0), Point<D>(parameters));
        },
        Point<T>(x), std::span<T>(g));
  };
  auto over_mass = [&](V x) {
    mass.solve(x);
    return x;
  };
  V g0, g1, d(n);
  const T V0 = gradient(V(q.begin(), q.end()), g0), V1 = gradient(point(s), g1);
  if (numerics::value_of(s) * 64 >= h_) {
    for (std::size_t k = 0; k < n; ++k) d[k] = (g1[k] - g0[k]) / s;
  } else {
    // The mean of H u over the flight by three Gauss points, as the flights form it.
    for (const int k : {-1, 0, 1}) {
      const double c = 0.5 + k * std::sqrt(15.0) / 10, weight = (k == 0 ? 8.0 : 5.0) / 18;
      using D = numerics::Jet<T, 1>;
      std::vector<D> x, parameters, slope(n);
      const V at = point(c * s);
      for (std::size_t i = 0; i < n; ++i) x.push_back(D(at[i])), x.back().d[0] = u[i];
      for (const T& p : theta) parameters.push_back(D(p));
      tangent::gradient<D>(
          [&]<class E>(Point<E> y) {
            std::vector<E> inner;
            for (const D& p : parameters) inner.push_back(E(p));
            return family.potential(y, E(0), Point<E>(inner));
          },
          Point<D>(x), std::span<D>(slope));
      for (std::size_t i = 0; i < n; ++i) d[i] += weight * slope[i].d[0];
    }
  }
  const V a1 = over_mass(g1);
  T l = kinetic - 0.5 * (V0 + V1) - kappa * (dot<T>(d, u) / T(12) - dot<T>(g0, a1) / T(24));
  if constexpr (Order == 4) {
    const double eta = h_ * h_ / 8;
    V g_m, g_a, g_b, g_y;
    const T half = 0.5 * s;
    const V m = point(half);
    const T V_m = gradient(m, g_m), V_a = gradient(point(half - 0.5 * h), g_a),
            V_b = gradient(point(half + 0.5 * h), g_b);
    const V r = over_mass(g_m);
    V y = m;
    for (std::size_t k = 0; k < n; ++k) y[k] -= eta * r[k];
    gradient(y, g_y);
    T quartic(0);
    const double h2 = h_ * h_;
    for (std::size_t k = 0; k < n; ++k) {
      quartic += (48 / (h2 * h_)) * (g_b[k] - g_a[k]) * u[k];
      quartic -= (24 / h2) * (g_a[k] - 2.0 * g_m[k] + g_b[k]) * r[k];
      quartic += (3 / eta) * (g_m[k] - g_y[k]) * r[k];
    }
    quartic -= (192 / (h2 * h2)) * (V_a - 2.0 * V_m + V_b);
    const T s2 = s * s;
    l -= kappa * (h * h - 4.0 * s2) / T(360) * dot<T>(d, over_mass(d));
    l += kappa * (h * h + s2) / T(720) * quartic;
  }
  return l;
}

/// The piece from p = ℓ_u − sℓ_q, p' = ℓ_u, q' = q + su, E = u·ℓ_u − ℓ − sℓ_s: D1, D2 and D3 of sℓ(q, (q'−q)/s, s),
/// written so that nothing is divided by a short s.
template <int Order, class Mechanics, class Family>
class ShadowPiece {
 public:
  using Real = typename Mechanics::Real;
  using Vec = typename Mechanics::Vec;
  using X = Columns<Mechanics>;
  using Row = typename X::Row;
  using Dense = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

  /// From (q,p) to `end`, which the run has found: Newton begins at its mean velocity and mostly ends there.
  void push(const Mechanics& mechanics, const Family& family, const Vec& q, const Vec& p, const Vec& end, Real t,
            Real s, Real h, X& x) {
    const auto n = q.size(), m = x.theta.rows(), size = 2 * n + 1 + m;
    z_.resize(size), g_.resize(size), H_.resize(size, size);
    Vec u(n);
    if (s > 0)
      u = (end - q) / s;
    else
      mechanics.velocity(q, p, t, u);
    z_.head(n) = q, z_.segment(n, n) = u, z_[2 * n] = s;
    for (Eigen::Index j = 0; j < m; ++j) z_[2 * n + 1 + j] = Real(family.parameter(static_cast<int>(j)));
    Eigen::PartialPivLU<Dense> lu;
    Real last = std::numeric_limits<Real>::infinity();
    for (int it = 0;; ++it) {
      evaluate(family, static_cast<std::size_t>(n), static_cast<double>(h));
      lu.compute(H_.block(n, n, n, n) - s * H_.block(0, n, n, n));
      const Vec du = lu.solve(g_.segment(n, n) - s * g_.head(n) - p);
      const Real increment = du.norm();
      // A correction of 1e-11 is squared by Newton, and changes second derivatives by no more than itself.
      if (increment <= Real(1e-11) * z_.segment(n, n).norm() || (it > 2 && increment >= last / 2)) {
        z_.segment(n, n) -= du;
        break;
      }
      if (it == 30 || !(increment < std::numeric_limits<Real>::infinity()))
        throw Error(ErrorKind::no_convergence, "the tangent of a shadow flight was not solved; a smaller step helps");
      z_.segment(n, n) -= du;
      last = increment;
    }
    u = z_.segment(n, n);
    const auto row = [&](Eigen::Index i, Eigen::Index k) { return H_.middleRows(i, k); };
    // δ with δu = 0
    Dense known(size, x.size());
    known.topRows(n) = x.q;
    known.middleRows(n, n).setZero();
    known.row(2 * n) = x.s;
    known.bottomRows(m) = x.theta;
    const Dense rhs = x.p - row(n, n) * known + s * (row(0, n) * known) + g_.head(n) * x.s;
    known.middleRows(n, n) = lu.solve(rhs);
    const Dense Lu = row(n, n) * known;
    const Row Ls = row(2 * n, 1) * known;
    x.start = u.transpose() * Lu - g_.head(n).transpose() * x.q - 2 * g_[2 * n] * x.s - s * Ls;
    if (m > 0) x.start -= g_.tail(m).transpose() * x.theta;
    x.end = x.start;
    x.q += s * known.middleRows(n, n) + u * x.s;
    x.p = Lu;
    x.t += x.s;
  }

 private:
  void evaluate(const Family& family, std::size_t n, double h) {
    tangent::hessian<Real>(
        [&]<class T>(Point<T> z) {
          return shadow_mean_lagrangian<Order, T>(family, z.subspan(0, n), z.subspan(n, n), z[2 * n],
                                                  z.subspan(2 * n + 1), h);
        },
        Point<Real>(z_.data(), static_cast<std::size_t>(z_.size())),
        std::span<Real>(g_.data(), static_cast<std::size_t>(g_.size())), H_);
  }

  Eigen::Matrix<Real, Eigen::Dynamic, 1> z_, g_;
  Dense H_;
};

}  // namespace ricochet::tangent
