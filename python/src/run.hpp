// A run as Python holds it: whole, recorded, or step by step.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "law.hpp"
#include "memory.hpp"
#include "observers.hpp"
#include "ricochet/app/derivatives.hpp"
#include "ricochet/app/recorder.hpp"
#include "ricochet/app/summary.hpp"
#include "ricochet/error.hpp"
#include "ricochet/record/directory.hpp"
#include "ricochet/record/record_error.hpp"
#include "ricochet/record/xdmf.hpp"
#include "ricochet/scene/derivatives.hpp"
#include "tree.hpp"

namespace ricochet::python {

class Run {
 public:
  /// Of a text; or of a tree, of which `text` is what records keep.
  Run(const std::string& text, const std::string& name, const std::vector<std::string>& overrides, py::object law,
      const py::object& tree) {
    auto model = scene::compile(tree.is_none() ? scene::parse_scene(text, name, overrides)
                                               : scene::read_scene(Tree(tree).take(), name, text, overrides));
    scene::read_derivatives_table(*model);  // what is wrong there is said before the run, not after it
    given_ = model->given;
    for (const scene::Given& given : given_) outside_ += (outside_.empty() ? "" : ", ") + given.name;
    if (!law.is_none()) {
      require_place_for_law(*model);
      model->user_law = law_of(std::move(law));
      model->constant_restitution = false;
      outside_ += outside_.empty() ? "the impact law" : ", the impact law";
    }
    // Who reads the scene of the record must know that it is not what was run.
    if (!outside_.empty()) model->record_attributes.emplace_back("given_in_python", outside_);
    try {
      simulation_ = scene::simulate(std::shared_ptr<const scene::Model>(std::move(model)));
    } catch (const Error& error) {
      throw Error(error.kind(), sentence(error));
    }
    memory_ = std::make_unique<Memory>(simulation_->model());
  }

  const scene::Model& model() const { return simulation_->model(); }
  std::string closure() const { return simulation_->closure(); }
  scene::Description describe() const {
    require_rest();
    return simulation_->describe();
  }
  const Memory& memory() const {
    require_rest();
    return *memory_;
  }
  std::size_t n() const { return simulation_->model().scene.system.coordinates.size(); }
  std::size_t gaps() const { return simulation_->model().scene.gaps.size(); }
  std::size_t symmetries() const { return simulation_->model().scene.symmetries.size(); }

