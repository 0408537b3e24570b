// Functions of numbers, written in Python, with the derivatives their author gives.
#pragma once

#include <pybind11/numpy.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ricochet/scene/given.hpp"

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

/// A function of Python's as a scene takes it. Calls take the interpreter themselves.
class Numeric final : public scene::NumericFunction {
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

  using scene::NumericFunction::value;
  int variables() const override { return shape_.n * (shape_.moves ? 2 : 1) + (shape_.timed ? 1 : 0); }
  bool has_hessian() const override { return !hessian_.empty(); }
  std::optional<double> curvature() const override { return curvature_; }
  std::string not_finite() const override { return not_finite_; }

  void value(const double* x, double* out) const override { recall(0, x, shape_.outputs, out, value_, ""); }
  /// Row by row for a force. Central differences for a force without one: only Newton's iterations see them.
  void gradient(const double* x, double* out) const override {
    if (!gradient_.empty())
      recall(1, x, shape_.outputs * variables(), out, gradient_, "the gradient of ");
    else
      differences(x, shape_.outputs, out, [&](const double* at, double* f) { value(at, f); });
  }
  /// Symmetric. Without one: central differences of the gradient, good to some ten digits.
  void hessian(const double* x, double* out) const override {
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
    Memory& last = memory_[order];
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
      if (!std::isfinite(out[i]) && not_finite_.empty())
        not_finite_ = what + name_ + " returned " + py::repr(answer).cast<std::string>() +
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
  mutable std::array<Memory, 3> memory_;
  mutable std::string not_finite_;
};

/// (kind, index, name, moves, timed, value, gradient, hessian, curvature, n): `ricochet._numeric.Placed`.
inline scene::Given given_of(const py::tuple& placed) {
  const auto kind = placed[0].cast<std::string>(), name = placed[2].cast<std::string>();
  Numeric::Shape shape;
  shape.n = placed[9].cast<int>();
  shape.moves = placed[3].cast<bool>();
  shape.timed = placed[4].cast<bool>();
  shape.outputs = kind == "force" ? shape.n : 1;
  const auto curvature = placed[8].is_none() ? std::nullopt : std::optional(placed[8].cast<double>());
  return {name, shape.timed, std::make_shared<const Numeric>(name, shape, placed[5], placed[6], placed[7], curvature)};
}

}  // namespace ricochet::python
