// The compiled half of the Python module: scenes, runs, and what they leave. Everything friendly is in Python.
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <limits>

#include "memory.hpp"
#include "numeric_system.hpp"
#include "ricochet/app/recorder.hpp"
#include "ricochet/app/summary.hpp"
#include "ricochet/error.hpp"
#include "ricochet/record/record_error.hpp"
#include "ricochet/record/xdmf.hpp"
#include "ricochet/report/report.hpp"

namespace py = pybind11;

namespace ricochet::python {
namespace {

/// A view of C++ memory that keeps `owner` alive; rows × columns, or rows alone. Nothing is copied, nothing is written.
template <class T>
py::array view(const std::vector<T>& data, std::size_t rows, std::optional<std::size_t> columns, py::handle owner) {
  std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(rows)};
  if (columns) shape.push_back(static_cast<py::ssize_t>(*columns));
  py::array array(py::dtype::of<T>(), shape, data.data(), owner);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

py::array copy(std::span<const double> data) {
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
  void impact(const scene::ImpactSample& s) override {
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
  void impact(const scene::ImpactSample& s) override { a_.impact(s), b_.impact(s); }
  void row(std::size_t dataset, std::span<const double> values) override { a_.row(dataset, values); }

 private:
  scene::Sink &a_, &b_;
};

/// Asks Python now and then whether Ctrl-C was pressed, and lets it show how far a run is. Called without the GIL.
class Pulse {
 public:
  Pulse(const scene::Simulation& simulation, py::object progress)
      : simulation_(simulation), progress_(std::move(progress)) {}
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
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// λ = law(W, v, e), judged like every law: by Ballard's (4.6), (4.7).
mechanics::UserLaw<double> law_of(py::object function) {
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
      if (!std::isfinite(lambda[i])) outcome.status = mechanics::LawStatus::not_finite;
    }
    for (int i = 0; i < A.size(); ++i) change += 0.5 * lambda[i] * (A.v[i] + mechanics::rate_after(A, lambda, i));
    outcome.dissipated = -change;
    outcome.restitution = 0;  // unknown: accumulations are not extrapolated for a law of the user's
    return outcome;
  };
}

/// Puts (kind, index, name, moves, timed, value, gradient, hessian, curvature) in the place of the scene's expression.
void place(NumericModel& model, const py::tuple& given) {
  const auto kind = given[0].cast<std::string>();
  Numeric::Shape shape;
  shape.n = model.n;
  shape.moves = given[3].cast<bool>();
  shape.timed = given[4].cast<bool>();
  shape.outputs = kind == "force" ? model.n : 1;
  Numeric f(given[2].cast<std::string>(), shape, given[5], given[6], given[7],
            given[8].is_none() ? std::nullopt : std::optional(given[8].cast<double>()));
  if (kind == "potential")
    model.potential_ = std::move(f);
  else if (kind == "lagrangian")
    model.lagrangian_ = std::move(f);
  else
    (kind == "gap"          ? model.gaps_
     : kind == "constraint" ? model.constraints_
                            : model.forces_)
        .emplace(given[1].cast<int>(), std::move(f));
}

class Run {
 public:
  Run(const std::string& text, const std::string& name, const std::vector<std::string>& overrides, py::object law,
      const py::list& numeric) {
    auto model = scene::compile(scene::parse_scene(text, name, overrides));
    if (!law.is_none()) {
      model->user_law = law_of(std::move(law));
      model->constant_restitution = false;
    }
    if (numeric.empty()) {
      simulation_ = scene::simulate(std::shared_ptr<const scene::Model>(std::move(model)));
    } else {
      numeric_ = std::make_shared<NumericModel>(*model);
      for (const auto& given : numeric) place(*numeric_, given.cast<py::tuple>());
      try {
        simulation_ = simulate_numeric(numeric_);
      } catch (const Error& error) {
        throw Error(error.kind(), sentence(error));
      }
    }
    memory_ = std::make_unique<Memory>(simulation_->model());
  }

