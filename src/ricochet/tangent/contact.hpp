// What acts at one instant, in any scalar: normals, rates, the Delassus matrix, reactions, and the kick of a law.
#pragma once

#include <algorithm>
#include <vector>

#include "ricochet/complementarity/nonnegative.hpp"
#include "ricochet/mechanics/law.hpp"
#include "ricochet/tangent/derivative.hpp"
#include "ricochet/tangent/small_solve.hpp"
#include "ricochet/tangent/stage.hpp"

namespace ricochet::tangent {

/// ∇φ_i, ∂_tφ_i, φ̇_i and W of some gaps at (q, v, t, θ).
template <class T>
struct Acting {
  std::vector<std::vector<T>> n, over_mass;  ///< ∇φ_i and M⁻¹∇φ_i
  std::vector<T> rate, wall_rate;
  std::vector<T> W;  ///< row by row

  std::size_t size() const { return n.size(); }
  void couple() {
    const std::size_t k = size();
    W.resize(k * k);
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = 0; j < k; ++j) W[i * k + j] = dot<T>(n[i], over_mass[j]);
  }
};

/// (q, v, t, θ) stacked, with the length of the first two.
template <class T>
struct Argument {
  Point<T> all;
  std::size_t n;
  Point<T> q() const { return all.subspan(0, n); }
  Point<T> v() const { return all.subspan(n, n); }
  const T& t() const { return all[2 * n]; }
  Point<T> theta() const { return all.subspan(2 * n + 1); }
};

/// ∂²L/∂v² factored.
template <class T, class Family>
Definite<T> mass_matrix(const Family& family, const Argument<T>& y) {
  Definite<T> M;
  M.resize(y.n);
  if constexpr (Family::separable) {
    for (std::size_t i = 0; i < y.n; ++i)
      for (std::size_t j = 0; j < y.n; ++j) M(i, j) = family.mass(static_cast<int>(i), static_cast<int>(j), y.theta());
  } else {
    std::vector<T> g(y.n);
    tangent::second_derivatives(
        [&]<class D>(Point<D> v) {
          std::vector<D> q(y.q().begin(), y.q().end()), theta(y.theta().begin(), y.theta().end());
          return family.lagrangian(Point<D>(q), v, D(y.t()), Point<D>(theta));
        },
        y.v(), std::span<T>(g),
        [&](Eigen::Index i, Eigen::Index j, const T& x) {
          M(static_cast<std::size_t>(i), static_cast<std::size_t>(j)) = x;
        });
  }
  M.factor();
  return M;
}

template <class T, class Family>
Acting<T> acting(const Family& family, const std::vector<int>& gaps, const Argument<T>& y) {
  Acting<T> a;
  const Definite<T> M = mass_matrix(family, y);
  std::vector<T> x(y.q().begin(), y.q().end()), g(y.n + 1);
  x.push_back(y.t());
  for (const int i : gaps) {
    tangent::gradient<T>(
        [&]<class D>(Point<D> z) {
          std::vector<D> theta(y.theta().begin(), y.theta().end());
          return family.gap(i, z.subspan(0, y.n), z[y.n], Point<D>(theta));
        },
        Point<T>(x), std::span<T>(g));
    std::vector<T> normal(g.begin(), g.end() - 1);
    std::vector<T> over = normal;
    M.solve(over);
    a.wall_rate.push_back(g.back());
    a.rate.push_back(dot<T>(normal, y.v()) + g.back());
    a.n.push_back(std::move(normal));
    a.over_mass.push_back(std::move(over));
  }
  a.couple();
  return a;
}

/// x with Σ_j W_ij x_j = b_i over the gaps of `support`, zero elsewhere. Gaps whose normals depend on those before
/// them (four feet on a floor) are left out: the same momentum is reached without them.
template <class T>
std::vector<T> solve_on(const Acting<T>& a, const std::vector<std::size_t>& support, const std::vector<T>& b) {
  const std::size_t k = a.size();
  std::vector<std::size_t> kept;
  Definite<double> trial;
  for (const std::size_t i : support) {
    kept.push_back(i);
    trial.resize(kept.size());
    for (std::size_t r = 0; r < kept.size(); ++r)
      for (std::size_t c = 0; c < kept.size(); ++c)
        trial(r, c) = static_cast<double>(numerics::value_of(a.W[kept[r] * k + kept[c]]));
    const double own = trial(kept.size() - 1, kept.size() - 1);
    trial.factor();
    if (!(trial(kept.size() - 1, kept.size() - 1) > 1e-10 * own)) kept.pop_back();
  }
  Definite<T> W;
  W.resize(kept.size());
  std::vector<T> x;
  for (std::size_t r = 0; r < kept.size(); ++r) {
    x.push_back(b[kept[r]]);
    for (std::size_t c = 0; c < kept.size(); ++c) W(r, c) = a.W[kept[r] * k + kept[c]];
  }
  W.factor();
  W.solve(x);
  std::vector<T> all(k, T(0));
  for (std::size_t r = 0; r < kept.size(); ++r) all[kept[r]] = x[r];
  return all;
}

