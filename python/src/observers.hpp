// What a run tells Python while it goes on: samples, impacts, how far it is.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <chrono>
#include <string>
#include <utility>

#include "ricochet/scene/simulation.hpp"

namespace ricochet::python {

namespace py = pybind11;

inline py::array copy(std::span<const double> data) {
  return py::array_t<double>(static_cast<py::ssize_t>(data.size()), data.data());
}

/// Python functions as observers.
class Callbacks final : public scene::Sink {
 public:
  Callbacks(py::object on_sample, py::object on_impact)
      : on_sample_(std::move(on_sample)), on_impact_(std::move(on_impact)) {}
  bool any() const { return !on_sample_.is_none() || !on_impact_.is_none(); }

  void sample(const scene::Sample& s, scene::Series series) override {
    if (on_sample_.is_none() || series != scene::Series::trajectory) return;
    const py::gil_scoped_acquire gil;
    py::dict d;
    d["t"] = s.t, d["step"] = s.step, d["q"] = copy(s.q), d["p"] = copy(s.p), d["energy"] = s.energy;
    d["discrete_energy"] = s.discrete_energy, d["gaps"] = copy(s.gaps), d["momentum"] = copy(s.momentum);
    on_sample_(d);
  }
  void impact(const motion::ImpactView& s) override {
    if (on_impact_.is_none()) return;
    const py::gil_scoped_acquire gil;
    py::dict d;
    py::list gaps;
    for (const auto& gap : s.gaps) gaps.append(py::str(std::string(gap)));
    d["n"] = s.n, d["t"] = s.t, d["step"] = s.step, d["alpha"] = s.alpha, d["gaps"] = gaps;
    d["multipliers"] = copy(s.multipliers), d["energy_before"] = s.energy_before, d["energy_after"] = s.energy_after;
    d["q"] = copy(s.q), d["p_minus"] = copy(s.p_minus), d["p_plus"] = copy(s.p_plus);
    on_impact_(d);
  }

 private:
  py::object on_sample_, on_impact_;
};

class Both final : public scene::Sink {
 public:
  Both(scene::Sink& a, scene::Sink& b) : a_(a), b_(b) {}
  void sample(const scene::Sample& s, scene::Series series) override { a_.sample(s, series), b_.sample(s, series); }
  void impact(const motion::ImpactView& s) override { a_.impact(s), b_.impact(s); }
  void row(std::size_t dataset, std::span<const double> values) override { a_.row(dataset, values); }

 private:
  scene::Sink &a_, &b_;
};

/// Asks Python now and then whether Ctrl-C was pressed, and lets it show how far a run is. Called without the GIL.
class Pulse {
 public:
  Pulse(const scene::Simulation& simulation, py::object progress)
      : simulation_(simulation), progress_(std::move(progress)) {}
  /// The steps to come begin now.
  void wait() { since_ = std::chrono::steady_clock::now(); }
  /// In the middle of a step: most end soon, and are waited for.
  void within() {
    if (std::chrono::steady_clock::now() - since_ > std::chrono::milliseconds(500)) (*this)();
  }
  /// Throws what the signal handler raised.
  void operator()() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) return;
    last_ = now;
    const py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!progress_.is_none()) progress_(simulation_.t(), simulation_.steps(), simulation_.impacts());
  }

 private:
  const scene::Simulation& simulation_;
  py::object progress_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now(), since_ = last_;
};

/// Passes everything on; where events fall into one step by the thousand, Ctrl-C is heard between two of them.
class Pulsed final : public scene::Sink {
 public:
  Pulsed(scene::Sink& sink, Pulse& pulse) : sink_(sink), pulse_(pulse) {}
  void sample(const scene::Sample& s, scene::Series series) override { sink_.sample(s, series); }
  void impact(const motion::ImpactView& s) override { sink_.impact(s), pulse_.within(); }
  void event() override { pulse_.within(); }
  void row(std::size_t dataset, std::span<const double> values) override { sink_.row(dataset, values); }

 private:
  scene::Sink& sink_;
  Pulse& pulse_;
};

}  // namespace ricochet::python
