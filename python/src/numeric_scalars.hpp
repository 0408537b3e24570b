// A function of Python's numbers in every scalar that a run asks for: jets, Taylor polynomials, balls.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <vector>

#include "numeric.hpp"
#include "ricochet/error.hpp"
#include "ricochet/numerics/ball.hpp"
#include "ricochet/numerics/jet.hpp"
#include "ricochet/numerics/taylor.hpp"

namespace ricochet::python {
namespace numeric {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline Vector gradient(const Numeric& f, const Vector& x) {
  Vector g(x.size());
  f.gradient(x.data(), g.data());
  return g;
}
inline Matrix hessian(const Numeric& f, const Vector& x) {
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

/// Over a box of half-widths r around x: |∂²f| in the 2-norm, and by how much it differs from the Hessian at x. The
/// author's bound where there is one. Otherwise measured at x and two opposite corners, and doubled: no proof, but a
/// function that bends more than that within a step is not resolved by the step.
struct Bend {
  double size = 0, change = 0;
  Matrix H;
};
inline Bend bend(const Numeric& f, const Vector& x, const Vector& r) {
  Bend b;
  if (f.curvature()) {
    b.size = b.change = *f.curvature();
    b.H = Matrix::Zero(x.size(), x.size());
    return b;
  }
  b.H = hessian(f, x);
  b.size = b.H.norm();
  if (r.isZero(0)) return b;
  for (const double side : {1.0, -1.0}) {
    const Matrix H = hessian(f, x + side * r);
    b.size = std::max(b.size, H.norm());
    b.change = std::max(b.change, (H - b.H).norm());
  }
  b.size *= 2;
  b.change *= 2;
  return b;
}

template <class T>
struct In {
  static T value(const Numeric&, Point<T>) { refuse(); }
  [[noreturn]] static void refuse() {
    throw Error(ErrorKind::invalid_model,
                "this needs higher derivatives than a numeric function has; write it as an expression");
  }
};

template <>
struct In<double> {
  static double value(const Numeric& f, Point<double> x) { return f.value(x.data()); }
};

template <int N>
struct In<numerics::Jet<double, N>> {
  using T = numerics::Jet<double, N>;
  static T value(const Numeric& f, Point<T> x) {
    const Vector at = values(x), g = gradient(f, at);
    T y(f.value(at.data()));
    for (std::size_t k = 0; k < x.size(); ++k)
      for (std::size_t i = 0; i < y.d.size(); ++i) y.d[i] += g[static_cast<Eigen::Index>(k)] * x[k].d[i];
    return y;
  }
  /// ∂f/∂x_k for the first g.size() variables.
  static T gradient_of(const Numeric& f, Point<T> x, std::span<T> g) {
    const Vector at = values(x), slope = gradient(f, at);
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
  static T value(const Numeric& f, Point<T> x) {
    std::vector<Inner> at(x.size()), g(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) at[k] = x[k].v;
    T y(In<Inner>::gradient_of(f, Point<Inner>(at), g));
    for (std::size_t k = 0; k < x.size(); ++k)
      for (std::size_t i = 0; i < y.d.size(); ++i) y.d[i] += g[k] * x[k].d[i];
    return y;
  }
};

template <>
struct In<numerics::Taylor<double, 2>> {
  using T = numerics::Taylor<double, 2>;
  static T value(const Numeric& f, Point<T> x) {
    const auto m = static_cast<Eigen::Index>(x.size());
    Vector c[3] = {Vector(m), Vector(m), Vector(m)};
    for (std::size_t k = 0; k < x.size(); ++k)
      for (int j = 0; j < 3; ++j) c[j][static_cast<Eigen::Index>(k)] = x[k][j];
    const Vector g = gradient(f, c[0]);
    T y(f.value(c[0].data()));
    y[1] = g.dot(c[1]);
    y[2] = g.dot(c[2]) + c[1].dot(hessian(f, c[0]) * c[1]) / 2;
    return y;
  }
};

/// Taylor's theorem with the bound of `bend` for the remainder.
inline numerics::Ball<double> enclose(const Numeric& f, const Vector& x, const Vector& r, const Vector& g,
                                      const Bend& b) {
  const double mid = f.value(x.data());
  const double terms = std::abs(mid) + g.cwiseAbs().dot(x.cwiseAbs());
  return {mid, g.cwiseAbs().dot(r) + b.size * r.squaredNorm() / 2 + 4 * std::numeric_limits<double>::epsilon() * terms};
}

template <>
struct In<numerics::Ball<double>> {
  using T = numerics::Ball<double>;
  static T value(const Numeric& f, Point<T> x) {
    const Vector at = values(x);
    Vector r(at.size());
    for (std::size_t k = 0; k < x.size(); ++k) r[static_cast<Eigen::Index>(k)] = x[k].rad;
    return enclose(f, at, r, gradient(f, at), bend(f, at, r));
  }
};

template <>
struct In<numerics::Taylor<numerics::Ball<double>, 2>> {
  using Ball = numerics::Ball<double>;
  using T = numerics::Taylor<Ball, 2>;
  static T value(const Numeric& f, Point<T> x) {
    const auto m = static_cast<Eigen::Index>(x.size());
    Vector at(m), r(m), speed(m), spread(m);
    for (std::size_t k = 0; k < x.size(); ++k) {
      const auto i = static_cast<Eigen::Index>(k);
      at[i] = x[k][0].mid, r[i] = x[k][0].rad;
      speed[i] = x[k][1].mid, spread[i] = x[k][1].rad;
    }
    const Vector g = gradient(f, at);
    const Bend b = bend(f, at, r);
    const double slack = b.size * r.norm(), fastest = (speed.cwiseAbs() + spread).norm();
    // ẋᵀHẋ: H(at) over the speeds, which are `spread` wide, and what H changes by over the box.
    const double along = speed.dot(b.H * speed);
    const double wide =
        2 * (b.H * speed).cwiseAbs().dot(spread) + b.H.norm() * spread.squaredNorm() + b.change * fastest * fastest;
    T y;
    y[0] = enclose(f, at, r, g, b);
    y[2] = Ball(along / 2, wide / 2);
    for (std::size_t k = 0; k < x.size(); ++k) {
      const Ball slope(g[static_cast<Eigen::Index>(k)], slack);
      y[1] += slope * x[k][1];
      y[2] += slope * x[k][2];
    }
    return y;
  }
};

}  // namespace numeric
}  // namespace ricochet::python
