// Functions of numbers, written in Python, with the derivatives their author gives: in every scalar a run asks for.
#pragma once

#include <pybind11/numpy.h>

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ricochet/error.hpp"
#include "ricochet/numerics/ball.hpp"
#include "ricochet/numerics/jet.hpp"
#include "ricochet/numerics/taylor.hpp"

namespace ricochet::python {

namespace py = pybind11;

/// A Python object that may be let go by a thread that does not hold the interpreter.
class Held {
 public:
  explicit Held(py::object object)
      : object_(new py::object(std::move(object)), [](py::object* o) {
          const py::gil_scoped_acquire gil;
          delete o;
        }) {}
  const py::object& operator*() const { return *object_; }
  bool empty() const { return object_->is_none(); }

 private:
  std::shared_ptr<py::object> object_;
};

/// f(x) in m variables: the coordinates, for a force the velocities too, and the time last if it takes one. Calls take
/// the interpreter themselves. Copies share the functions.
class Numeric {
 public:
  /// How the functions are called: f(q), f(q, t), f(q, v) or f(q, v, t).
  struct Shape {
    int n = 0;           ///< coordinates
    bool moves = false;  ///< velocities are variables
    bool timed = false;
    int outputs = 1;  ///< 1, or n for a force
  };

  Numeric(std::string name, Shape shape, py::object value, py::object gradient, py::object hessian,
          std::optional<double> curvature)
      : name_(std::move(name)),
        shape_(shape),
        value_(std::move(value)),
        gradient_(std::move(gradient)),
        hessian_(std::move(hessian)),
        curvature_(curvature) {}

  const Shape& shape() const { return shape_; }
  int variables() const { return shape_.n * (shape_.moves ? 2 : 1) + (shape_.timed ? 1 : 0); }
  bool has_hessian() const { return !hessian_.empty(); }
  std::optional<double> curvature() const { return curvature_; }
  /// What was returned that was no finite number, as a sentence; empty if nothing was.
  const std::string& not_finite() const { return *not_finite_; }

  void value(const double* x, double* out) const { recall(0, x, shape_.outputs, out, value_, ""); }
  double value(const double* x) const {
    double y = 0;
    value(x, &y);
    return y;
  }
  /// Row by row for a force. Central differences for a force without one: only Newton's iterations see them.
  void gradient(const double* x, double* out) const {
    if (!gradient_.empty())
      recall(1, x, shape_.outputs * variables(), out, gradient_, "the gradient of ");
    else
      differences(x, shape_.outputs, out, [&](const double* at, double* f) { value(at, f); });
  }
  /// Symmetric. Without one: central differences of the gradient, good to some ten digits.
  void hessian(const double* x, double* out) const {
    const int m = variables();
    if (!hessian_.empty()) {
      recall(2, x, m * m, out, hessian_, "the hessian of ");
      return;
    }
    differences(x, m, out, [&](const double* at, double* g) { gradient(at, g); });
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < i; ++j) out[i * m + j] = out[j * m + i] = (out[i * m + j] + out[j * m + i]) / 2;
  }

 private:
  /// The last answers: derivatives are asked for in chunks of variables, all at one point.
  struct Memory {
    std::vector<double> x, y;
  };
  void recall(std::size_t order, const double* x, int count, double* out, const Held& function,
              const char* what) const {
    Memory& last = (*memory_)[order];
    const auto m = static_cast<std::size_t>(variables());
    if (last.x.size() != m || !std::equal(last.x.begin(), last.x.end(), x)) {
      last.x.clear();
      last.y.resize(static_cast<std::size_t>(count));
      call(function, what, x, count, last.y.data());
      last.x.assign(x, x + m);
    }
    std::copy(last.y.begin(), last.y.end(), out);
  }

  void call(const Held& function, const char* what, const double* x, int count, double* out) const {
    const py::gil_scoped_acquire gil;
    const auto n = static_cast<py::ssize_t>(shape_.n);
    const py::array_t<double> q(n, x);
    py::object answer;
    if (shape_.moves) {
      const py::array_t<double> v(n, x + n);
      answer = shape_.timed ? (*function)(q, v, x[2 * n]) : (*function)(q, v);
    } else {
      answer = shape_.timed ? (*function)(q, x[n]) : (*function)(q);
    }
    py::array_t<double, py::array::c_style | py::array::forcecast> numbers;
    try {
      numbers = py::array_t<double, py::array::c_style | py::array::forcecast>(answer);
    } catch (const py::error_already_set&) {
      throw py::type_error(what + name_ +
                           " returned something else than numbers: " + py::repr(answer).cast<std::string>());
    }
    if (numbers.size() != count)
      throw py::value_error(what + name_ + " must return " + std::to_string(count) + " number" +
                            (count == 1 ? "" : "s") +
                            (shape_.timed && count > 1 ? " (the time is the last variable)" : "") + ", not " +
                            std::to_string(numbers.size()));
    std::copy_n(numbers.data(), count, out);
    for (int i = 0; i < count; ++i)
      if (!std::isfinite(out[i]) && not_finite_->empty())
        *not_finite_ = what + name_ + " returned " + py::repr(answer).cast<std::string>() +
                       " at q = " + py::repr(q.attr("tolist")()).cast<std::string>();
  }

  /// out(i, k) = ∂f_i/∂x_k.
  template <class F>
  void differences(const double* x, int rows, double* out, const F& f) const {
    const int m = variables();
    std::vector<double> at(x, x + m), up(static_cast<std::size_t>(rows)), down(up.size());
    for (int k = 0; k < m; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const double h = 6e-6 * (1 + std::abs(x[k]));  // ε^(1/3): truncation and rounding alike
      at[i] = x[k] + h;
      const double right = at[i];
      f(at.data(), up.data());
      at[i] = x[k] - h;
      const double width = right - at[i];
      f(at.data(), down.data());
      at[i] = x[k];
      for (int r = 0; r < rows; ++r)
        out[r * m + k] = (up[static_cast<std::size_t>(r)] - down[static_cast<std::size_t>(r)]) / width;
    }
  }

  std::string name_;
  Shape shape_;
  Held value_, gradient_, hessian_;
  std::optional<double> curvature_;
  std::shared_ptr<std::array<Memory, 3>> memory_ = std::make_shared<std::array<Memory, 3>>();
  std::shared_ptr<std::string> not_finite_ = std::make_shared<std::string>();
};

// ---- one function of one value in the scalars of a run
// ---------------------------------------------------------------

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