/// Impulses must not violate bilateral constraints: the last `constraints` gaps of `a` are taken out of the others'
/// normals, as contact/active_set.hpp does, and dropped.
template <class T>
void make_tangent(Acting<T>& a, std::size_t constraints) {
  const std::size_t k = a.size() - constraints;
  std::vector<std::size_t> last;
  for (std::size_t j = k; j < a.size(); ++j) last.push_back(j);
  for (std::size_t i = 0; i < k && constraints > 0; ++i) {
    std::vector<T> b(a.size(), T(0));
    for (const std::size_t j : last) b[j] = a.W[j * a.size() + i];
    const std::vector<T> x = solve_on(a, last, b);
    for (const std::size_t j : last)
      for (std::size_t r = 0; r < a.n[i].size(); ++r) {
        a.n[i][r] -= x[j] * a.n[j][r];
        a.over_mass[i][r] -= x[j] * a.over_mass[j][r];
      }
  }
  a.n.resize(k), a.over_mass.resize(k), a.rate.resize(k), a.wall_rate.resize(k);
  a.couple();
}

/// The λ of a law, differentiable where the set of gaps that act does not change (design: laws see W, φ̇⁻, e alone).
template <class T>
std::vector<T> law_impulse(const Acting<T>& a, const std::vector<T>& e, mechanics::LawKind kind) {
  const std::size_t k = a.size();
  using mechanics::LawKind;
  auto support = [&](const std::vector<T>& v) {
    std::vector<double> W(k * k), b(k), x(k);
    for (std::size_t i = 0; i < k * k; ++i) W[i] = static_cast<double>(numerics::value_of(a.W[i]));
    for (std::size_t i = 0; i < k; ++i) b[i] = static_cast<double>(numerics::value_of(v[i]));
    struct View {
      const std::vector<double>& W;
      std::size_t k;
      double operator()(int i, int j) const { return W[static_cast<std::size_t>(i) * k + static_cast<std::size_t>(j)]; }
    } view{W, k};
    if (complementarity::project_on_cone(static_cast<int>(k), view, b, x) != complementarity::Status::solved)
      throw Error(ErrorKind::bad_law, "the impulse of an impact was not found again for its derivative");
    std::vector<std::size_t> s;
    for (std::size_t i = 0; i < k; ++i)
      if (x[i] > 0) s.push_back(i);
    return s;
  };
  auto project = [&](std::vector<T> v) {
    const auto s = support(v);
    for (T& x : v) x = -x;
    return solve_on(a, s, v);
  };
  std::vector<T> v = a.rate;
  switch (kind) {
    case LawKind::elastic:
    case LawKind::canonical: {
      std::vector<T> lambda = project(v);
      T smallest(1);
      if (kind == LawKind::canonical && !e.empty()) {
        smallest = e[0];  // even where it is 1: it may vary
        for (const T& x : e)
          if (x < smallest) smallest = x;
      }
      for (T& x : lambda) x *= T(1) + smallest;
      return lambda;
    }
    case LawKind::newton:
    case LawKind::stronge:  // without friction the same, of one contact
      for (std::size_t i = 0; i < k; ++i) v[i] *= T(1) + e[i];
      return project(v);
    case LawKind::poisson: {
      std::vector<T> lambda = project(v);
      for (std::size_t i = 0; i < k; ++i) lambda[i] *= T(1) + e[i];
      if (k == 1) return lambda;
      for (std::size_t i = 0; i < k; ++i) {
        T size = T(std::abs(static_cast<double>(numerics::value_of(v[i]))));
        for (std::size_t j = 0; j < k; ++j) {
          v[i] += a.W[i * k + j] * lambda[j];
          size += T(std::abs(static_cast<double>(numerics::value_of(a.W[i * k + j] * lambda[j]))));
        }
        if (std::abs(static_cast<double>(numerics::value_of(v[i]))) <=
            64e-16 * static_cast<double>(k) * static_cast<double>(numerics::value_of(size)))
          v[i] = T(0);
      }
      const std::vector<T> more = project(v);
      for (std::size_t i = 0; i < k; ++i) lambda[i] += more[i];
      return lambda;
    }
    default: {  // one pair after the other, in the order of the gaps
      std::vector<T> lambda(k, T(0));
      std::size_t from = 0;
      for (int pairs = 0; pairs < 1000000; ++pairs) {
        std::size_t next = k;
        for (std::size_t j = 0; j < k && next == k; ++j) {
          const std::size_t i = (from + j) % k;
          double size = std::abs(static_cast<double>(numerics::value_of(a.rate[i])));
          for (std::size_t l = 0; l < k; ++l)
            size += std::abs(static_cast<double>(numerics::value_of(a.W[i * k + l] * lambda[l])));
          if (static_cast<double>(numerics::value_of(v[i])) < -1e-15 * static_cast<double>(k) * size) next = i;
        }
        if (next == k) break;
        const T impulse = -(T(1) + e[next]) * v[next] / a.W[next * k + next];
        lambda[next] += impulse;
        for (std::size_t j = 0; j < k; ++j) v[j] += a.W[j * k + next] * impulse;
        from = next + 1;
      }
      return lambda;
    }
  }
}

