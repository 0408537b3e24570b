// A given function in every scalar that a run asks for: jets, Taylor polynomials, balls.
#pragma once

#include <Eigen/Core>
#include <concepts>
#include <span>
#include <type_traits>
#include <vector>

#include "ricochet/numerics/ball.hpp"
#include "ricochet/numerics/jet.hpp"
#include "ricochet/numerics/scalar.hpp"
#include "ricochet/numerics/taylor.hpp"
#include "ricochet/scene/given.hpp"

namespace ricochet::scene {
namespace given {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline Vector gradient(const NumericFunction& f, const Vector& x) {
  Vector g(x.size());
  f.gradient(x.data(), g.data());
  return g;
}
inline Matrix hessian(const NumericFunction& f, const Vector& x) {
  Matrix H(x.size(), x.size());
  f.hessian(x.data(), H.data());
  return H;
}
template <class T>
Vector values(Point<T> x) {
  Vector at(static_cast<Eigen::Index>(x.size()));
  for (std::size_t k = 0; k < x.size(); ++k) at[static_cast<Eigen::Index>(k)] = numerics::value_of(x[k]);
  return at;
}

[[noreturn]] void refuse_scalar();

/// f(x), and where it is asked for ∂f/∂x_k for the first g.size() variables.
template <class T>
struct In {
  static T value(const NumericFunction&, Point<T>) { refuse_scalar(); }
  static T gradient(const NumericFunction&, Point<T>, std::span<T>) { refuse_scalar(); }
};

template <>
struct In<double> {
  static double value(const NumericFunction& f, Point<double> x) { return f.value(x.data()); }
  static double gradient(const NumericFunction& f, Point<double> x, std::span<double> g);
};

template <int N>
struct In<numerics::Jet<double, N>> {
  using T = numerics::Jet<double, N>;
  static T value(const NumericFunction& f, Point<T> x) {
    const Vector at = values(x), g = given::gradient(f, at);
    T y(f.value(at.data()));
    for (std::size_t k = 0; k < x.size(); ++k)
      for (std::size_t i = 0; i < y.d.size(); ++i) y.d[i] += g[static_cast<Eigen::Index>(k)] * x[k].d[i];
    return y;
  }
  static T gradient(const NumericFunction& f, Point<T> x, std::span<T> g) {
    const Vector at = values(x), slope = given::gradient(f, at);
    const Matrix H = hessian(f, at);
    for (std::size_t k = 0; k < g.size(); ++k) {
      g[k] = T(slope[static_cast<Eigen::Index>(k)]);
      for (std::size_t l = 0; l < x.size(); ++l)
        for (std::size_t i = 0; i < g[k].d.size(); ++i)
          g[k].d[i] += H(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(l)) * x[l].d[i];
    }
    T y(f.value(at.data()));
    for (std::size_t k = 0; k < x.size(); ++k)
      for (std::size_t i = 0; i < y.d.size(); ++i) y.d[i] += slope[static_cast<Eigen::Index>(k)] * x[k].d[i];
    return y;
  }
};

template <int M, int N>
struct In<numerics::Jet<numerics::Jet<double, M>, N>> {
  using Inner = numerics::Jet<double, M>;
  using T = numerics::Jet<Inner, N>;
  static T value(const NumericFunction& f, Point<T> x) {
    std::vector<Inner> at(x.size()), g(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) at[k] = x[k].v;
    T y(In<Inner>::gradient(f, Point<Inner>(at), g));
    for (std::size_t k = 0; k < x.size(); ++k)
      for (std::size_t i = 0; i < y.d.size(); ++i) y.d[i] += g[k] * x[k].d[i];
    return y;
  }
  static T gradient(const NumericFunction&, Point<T>, std::span<T>) { refuse_scalar(); }
};

template <>
struct In<numerics::Taylor<double, 2>> {
  using T = numerics::Taylor<double, 2>;
  static T value(const NumericFunction& f, Point<T> x);
  static T gradient(const NumericFunction&, Point<T>, std::span<T>) { refuse_scalar(); }
};

// Enclosures: Taylor's theorem with the author's bound of |∂²f| for the remainder, or with a measured one, which is no
// proof and counted.

template <>
struct In<numerics::Ball<double>> {
  using T = numerics::Ball<double>;
  static T value(const NumericFunction& f, Point<T> x);
  static T gradient(const NumericFunction&, Point<T>, std::span<T>) { refuse_scalar(); }
};

template <>
struct In<numerics::Taylor<numerics::Ball<double>, 2>> {
  using T = numerics::Taylor<numerics::Ball<double>, 2>;
  static T value(const NumericFunction& f, Point<T> x);
  static T gradient(const NumericFunction&, Point<T>, std::span<T>) { refuse_scalar(); }
};

/// out += f(x) for a function of out.size() outputs: a force.
template <class T>
void add(const NumericFunction& f, Point<T> x, std::span<T> out) {
  const auto n = out.size();
  const Vector at = values(x);
  Vector value(static_cast<Eigen::Index>(n));
  f.value(at.data(), value.data());
  for (std::size_t i = 0; i < n; ++i) out[i] += T(value[static_cast<Eigen::Index>(i)]);
  if constexpr (requires {
                  { x[0].d[0] } -> std::same_as<const double&>;
                }) {
    Matrix J(static_cast<Eigen::Index>(n), at.size());
    f.gradient(at.data(), J.data());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < x.size(); ++k)
        for (std::size_t d = 0; d < x[k].d.size(); ++d)
          out[i].d[d] += J(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) * x[k].d[d];
  } else if constexpr (!std::is_same_v<T, double>) {
    refuse_scalar();
  }
}

}  // namespace given
}  // namespace ricochet::scene