  const scene::Simulation& simulation() const { return *simulation_; }
  const Memory& memory() const { return *memory_; }
  std::size_t n() const { return simulation_->model().scene.system.coordinates.size(); }
  std::size_t gaps() const { return simulation_->model().scene.gaps.size(); }
  std::size_t symmetries() const { return simulation_->model().scene.symmetries.size(); }

  /// The whole run into memory; returns the summary as JSON. A failed run keeps what it computed.
  std::string run(py::object on_sample, py::object on_impact, py::object progress) {
    if (begun_) throw py::value_error("this run has begun already: make a new one");
    begun_ = true;
    Callbacks callbacks(std::move(on_sample), std::move(on_impact));
    Both both(*memory_, callbacks);
    scene::Sink& sink = callbacks.any() ? static_cast<scene::Sink&>(both) : *memory_;
    Pulse pulse(*simulation_, std::move(progress));
    const auto start = std::chrono::steady_clock::now();
    {
      const py::gil_scoped_release release;
      try {
        simulation_->begin(sink);
        carry_on(std::numeric_limits<std::int64_t>::max(), sink, pulse);
        simulation_->conclude(sink);
      } catch (const Error& error) {
        result_.outcome = app::Outcome::failed;
        result_.error = sentence(error);
      }
    }
    result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result_.report = simulation_->report();
    return record::to_json(app::summary_of(*simulation_, result_));
  }

  /// The whole run into a directory, as the program does it; returns the outcome in one word.
  std::string record(const std::string& dir, bool overwrite, py::object progress) {
    if (begun_) throw py::value_error("this run has begun already: make a new one");
    begun_ = true;
    auto writer = record::Writer::create(dir, app::schema_of(simulation_->model()), {.overwrite = overwrite});
    Pulse pulse(*simulation_, std::move(progress));
    std::exception_ptr interruption;  // thrown when what was computed is on disk
    {
      const py::gil_scoped_release release;
      result_ = app::carry_out(
          *simulation_, writer, true, 0, [&] { return interruption != nullptr; },
          [&](const scene::Simulation&) {
            try {
              pulse();
            } catch (const py::error_already_set&) {
              interruption = std::current_exception();
            }
          });
    }
    if (interruption) std::rethrow_exception(interruption);
    if (!result_.missing.empty() && PyErr_WarnEx(PyExc_RuntimeWarning, result_.missing.c_str(), 1) != 0)
      throw py::error_already_set();
    return app::word(result_.outcome);
  }

  /// A run in memory as a directory.
  void save(const std::string& dir, bool overwrite) const {
    auto writer = record::Writer::create(dir, app::schema_of(simulation_->model()), {.overwrite = overwrite});
    const auto sink = app::sink_of(writer);
    memory_->replay(*sink, n(), symmetries());
    writer.finish(app::summary_of(*simulation_, result_), [&] { record::write_xdmf(writer.directory()); });
  }

  /// Step by step: `steps` of them, with the impacts that fell into them.
  py::list advance(std::int64_t steps) {
    struct List final : scene::Sink {
      py::list impacts;
      void impact(const scene::ImpactSample& s) override {
        const py::gil_scoped_acquire gil;
        py::list gaps;
        for (const auto& gap : s.gaps) gaps.append(py::str(std::string(gap)));
        py::dict d;
        d["n"] = s.n, d["t"] = s.t, d["gaps"] = gaps, d["multipliers"] = copy(s.multipliers), d["q"] = copy(s.q);
        d["p_minus"] = copy(s.p_minus), d["p_plus"] = copy(s.p_plus), d["alpha"] = s.alpha;
        impacts.append(d);
      }
    } list;
    Pulse pulse(*simulation_, py::none());
    {
      const py::gil_scoped_release release;
      if (!begun_) simulation_->begin(list);
      begun_ = true;
      carry_on(steps, list, pulse);
    }
    return list.impacts;
  }

 private:
  /// Up to `steps` of them, in batches of some milliseconds: Ctrl-C must not wait for many steps of a large model.
  void carry_on(std::int64_t steps, scene::Sink& sink, Pulse& pulse) {
    for (std::int64_t batch = 1; steps > 0 && !simulation_->done();) {
      const auto start = std::chrono::steady_clock::now();
      simulation_->advance(std::min(steps, batch), sink);
      steps -= std::min(steps, batch);
      const auto took = std::chrono::steady_clock::now() - start;
      if (took < std::chrono::milliseconds(2) && batch < 1 << 16)
        batch *= 2;
      else if (took > std::chrono::milliseconds(20) && batch > 1)
        batch /= 2;
      pulse();
    }
  }

