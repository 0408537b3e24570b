// Derivatives within derivatives: jets two wide. Nested deep, wider ones cost the compiler more than they save the run.
#pragma once

#include <vector>

#include "ricochet/numerics/derivative.hpp"

namespace ricochet::tangent {

/// f(x) and ∇f(x) for a scalar T that may itself be a jet.
template <class T, class F>
T gradient(const F& f, Point<T> x, std::span<T> g) {
  constexpr std::size_t C = 2;
  using J = numerics::Jet<T, C>;
  std::vector<J> X(x.begin(), x.end());
  T value{};
  for (std::size_t c = 0; c < x.size(); c += C) {
    for (std::size_t i = c; i < std::min(c + C, x.size()); ++i) X[i].d[i - c] = T(1);
    const J y = f(Point<J>(X));
    value = y.v;
    for (std::size_t i = c; i < std::min(c + C, x.size()); ++i) {
      g[i] = y.d[i - c];
      X[i].d[i - c] = T(0);
    }
  }
  return value;
}

/// The same with the second derivatives, told to set(i, j, y) and set(j, i, y). N is the dimension where it is known at
/// compile time and nothing else varies: up to three variables then go in one sweep.
template <int N = Eigen::Dynamic, class T, class F, class Set>
T second_derivatives(const F& f, Point<T> x, std::span<T> g, Set&& set) {
  constexpr std::size_t C = N == 3 ? 3 : 2;
  using Inner = numerics::Jet<T, C>;
  using J = numerics::Jet<Inner, C>;
  const std::size_t n = x.size();
  numerics::Scratch<J, Eigen::Dynamic> scratch(static_cast<int>(n));
  const std::span<J> X = scratch.span();
  T value{};
  for (std::size_t a = 0; a < n; a += C)
    for (std::size_t b = a; b < n; b += C) {
      for (std::size_t i = 0; i < n; ++i) X[i] = J(Inner(x[i]));
      for (std::size_t i = a; i < std::min(a + C, n); ++i) X[i].d[i - a] = Inner(T(1));
      for (std::size_t i = b; i < std::min(b + C, n); ++i) X[i].v.d[i - b] = T(1);
      const J y = numerics::value_of<N>(f, X);
      value = y.v.v;
      for (std::size_t i = a; i < std::min(a + C, n); ++i) {
        g[i] = y.d[i - a].v;
        for (std::size_t j = b; j < std::min(b + C, n); ++j) {
          set(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j), y.d[i - a].d[j - b]);
          set(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(i), y.d[i - a].d[j - b]);
        }
      }
    }
  return value;
}

}  // namespace ricochet::tangent