/// What a kick Σλ_i∇φ_i does to the kinetic energy: λ·φ̇ + ½ λ·Wλ.
template <class T>
T kinetic_gain(const Acting<T>& a, const std::vector<T>& lambda) {
  const std::size_t k = a.size();
  T gain(0);
  for (std::size_t i = 0; i < k; ++i) {
    gain += lambda[i] * a.rate[i];
    for (std::size_t j = 0; j < k; ++j) gain += 0.5 * lambda[i] * a.W[i * k + j] * lambda[j];
  }
  return gain;
}

/// Free acceleration L_vv a = Q − L_vq v − L_vt in any scalar.
template <class T, class Family>
std::vector<T> acceleration(const Family& family, const Argument<T>& y) {
  const std::size_t n = y.n;
  std::vector<T> a(n, T(0));
  family.force(y.q(), y.v(), y.t(), y.theta(), std::span<T>(a));
  if constexpr (Family::separable) {
    std::vector<T> g(n);
    tangent::gradient<T>(
        [&]<class D>(Point<D> q) {
          std::vector<D> theta(y.theta().begin(), y.theta().end());
          return family.potential(q, D(y.t()), Point<D>(theta));
        },
        y.q(), std::span<T>(g));
    for (std::size_t k = 0; k < n; ++k) a[k] -= g[k];
  } else {
    // Q − d/dt L_v along v: the derivative of L_v in the direction (v, 0, 1) of (q, v, t).
    using D = numerics::Jet<T, 1>;
    std::vector<D> z, slope(2 * n), theta(y.theta().begin(), y.theta().end());
    for (std::size_t k = 0; k < n; ++k) {
      z.push_back(D(y.q()[k]));
      z.back().d[0] = y.v()[k];
    }
    for (std::size_t k = 0; k < n; ++k) z.push_back(D(y.v()[k]));
    D time(y.t());
    time.d[0] = T(1);
    tangent::gradient<D>(
        [&]<class E>(Point<E> x) {
          std::vector<E> inner(theta.begin(), theta.end());
          return family.lagrangian(x.subspan(0, n), x.subspan(n, n), E(time), Point<E>(inner));
        },
        Point<D>(z), std::span<D>(slope));
    for (std::size_t k = 0; k < n; ++k) a[k] += slope[k].v - slope[n + k].d[0];
  }
  mass_matrix(family, y).solve(a);
  return a;
}

/// R with φ̈ + WR = 0 on the held gaps: what keeps them closed (contact/held.hpp).
template <class T, class Family>
std::vector<T> reactions(const Family& family, const std::vector<int>& held, const Argument<T>& y) {
  const Acting<T> on = acting(family, held, y);
  const std::vector<T> a = acceleration(family, y);
  std::vector<T> b;
  std::vector<std::size_t> all;
  using S = numerics::Taylor<T, 2>;
  std::vector<S> q(y.n), theta;
  for (std::size_t k = 0; k < y.n; ++k) q[k].c = {y.q()[k], y.v()[k], 0.5 * a[k]};
  for (const T& x : y.theta()) theta.push_back(S(x));
  S time(y.t());
  time[1] = T(1);
  for (std::size_t i = 0; i < held.size(); ++i) {
    b.push_back(-2.0 * family.gap(held[i], Point<S>(q), time, Point<S>(theta))[2]);
    all.push_back(i);
  }
  return solve_on(on, all, b);
}

}  // namespace ricochet::tangent
