// A function of Python's as impact law.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cmath>
#include <string>
#include <utility>

#include "numeric.hpp"
#include "ricochet/error.hpp"
#include "ricochet/scene/kind.hpp"
#include "ricochet/scene/model.hpp"

namespace ricochet::python {

namespace py = pybind11;

/// λ = law(W, v, e), judged like every law: by Ballard's (4.6), (4.7).
inline mechanics::UserLaw<double> law_of(py::object function) {
  return [held = Held(std::move(function))](const mechanics::Contacts<double>& A, mechanics::Impulse<double> lambda) {
    const py::gil_scoped_acquire gil;
    const auto k = static_cast<py::ssize_t>(A.size());
    py::array_t<double> W({k, k}), v(k), e(k);
    for (py::ssize_t i = 0; i < k; ++i) {
      v.mutable_at(i) = A.v[i], e.mutable_at(i) = A.e[i];
      for (py::ssize_t j = 0; j < k; ++j) W.mutable_at(i, j) = A.W(i, j);
    }
    const py::object answer = (*held)(W, v, e);
    // None, also inside of a list, which numpy would take for a number that is not finite.
    bool none = answer.is_none();
    if (py::isinstance<py::list>(answer) || py::isinstance<py::tuple>(answer))
      for (const py::handle item : answer) none = none || item.is_none();
    if (none) throw py::type_error("the impact law must return numbers, one impulse per acting gap, not None");
    py::array_t<double, py::array::c_style | py::array::forcecast> impulse;
    try {
      impulse = py::array_t<double, py::array::c_style | py::array::forcecast>(answer);
    } catch (const py::error_already_set&) {
      throw py::type_error("the impact law must return numbers, one impulse per acting gap");
    }
    if (impulse.size() != k)
      throw py::value_error("the impact law returned " + std::to_string(impulse.size()) + " impulses for " +
                            std::to_string(k) + " acting gaps");
    mechanics::Outcome<double> outcome;
    double change = 0;  // ½λᵀ(φ̇⁺ + φ̇⁻)
    for (py::ssize_t i = 0; i < k; ++i) {
      lambda[i] = impulse.data()[i];
      if (!std::isfinite(lambda[i]))
        throw Error(ErrorKind::bad_law,
                    "the impact law returned " + std::string(py::str(py::float_(lambda[i]))) + ", which is no impulse");
    }
    for (int i = 0; i < A.size(); ++i) change += 0.5 * lambda[i] * (A.v[i] + mechanics::rate_after(A, lambda, i));
    outcome.dissipated = -change;
    outcome.restitution = 0;  // unknown: accumulations are not extrapolated for a law of the user's
    return outcome;
  };
}

/// Refuses an impact law where nothing would ask it: the run would be that of the scene's own law.
inline void require_place_for_law(const scene::Model& model) {
  const auto refuse = [](const std::string& why) { throw Error(ErrorKind::bad_scene, why); };
  if (const scene::Kind& kind = *model.scene.kind; !kind.has_functions())
    refuse("a scene of " + std::string(kind.name()) + " has contacts of its own and takes no impact law of Python");
  if (model.scene.gaps.empty()) refuse("a scene without gaps has no impacts and takes no impact law of Python");
  if (model.scene.integrator.principle == "weak")
    refuse("the weak principle has Newton's law and takes no impact law of Python; choose principle = \"strong\"");
  if (model.rough) refuse("an impact law of Python has no meaning with friction; leave out one of them");
}

}  // namespace ricochet::python
