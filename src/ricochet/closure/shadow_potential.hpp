// V, its gradient and Hessian-vector products at a point: all that shadow closures ask of a potential.
#pragma once

#include <span>

#include "ricochet/mechanics/mechanics.hpp"

namespace ricochet::closure {

/// V(q), ∇V into g and H·x_j into product[j] for D directions x_j, in one sweep of jets.
template <int D, class Mechanics, class Vec = typename Mechanics::Vec>
typename Mechanics::Real hessian_vectors(const Mechanics& mechanics, const Vec& q, typename Mechanics::Real t, Vec& g,
                                         const std::array<const Vec*, D>& x, const std::array<Vec*, D>& product) {
  using Real = typename Mechanics::Real;
  using Inner = numerics::Jet<Real, D>;
  constexpr int N = Mechanics::N;
  const auto& system = mechanics.system();
  const int n = mechanics.dimension();
  g.resize(n);
  for (Vec* y : product) y->resize(n);
  auto along = [&](int i) {
    Inner at(q[i]);
    for (std::size_t j = 0; j < D; ++j) at.d[j] = (*x[j])[i];
    return at;
  };
  auto store = [&](int i, const Inner& slope) {
    g[i] = slope.v;
    for (std::size_t j = 0; j < D; ++j) (*product[j])[i] = slope.d[j];
  };

  if constexpr (requires(Point<Inner> p, std::span<Inner> out) {
                  { system.potential_gradient(p, Inner(t), out) } -> std::convertible_to<Inner>;
                }) {
    // A system with its own gradient (a reverse sweep), generic in the scalar.
    numerics::Scratch<std::array<Inner, 2>, N> scratch(n);
    const auto buffer = scratch.span();
    Inner* first = buffer.front().data();
    for (int i = 0; i < n; ++i) first[i] = along(i);
    const std::span<Inner> out(first + n, static_cast<std::size_t>(n));
    const Inner value = system.potential_gradient(Point<Inner>(first, static_cast<std::size_t>(n)), Inner(t), out);
    for (int i = 0; i < n; ++i) store(i, out[static_cast<std::size_t>(i)]);
    return value.v;
  } else {
    constexpr int C = numerics::chunk_width<N, 4>;
    using J = numerics::Jet<Inner, C>;
    numerics::Scratch<J, N> scratch(n);
    const std::span<J> X = scratch.span();
    for (int i = 0; i < n; ++i) X[static_cast<std::size_t>(i)] = J(along(i));
    Real value{};
    for (int c = 0; c < n; c += C) {
      const int width = std::min(C, n - c);
      for (int i = 0; i < width; ++i)
        X[static_cast<std::size_t>(c + i)].d[static_cast<std::size_t>(i)] = Inner(Real(1));
      const J y = numerics::value_of<N>([&](Point<J> at) { return mechanics::potential(system, at, J(Inner(t))); }, X);
      value = y.v.v;
      for (int i = 0; i < width; ++i) {
        store(c + i, y.d[static_cast<std::size_t>(i)]);
        X[static_cast<std::size_t>(c + i)].d[static_cast<std::size_t>(i)] = Inner(Real(0));
      }
    }
    return value;
  }
}

/// H(q)·x, with V and ∇V beside it.
template <class Mechanics, class Vec = typename Mechanics::Vec>
typename Mechanics::Real hessian_vector(const Mechanics& mechanics, const Vec& q, typename Mechanics::Real t, Vec& g,
                                        const Vec& x, Vec& product) {
  return hessian_vectors<1>(mechanics, q, t, g, std::array<const Vec*, 1>{&x}, std::array<Vec*, 1>{&product});
}

/// The Hessian at one point, to be applied many times: a matrix while that is small, a sweep of jets otherwise.
template <class Mechanics>
class HessianAt {
 public:
  using Real = typename Mechanics::Real;
  using Vec = typename Mechanics::Vec;
  using Mat = typename Mechanics::Mat;
  static constexpr int widest_matrix = 8;

  /// Fixes the point; returns V there, with ∇V in g.
  Real at(const Mechanics& mechanics, const Vec& q, Real t, Vec& g) {
    mechanics_ = &mechanics;
    q_ = q;
    t_ = t;
    const int n = mechanics.dimension();
    if (!dense()) return mechanics.potential_gradient(q, t, g);
    H_.resize(n, n);
    MH_.resize(n, n);
    g.resize(n);
    const Real V = matrix(mechanics.system(), g);
    for (int k = 0; k < n; ++k) {
      x_ = H_.col(k);
      mechanics.velocity(q_, x_, t_, y_);
      MH_.col(k) = y_;
    }
    return V;
  }
  /// y = H x.
  void apply(const Vec& x, Vec& y) {
    if (dense())
      y.noalias() = H_ * x;
    else
      hessian_vector(*mechanics_, q_, t_, y_, x, y);
  }
  /// y = M⁻¹H x.
  void apply_over_mass(const Vec& x, Vec& y) {
    if (dense()) {
      y.noalias() = MH_ * x;
    } else {
      hessian_vector(*mechanics_, q_, t_, y_, x, x_);
      mechanics_->velocity(q_, x_, t_, y);
    }
  }

 private:
  bool dense() const {
    if constexpr (Mechanics::N > 0)
      return Mechanics::N <= widest_matrix;
    else
      return mechanics_->dimension() <= widest_matrix;
  }
  template <class System>
  Real matrix(const System& system, Vec& g) {
    if constexpr (requires { system.potential_hessian(Mechanics::point(q_), t_, Mechanics::span(g), H_); })
      return system.potential_hessian(Mechanics::point(q_), t_, Mechanics::span(g), H_);
    else
      return numerics::hessian<Mechanics::N, Real>(
          [&]<class T>(Point<T> x) { return mechanics::potential(system, x, T(t_)); }, Mechanics::point(q_),
          Mechanics::span(g), H_);
  }

  const Mechanics* mechanics_ = nullptr;
  Real t_{};
  Vec q_, x_, y_;
  Mat H_, MH_;
};

}  // namespace ricochet::closure