  /// What went wrong, and which function of the user's returned no number before that.
  std::string sentence(const Error& error) const {
    const std::string why = numeric_ ? numeric_->not_finite() : std::string();
    return why.empty() ? error.what() : std::string(error.what()) + ": " + why;
  }

  std::shared_ptr<NumericModel> numeric_;
  std::unique_ptr<scene::Simulation> simulation_;
  std::unique_ptr<Memory> memory_;
  app::RunResult result_;
  bool begun_ = false;
};

py::dict frames(const Frames& f, const Run& run, py::handle owner) {
  const std::size_t rows = f.size();
  py::dict d;
  d["t"] = view(f.t, rows, {}, owner), d["step"] = view(f.step, rows, {}, owner);
  d["q"] = view(f.q, rows, run.n(), owner), d["p"] = view(f.p, rows, run.n(), owner);
  d["energy"] = view(f.energy, rows, {}, owner), d["discrete_energy"] = view(f.discrete_energy, rows, {}, owner);
  d["gaps"] = view(f.gaps, rows, run.gaps(), owner), d["momentum"] = view(f.momentum, rows, run.symmetries(), owner);
  return d;
}

py::dict impacts(const Run& run, py::handle owner) {
  const Impacts& i = run.memory().impacts;
  const std::size_t rows = i.size();
  py::dict d;
  d["n"] = view(i.n, rows, {}, owner), d["t"] = view(i.t, rows, {}, owner), d["step"] = view(i.step, rows, {}, owner);
  d["alpha"] = view(i.alpha, rows, {}, owner), d["gap"] = py::cast(i.gap);
  d["multipliers"] = view(i.multipliers, rows, run.gaps(), owner);
  d["energy_before"] = view(i.energy_before, rows, {}, owner);
  d["energy_after"] = view(i.energy_after, rows, {}, owner);
  d["q"] = view(i.q, rows, run.n(), owner), d["p_minus"] = view(i.p_minus, rows, run.n(), owner);
  d["p_plus"] = view(i.p_plus, rows, run.n(), owner);
  return d;
}

/// The columns of what the model records beside the trajectory, named as in the file: "fields/position".
py::dict datasets(const Run& run, py::handle owner) {
  py::dict d;
  const auto& described = run.simulation().model().datasets;
  for (std::size_t i = 0; i < described.size(); ++i) {
    const Memory::Rows& rows = run.memory().datasets[i];
    const auto row = static_cast<py::ssize_t>(rows.width * sizeof(double));
    std::size_t offset = 0;
    for (const auto& column : described[i].columns) {
      std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(rows.count)}, strides{row};
      if (!column.scalar) {
        shape.push_back(static_cast<py::ssize_t>(column.width));
        strides.push_back(static_cast<py::ssize_t>(sizeof(double)));
      }
      const auto kind = column.integer ? py::dtype::of<std::int64_t>() : py::dtype::of<double>();
      py::array array(kind, shape, strides, rows.values.data() + offset, owner);
      array.attr("setflags")(py::arg("write") = false);
      d[py::str(described[i].name + "/" + column.name)] = array;
      offset += column.width;
    }
  }
  return d;
}

py::dict describe(const Run& run) {
  const auto description = run.simulation().describe();
  py::dict d;
  py::list gaps, symmetries;
  for (const auto& g : description.gaps) {
    py::dict gap;
    gap["name"] = g.name, gap["value"] = g.value, gap["rate"] = g.rate, gap["closed"] = g.closed;
    gap["approaching"] = g.approaching, gap["moving"] = g.moving;
    gaps.append(gap);
  }
  for (const auto& s : description.symmetries) {
    py::dict symmetry;
    symmetry["name"] = s.name, symmetry["momentum"] = s.momentum, symmetry["holds"] = s.holds;
    symmetry["why_not"] = s.why_not;
    symmetries.append(symmetry);
  }
  d["energy"] = description.energy, d["kinetic"] = description.kinetic, d["explicit"] = description.explicit_rule;
  d["gaps"] = gaps, d["symmetries"] = symmetries, d["closure"] = run.simulation().closure();
  return d;
}

std::vector<std::string> names(const auto& items) {
  std::vector<std::string> all;
  for (const auto& item : items) all.push_back(item.name);
  return all;
}

/// `Error` as the exceptions of the Python half, so that a program can tell a bad scene from a run that failed.
void translate(std::exception_ptr pointer) {
  const auto raise = [](const char* type, const char* sentence) {
    PyErr_SetString(py::module_::import("ricochet._errors").attr(type).ptr(), sentence);
  };
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const Error& error) {
    raise(error.kind() == ErrorKind::bad_scene ? "SceneError" : "RunError", error.what());
  } catch (const record::RecordError& error) {
    raise("RecordError", error.what());
  } catch (const report::ReportError& error) {
    raise("RecordError", error.what());
  }
}

}  // namespace
}  // namespace ricochet::python