  /// The whole run into memory; returns the summary as JSON. A failed run keeps what it computed.
  std::string run(py::object on_sample, py::object on_impact, py::object progress) {
    const Busy busy(*this);
    if (begun_) throw py::value_error("this run has begun already: make a new one");
    begun_ = true;
    Callbacks callbacks(std::move(on_sample), std::move(on_impact));
    Both both(*memory_, callbacks);
    Pulse pulse(*simulation_, std::move(progress));
    Pulsed sink(callbacks.any() ? static_cast<scene::Sink&>(both) : *memory_, pulse);
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

  /// The whole run into a directory, as the program does it; returns the outcome in one word. What a law, a function or
  /// an observer raises ends it, and is raised when what was computed is on disk.
  std::string record(const std::string& dir, bool overwrite, py::object on_sample, py::object on_impact,
                     py::object progress) {
    const Busy busy(*this);
    if (begun_) throw py::value_error("this run has begun already: make a new one");
    begun_ = true;
    auto writer = record::Writer::create(dir, app::schema_of(simulation_->model()), {.overwrite = overwrite});
    std::optional<app::DerivativesOfRun> derivatives;
    if (outside_.empty()) derivatives.emplace(*simulation_);
    Callbacks callbacks(std::move(on_sample), std::move(on_impact));
    Pulse pulse(*simulation_, std::move(progress));
    std::exception_ptr raised;
    app::Guest guest;
    if (callbacks.any()) guest.sink = &callbacks;
    guest.explain = [&](const std::exception_ptr& error) { return ending_of(error, raised); };
    guest.cause = [&] { return not_finite(); };
    {
      const py::gil_scoped_release release;
      const auto stop = [&] {  // asked between steps, and after every impact
        try {
          if (!raised) pulse();
        } catch (const py::error_already_set&) {
          raised = std::current_exception();
        }
        return raised != nullptr;
      };
      const auto progressed = [this](const scene::Simulation&) { show(); };
      result_ = app::carry_out(*simulation_, writer, true, 0, stop, progressed, guest);
    }
    if (raised) std::rethrow_exception(raised);
    if (!result_.missing.empty()) warn(result_.missing);
    if (result_.outcome == app::Outcome::finished) leave_derivatives(derivatives ? &*derivatives : nullptr, dir);
    return app::word(result_.outcome);
  }

  /// Refuses a directory that `save` would refuse after the run.
  void require_room(const std::string& dir, bool overwrite) const {
    const auto content = record::inspect(record::Place{dir});
    if (content == record::Content::foreign)
      throw record::RecordError(dir, dir + " is not empty and holds no run of ricochet: choose another directory");
    if (content == record::Content::run && !overwrite)
      throw record::RecordError(
          dir, dir + " already holds a run: choose another directory, or ask to overwrite it (overwrite=True)");
  }

  /// A run in memory as a directory.
  void save(const std::string& dir, bool overwrite) {
    const Busy busy(*this);
    auto writer = record::Writer::create(dir, app::schema_of(simulation_->model()), {.overwrite = overwrite});
    const auto sink = app::sink_of(writer);
    memory_->replay(*sink, n(), symmetries());
    writer.finish(app::summary_of(*simulation_, result_), [&] { record::write_xdmf(writer.directory()); });
    if (result_.outcome != app::Outcome::finished) return;
    std::optional<app::DerivativesOfRun> derivatives;
    if (outside_.empty()) derivatives.emplace(simulation_->shared_model());
    leave_derivatives(derivatives ? &*derivatives : nullptr, dir);
  }

  /// Step by step: `steps` of them. The time, q and p after them, with the impacts that fell into them.
  py::tuple advance(std::int64_t steps) {
    struct List final : scene::Sink {
      py::list impacts;
      void impact(const motion::ImpactView& s) override {
        const py::gil_scoped_acquire gil;
        py::list gaps;
        for (const auto& gap : s.gaps) gaps.append(py::str(std::string(gap)));
        py::dict d;
        d["n"] = s.n, d["t"] = s.t, d["gaps"] = gaps, d["multipliers"] = copy(s.multipliers), d["q"] = copy(s.q);
        d["p_minus"] = copy(s.p_minus), d["p_plus"] = copy(s.p_plus), d["alpha"] = s.alpha;
        impacts.append(d);
      }
    } list;
    const Busy busy(*this);
    if (midway_)
      throw Error(ErrorKind::invalid_model, std::string("the run ") + (interrupted_ ? "was interrupted" : "failed") +
                                                " in the middle of a step and cannot go on: make a new one");
    Pulse pulse(*simulation_, py::none());
    Pulsed sink(list, pulse);
    {
      const py::gil_scoped_release release;
      if (!begun_) simulation_->begin(sink);
      begun_ = true;
      // A function of Python's may raise in the middle of a step, Ctrl-C included: then nothing was done.
      const std::string start = outside_.empty() ? std::string() : simulation_->save();
      try {
        carry_on(steps, sink, pulse);
      } catch (const py::error_already_set&) {
        interrupted_ = midway_;
        undo(start);
        throw;
      } catch (...) {
        undo(start);
        throw;
      }
    }
    return py::make_tuple(simulation_->t(), copy(simulation_->q()), copy(simulation_->p()), list.impacts);
  }

  struct View {
    double t = 0;
    std::int64_t steps = 0, impacts = 0;
    bool done = false;
    std::span<const double> q, p;
  };
  /// look(View) at the state; while the run is being carried on, at its last one between two batches of steps.
  auto state(const auto& look) const {
    if (!busy_)
      return look(View{simulation_->t(), simulation_->steps(), simulation_->impacts(), simulation_->done(),
                       simulation_->q(), simulation_->p()});
    const std::scoped_lock lock(guard_);
    return look(seen_);
  }
  /// Refuses to look at what is being changed.
  void require_rest() const {
    if (busy_) throw Error(ErrorKind::invalid_model, carried_on);
  }

  /// The velocities of the start; zeros where only a momentum is given and the mass is no matrix of numbers.
  std::vector<double> velocity() const {
    const scene::Model& model = simulation_->model();
    Eigen::VectorXd v = model.v0;
    if (model.scene.system.momentum && model.constant_mass)
      v = model.mass.ldlt().solve(model.v0);
    else if (model.scene.system.momentum)
      v.setZero();
    return {v.begin(), v.end()};
  }

 private:
  /// One caller at a time: the interpreter is released during a run, so another thread, or an impact law of the run
  /// itself, could come in. Made and ended with the interpreter held.
  class Busy {
   public:
    explicit Busy(Run& run) : run_(run) {
      run.require_rest();
      run.show();
      run.busy_ = true;
    }
    ~Busy() { run_.busy_ = false; }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

   private:
    Run& run_;
  };
  static constexpr const char* carried_on =
      "this run is being carried on already, by another thread or by a function that it called";

  /// Lets others see the state as it is now.
  void show() {
    const std::scoped_lock lock(guard_);
    const auto q = simulation_->q(), p = simulation_->p();
    q_.assign(q.begin(), q.end());
    p_.assign(p.begin(), p.end());
    seen_ = {simulation_->t(), simulation_->steps(), simulation_->impacts(), simulation_->done(), q_, p_};
  }

  /// Back to where a call began, if that was kept.
  void undo(const std::string& start) {
    if (start.empty()) return;
    simulation_->restore(start);
    midway_ = false;
  }

  /// How a run ends that Python ended by an exception, which is kept: an interruption, or a failure with its sentence.
  /// Nothing where the exception is none of Python's.
  static std::optional<std::pair<app::Outcome, std::string>> ending_of(const std::exception_ptr& thrown,
                                                                       std::exception_ptr& kept) {
    try {
      std::rethrow_exception(thrown);
    } catch (const py::error_already_set& error) {
      const py::gil_scoped_acquire gil;
      kept = thrown;
      if (!error.matches(PyExc_Exception)) return std::pair(app::Outcome::interrupted, std::string());  // Ctrl-C, exit
      const auto type = error.type().attr("__name__").cast<std::string>();
      return std::pair(app::Outcome::failed,
                       "Python raised " + type + ": " + scene::in_one_line(py::str(error.value()).cast<std::string>()));
    } catch (const py::builtin_exception& error) {
      kept = thrown;
      return std::pair(app::Outcome::failed, std::string(error.what()));
    } catch (...) {
      return std::nullopt;
    }
  }

  static void warn(const std::string& sentence) {
    if (PyErr_WarnEx(PyExc_RuntimeWarning, sentence.c_str(), 1) != 0) throw py::error_already_set();
  }

  /// derivatives.h5 of a finished run, if its scene asks for it. The run stays finished whatever becomes of them.
  /// There are none of what was given in Python.
  void leave_derivatives(app::DerivativesOfRun* derivatives, const std::string& dir) {
    if (derivatives == nullptr && scene::read_derivatives_table(simulation_->model()))
      return warn("[derivatives] of the scene were not computed: nobody knows those of " + outside_ +
                  ", given in Python");
    if (derivatives == nullptr || !derivatives->asked()) return;
    Pulse pulse(*simulation_, py::none());
    std::exception_ptr interruption;
    std::string why;
    {
      const py::gil_scoped_release release;
      try {
        derivatives->leave(dir, true, [&] {
          try {
            pulse();
          } catch (const py::error_already_set&) {
            interruption = std::current_exception();
          }
          return interruption != nullptr;
        });
      } catch (const std::runtime_error& error) {  // Error of the run, RecordError of the disk
        why = error.what();
      }
    }
    if (interruption) std::rethrow_exception(interruption);
    if (!why.empty()) warn("the run is finished, its derivatives are not: " + why);
  }

  /// Up to `steps` of them, in batches of some milliseconds: Ctrl-C must not wait for many steps of a large model.
  void carry_on(std::int64_t steps, scene::Sink& sink, Pulse& pulse) {
    for (std::int64_t batch = 1; steps > 0 && !simulation_->done();) {
      const auto start = std::chrono::steady_clock::now();
      pulse.wait();
      midway_ = true;
      simulation_->advance(std::min(steps, batch), sink);
      midway_ = false;
      steps -= std::min(steps, batch);
      const auto took = std::chrono::steady_clock::now() - start;
      if (took < std::chrono::milliseconds(2) && batch < 1 << 16)
        batch *= 2;
      else if (took > std::chrono::milliseconds(20) && batch > 1)
        batch /= 2;
      if (steps > 0 || simulation_->done()) show();
      pulse();
    }
  }

  /// Which function of the user's returned no finite number, as a sentence; empty if none did.
  std::string not_finite() const {
    for (const scene::Given& given : given_)
      if (given.function != nullptr && !given.function->not_finite().empty()) return given.function->not_finite();
    return {};
  }
  /// What went wrong, and whose number was none before that.
  std::string sentence(const Error& error) const {
    const std::string why = not_finite();
    return why.empty() ? error.what() : std::string(error.what()) + ": " + why;
  }

  std::vector<scene::Given> given_;
  std::unique_ptr<scene::Simulation> simulation_;
  std::unique_ptr<Memory> memory_;
  app::RunResult result_;
  std::string outside_;  ///< what was given in Python and does not stand in the scene
  View seen_;            ///< what others see while this run is busy; its q and p
  std::vector<double> q_, p_;
  mutable std::mutex guard_;
  bool begun_ = false, busy_ = false;
  bool midway_ = false;       ///< a step was begun and not ended
  bool interrupted_ = false;  ///< by Ctrl-C: nothing went wrong
};

}  // namespace ricochet::python
