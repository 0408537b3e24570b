// Exact derivatives of generic functors, any dimension: forward jets in chunks of a fixed width.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <vector>

#include "ricochet/numerics/jet.hpp"

namespace ricochet::numerics {

/// Scratch for n scalars: on the stack for a fixed dimension, otherwise one buffer per thread that only ever grows.
/// (A buffer is in use only while a user's functor runs, and functors do not call back into derivatives of the same
/// type.)
template <class T, int N>
struct Scratch {
  explicit Scratch(int) {}
  std::array<T, static_cast<std::size_t>(N)> data;
  std::span<T> span() { return data; }
};
template <class T>
struct Scratch<T, Eigen::Dynamic> {
  explicit Scratch(int n) : n_(static_cast<std::size_t>(n)) {
    if (buffer().size() < n_) buffer().resize(n_);
  }
  std::span<T> span() { return {buffer().data(), n_}; }

 private:
  static std::vector<T>& buffer() {
    thread_local std::vector<T> b;
    return b;
  }
  std::size_t n_;
};

/// Width of a chunk of variables differentiated in one sweep.
template <int N, int Widest>
inline constexpr int chunk_width = (N > 0 && N < Widest) ? N : Widest;

/// f(x). Of a fixed dimension, with all it calls inlined: jets then stay in registers, however much else the unit
/// holds. (Functions of scenes are interpreters; inlining those only takes time to compile.)
template <int N, class F, class T>
[[gnu::flatten]] auto value_of(const F& f, std::span<T> x)
  requires(N > 0)
{
  return f(Point<T>(x));
}
template <int N, class F, class T>
auto value_of(const F& f, std::span<T> x) {
  return f(Point<T>(x));
}

/// f(x) and ∇f(x). N is the dimension if known at compile time.
template <int N, class Real, class F>
Real gradient(const F& f, Point<Real> x, std::span<Real> g) {
  constexpr int C = chunk_width<N, 8>;
  using J = Jet<Real, C>;
  const int n = N > 0 ? N : static_cast<int>(x.size());
  Scratch<J, N> scratch(n);
  const std::span<J> X = scratch.span();
  for (int i = 0; i < n; ++i) X[static_cast<std::size_t>(i)] = J(x[static_cast<std::size_t>(i)]);
  Real value{};
  for (int c = 0; c < n; c += C) {
    const int width = std::min(C, n - c);
    for (int i = 0; i < width; ++i) X[static_cast<std::size_t>(c + i)].d[static_cast<std::size_t>(i)] = Real(1);
    const J y = value_of<N>(f, X);
    value = y.v;
    for (int i = 0; i < width; ++i) {
      g[static_cast<std::size_t>(c + i)] = y.d[static_cast<std::size_t>(i)];
      X[static_cast<std::size_t>(c + i)].d[static_cast<std::size_t>(i)] = Real(0);
    }
  }
  if constexpr (N <= 0)
    if (n == 0) value = f(Point<J>(X)).v;
  return value;
}

/// f(x), ∇f(x) and the Hessian, by nested jets.
template <int N, class Real, class F, class H>
Real hessian(const F& f, Point<Real> x, std::span<Real> g, H&& hess) {
  constexpr int C = chunk_width<N, 4>;
  using Inner = Jet<Real, C>;
  using J = Jet<Inner, C>;
  const int n = N > 0 ? N : static_cast<int>(x.size());
  Scratch<J, N> scratch(n);
  const std::span<J> X = scratch.span();
  Real value{};
  for (int a = 0; a < n; a += C)
    for (int b = a; b < n; b += C) {
      for (int i = 0; i < n; ++i) X[static_cast<std::size_t>(i)] = J(Inner(x[static_cast<std::size_t>(i)]));
      for (int i = a; i < std::min(a + C, n); ++i)
        X[static_cast<std::size_t>(i)].d[static_cast<std::size_t>(i - a)] = Inner(Real(1));
      for (int i = b; i < std::min(b + C, n); ++i)
        X[static_cast<std::size_t>(i)].v.d[static_cast<std::size_t>(i - b)] = Real(1);
      const J y = value_of<N>(f, X);
      value = y.v.v;
      for (int i = a; i < std::min(a + C, n); ++i) {
        const Inner& row = y.d[static_cast<std::size_t>(i - a)];
        g[static_cast<std::size_t>(i)] = row.v;
        for (int j = b; j < std::min(b + C, n); ++j) hess(i, j) = hess(j, i) = row.d[static_cast<std::size_t>(j - b)];
      }
    }
  return value;
}

}  // namespace ricochet::numerics
