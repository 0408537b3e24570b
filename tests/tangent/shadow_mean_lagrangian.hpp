// L_s of the shadow closures from its formula alone, without any slot derivative, in any scalar.
#pragma once

#include "ricochet/tangent/derivative.hpp"
#include "ricochet/tangent/small_solve.hpp"

namespace ricochet::test {

/// ℓ(q,u,s,θ) = L_s(q, q+su, s)/s of impact/shadow_lagrangian.hpp. For short s the mean of Hu over the flight, by three
/// Gauss points, stands for (g1−g0)/s.
template <int Order, class T, class Family>
T shadow_mean_lagrangian(const Family& family, Point<T> q, Point<T> u, const T& s, Point<T> theta, double h_) {
  const std::size_t n = q.size();
  const T h(h_), kappa = (h - s) * (h + s);
  tangent::Definite<T> mass;
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
  T l = kinetic - 0.5 * (V0 + V1) - kappa * (tangent::dot<T>(d, u) / T(12) - tangent::dot<T>(g0, a1) / T(24));
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
    l -= kappa * (h * h - 4.0 * s2) / T(360) * tangent::dot<T>(d, over_mass(d));
    l += kappa * (h * h + s2) / T(720) * quartic;
  }
  return l;
}

}  // namespace ricochet::test
