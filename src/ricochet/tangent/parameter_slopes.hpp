// How V, ∇V and the derivatives of L answer to the parameters: ∂/∂θ of first derivatives, and of nothing else.
#pragma once

#include <vector>

#include "ricochet/tangent/columns.hpp"
#include "ricochet/tangent/family.hpp"
#include "ricochet/tangent/potential_hessian.hpp"

namespace ricochet::tangent {

/// ∂f/∂θ_l and ∂²f/∂z_i∂θ_l of f(z, θ), told as by(l, value) and by(i, l, value): jets in z over jets one wide in θ, so
/// that neither ∂²f/∂z² nor ∂²f/∂θ² is formed. N is the number of z if known at compile time.
template <int N, class Real, class Family, class F, class By>
void mixed_slopes(const Family& family, const F& f, Point<Real> z, By&& by) {
  constexpr int C = numerics::chunk_width<N, 4>;
  using Inner = numerics::Jet<Real, 1>;
  using J = numerics::Jet<Inner, C>;
  thread_local std::vector<J> theta;
  const int n = N > 0 ? N : static_cast<int>(z.size()), m = family.parameters();
  theta.resize(static_cast<std::size_t>(m));
  for (int l = 0; l < m; ++l) theta[static_cast<std::size_t>(l)] = J(Inner(Real(family.parameter(l))));
  numerics::Scratch<J, N> scratch(n);
  const std::span<J> Z = scratch.span();
  const auto at_theta = [&](Point<J> x) { return f(x, Point<J>(theta)); };
  for (int l = 0; l < m; ++l) {
    Real& seed = theta[static_cast<std::size_t>(l)].v.d[0];
    seed = Real(1);
    for (int c = 0; c < n; c += C) {
      const int end = std::min(c + C, n);
      for (int i = 0; i < n; ++i) Z[static_cast<std::size_t>(i)] = J(Inner(z[static_cast<std::size_t>(i)]));
      for (int i = c; i < end; ++i) Z[static_cast<std::size_t>(i)].d[static_cast<std::size_t>(i - c)] = Inner(Real(1));
      const J y = numerics::value_of<N>(at_theta, Z);
      if (c == 0) by(l, y.v.d[0]);
      for (int i = c; i < end; ++i) by(i, l, y.d[static_cast<std::size_t>(i - c)].d[0]);
    }
    seed = Real(0);
  }
}

/// V, ∇V, ∇²V and, if asked for, their slopes ∂V/∂θ and ∂∇V/∂θ at a point.
template <class Mechanics>
class PotentialSlopes {
 public:
  using Real = typename Mechanics::Real;
  using Vec = typename Mechanics::Vec;
  using Mat = typename Mechanics::Mat;

  Vec g;
  Mat H;
  typename Columns<Mechanics>::Block g_theta;
  typename Columns<Mechanics>::Row V_theta;

  template <class Family>
  void at(const Mechanics& mechanics, const Family& family, const Vec& q, Real t, bool by_theta) {
    if (is_fixed<Family> || !by_theta) {
      potential_hessian(mechanics, q, t, g, H);
      return;
    }
    if constexpr (!is_fixed<Family>) {
      const Eigen::Index n = q.size(), m = family.parameters();
      g_theta.resize(n, m), V_theta.resize(m);
      if constexpr (requires(Point<J> x, std::span<J> out) { family.potential_gradient(x, J(t), x, out, out); }) {
        sweeps(family, q, t);
      } else {
        potential_hessian(mechanics, q, t, g, H);
        struct {
          PotentialSlopes& to;
          void operator()(int l, Real y) const { to.V_theta[l] = y; }
          void operator()(int i, int l, Real y) const { to.g_theta(i, l) = y; }
        } const by{*this};
        mixed_slopes<Mechanics::N, Real>(
            family, [&]<class T>(Point<T> x, Point<T> theta) { return family.potential(x, T(t), theta); },
            Mechanics::point(q), by);
      }
    }
  }

 private:
  static constexpr int C = 2;  ///< as potential_hessian
  using J = numerics::Jet<Real, C>;

  /// The reverse sweeps that give the columns of H have ∂V/∂θ among their adjoints: its derivatives by q come with
  /// them.
  template <class Family>
  void sweeps(const Family& family, const Vec& q, Real t) {
    const Eigen::Index n = q.size(), m = family.parameters();
    const auto at_n = static_cast<std::size_t>(n), at_m = static_cast<std::size_t>(m);
    g.resize(n), H.resize(n, n);
    x_.resize(at_n), theta_.resize(at_m), by_x_.resize(at_n), by_theta_.resize(at_m);
    for (std::size_t l = 0; l < at_m; ++l) theta_[l] = J(Real(family.parameter(static_cast<int>(l))));
    for (Eigen::Index c = 0; c < n; c += C) {
      const Eigen::Index width = std::min<Eigen::Index>(C, n - c);
      for (Eigen::Index i = 0; i < n; ++i) x_[static_cast<std::size_t>(i)] = J(q[i]);
      for (Eigen::Index j = 0; j < width; ++j)
        x_[static_cast<std::size_t>(c + j)].d[static_cast<std::size_t>(j)] = Real(1);
      family.potential_gradient(Point<J>(x_), J(t), Point<J>(theta_), std::span<J>(by_x_), std::span<J>(by_theta_));
      for (Eigen::Index j = 0; j < width; ++j) {
        const auto d = static_cast<std::size_t>(j);
        // One number for H_ij and H_ji, as in potential_hessian.
        for (Eigen::Index i = 0; i <= c + j; ++i) H(i, c + j) = H(c + j, i) = by_x_[static_cast<std::size_t>(i)].d[d];
        for (Eigen::Index l = 0; l < m; ++l) g_theta(c + j, l) = by_theta_[static_cast<std::size_t>(l)].d[d];
      }
    }
    for (Eigen::Index i = 0; i < n; ++i) g[i] = by_x_[static_cast<std::size_t>(i)].v;
    for (Eigen::Index l = 0; l < m; ++l) V_theta[l] = by_theta_[static_cast<std::size_t>(l)].v;
  }

  std::vector<J> x_, theta_, by_x_, by_theta_;
};

}  // namespace ricochet::tangent