PYBIND11_MODULE(_core, module) {
  using namespace ricochet::python;
  module.doc() = "The compiled half of ricochet; use the package.";
  module.attr("__version__") = RICOCHET_VERSION;
  py::register_exception_translator(translate);
  py::class_<Run>(module, "Run")
      .def(py::init<const std::string&, const std::string&, const std::vector<std::string>&, py::object,
                    const py::list&>(),
           py::arg("text"), py::arg("name"), py::arg("overrides"), py::arg("law"), py::arg("numeric") = py::list())
      .def("run", &Run::run, py::arg("on_sample"), py::arg("on_impact"), py::arg("progress"))
      .def("record", &Run::record, py::arg("dir"), py::arg("overwrite"), py::arg("progress"))
      .def("save", &Run::save, py::arg("dir"), py::arg("overwrite"))
      .def("advance", &Run::advance, py::arg("steps"))
      .def("describe", [](const Run& run) { return describe(run); })
      .def_property_readonly("t", [](const Run& run) { return run.simulation().t(); })
      .def_property_readonly("steps", [](const Run& run) { return run.simulation().steps(); })
      .def_property_readonly("impacts", [](const Run& run) { return run.simulation().impacts(); })
      .def_property_readonly("q", [](const Run& run) { return copy(run.simulation().q()); })
      .def_property_readonly("p", [](const Run& run) { return copy(run.simulation().p()); })
      .def_property_readonly("done", [](const Run& run) { return run.simulation().done(); })
      .def_property_readonly("closure", [](const Run& run) { return run.simulation().closure(); })
      .def_property_readonly("end", [](const Run& run) { return run.simulation().model().end; })
      .def_property_readonly("title", [](const Run& run) { return run.simulation().model().scene.title; })
      .def_property_readonly("coordinates",
                             [](const Run& run) { return run.simulation().model().scene.system.coordinates; })
      .def_property_readonly("gaps", [](const Run& run) { return names(run.simulation().model().scene.gaps); })
      .def_property_readonly("symmetries",
                             [](const Run& run) { return names(run.simulation().model().scene.symmetries); })
      .def("trajectory",
           [](py::object self) {
             const Run& run = self.cast<const Run&>();
             return frames(run.memory().trajectory, run, self);
           })
      .def("stroboscope",
           [](py::object self) {
             const Run& run = self.cast<const Run&>();
             return frames(run.memory().stroboscope, run, self);
           })
      .def("section",
           [](py::object self) {
             const Run& run = self.cast<const Run&>();
             return frames(run.memory().section, run, self);
           })
      .def("datasets", [](py::object self) { return datasets(self.cast<const Run&>(), self); })
      .def("impact_columns", [](py::object self) { return impacts(self.cast<const Run&>(), self); })
      .def("address",
           [](const Run& run) { return reinterpret_cast<std::uintptr_t>(run.memory().trajectory.q.data()); });
  module.def("write_report", [](const std::string& dir) { return ricochet::report::write_report(dir).string(); });
}
