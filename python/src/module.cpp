// The compiled half of the Python module: scenes, runs, and what they leave. Everything friendly is in Python.
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "ricochet/error.hpp"
#include "ricochet/record/reader.hpp"
#include "ricochet/record/record_error.hpp"
#include "ricochet/report/report.hpp"
#include "run.hpp"

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
  const auto& described = run.model().datasets;
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
  const auto description = run.describe();
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
  d["gaps"] = gaps, d["symmetries"] = symmetries, d["closure"] = run.closure();
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
                    const py::object&>(),
           py::arg("text"), py::arg("name"), py::arg("overrides"), py::arg("law"), py::arg("tree") = py::none())
      .def("run", &Run::run, py::arg("on_sample"), py::arg("on_impact"), py::arg("progress"))
      .def("record", &Run::record, py::arg("dir"), py::arg("overwrite"), py::arg("on_sample"), py::arg("on_impact"),
           py::arg("progress"))
      .def("save", &Run::save, py::arg("dir"), py::arg("overwrite"))
      .def("require_room", &Run::require_room, py::arg("dir"), py::arg("overwrite"))
      .def("advance", &Run::advance, py::arg("steps"))
      .def("describe", [](const Run& run) { return describe(run); })
      .def_property_readonly("t", [](const Run& run) { return run.state([](const Run::View& at) { return at.t; }); })
      .def_property_readonly("steps",
                             [](const Run& run) { return run.state([](const Run::View& at) { return at.steps; }); })
      .def_property_readonly("impacts",
                             [](const Run& run) { return run.state([](const Run::View& at) { return at.impacts; }); })
      .def_property_readonly("q",
                             [](const Run& run) { return run.state([](const Run::View& at) { return copy(at.q); }); })
      .def_property_readonly("p",
                             [](const Run& run) { return run.state([](const Run::View& at) { return copy(at.p); }); })
      .def_property_readonly("velocity", [](const Run& run) { return copy(run.velocity()); })
      .def_property_readonly("done",
                             [](const Run& run) { return run.state([](const Run::View& at) { return at.done; }); })
      .def_property_readonly("closure", [](const Run& run) { return run.closure(); })
      .def_property_readonly("end", [](const Run& run) { return run.model().end; })
      .def_property_readonly("title", [](const Run& run) { return run.model().scene.title; })
      .def_property_readonly("scene", [](const Run& run) { return run.model().scene.text; })
      .def_property_readonly("coordinates", [](const Run& run) { return run.model().scene.system.coordinates; })
      .def_property_readonly("gaps", [](const Run& run) { return names(run.model().scene.gaps); })
      .def_property_readonly("symmetries", [](const Run& run) { return names(run.model().scene.symmetries); })
      .def_property_readonly("sampled",
                             [](const Run& run) {
                               std::vector<std::string> tables;
                               if (run.model().stroboscope) tables.emplace_back("stroboscope");
                               if (run.model().section) tables.emplace_back("section");
                               return tables;
                             })
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
  module.def("doubt", [](const std::string& dir) { return ricochet::record::Reader(dir).doubt(); });
  module.def("write_report", [](const std::string& dir) { return ricochet::report::write_report(dir).string(); });
}
