// `ricochet compare` and `ricochet converge`: one scene over a ladder of steps.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>

#include "ricochet/app/commands.hpp"
#include "ricochet/app/failure.hpp"
#include "ricochet/app/paths.hpp"
#include "ricochet/app/plot.hpp"
#include "ricochet/app/result_folder.hpp"
#include "ricochet/error.hpp"
#include "ricochet/scene/kind.hpp"
#include "ricochet/scene/simulation.hpp"

namespace ricochet::app {
namespace {

/// A way to integrate the scene: its own with some changes. The scene itself is changed, not its text: keys that belong
/// to one scheme (`order`, `activation`) would be refused beside another.
struct Scheme {
  std::string name;
  std::function<void(scene::Scene&)> change;
};

/// Positions at equal times of every run, whatever its steps.
struct Samples final : scene::Sink {
  std::vector<double> q;
  void sample(const scene::Sample& s, scene::Series series) override {
    if (series == scene::Series::stroboscope) q.insert(q.end(), s.q.begin(), s.q.end());
  }
};

struct Rung {
  double step = 0;
  std::vector<double> q;
  double balance = 0, penetration = 0, seconds = 0, error = 0;
  std::int64_t impacts = 0;
  std::string failure;
  bool bad_input = false;       ///< it failed over what was asked for
  std::optional<double> order;  ///< from the rung above to this one
  std::string note;             ///< why there is none
};

/// What runs are compared with, at the times k·interval, k = 0 … count; where count is 0, at the end alone.
struct Reference {
  std::string name;
  double interval = 0;
  std::size_t count = 64;
  std::vector<std::size_t> coordinates;  ///< compared ones
  std::vector<double> q;                 ///< of those, time after time
  double scale = 0;                      ///< largest of them: what rounding is relative to
};

Rung run_one(scene::Scene scene, const Scheme& scheme, double step, const Reference& reference) {
  Rung outcome;
  outcome.step = step;
  std::unique_ptr<scene::Simulation> simulation;
  try {
    scheme.change(scene);
    scene.time.step = {step, scene.time.step.place, scene.time.step.place};
    if (reference.count > 0) scene.record.stroboscope = scene::Expression{reference.interval, {}, {}};
    scene.record.every = 0;
    simulation = scene::simulate(std::move(scene));
    Samples sink;
    const auto start = std::chrono::steady_clock::now();
    simulation->begin(sink);
    const std::int64_t least = simulation->model().scene.kind->steps_at_once();
    const auto chunk = std::max(least, static_cast<std::int64_t>(*simulation->model().end / step / 256));
    double balance = 0;
    while (!simulation->done()) {
      simulation->advance(chunk, sink);
      balance = std::max(balance, std::abs(simulation->report().balance_error));
    }
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const auto report = simulation->report();
    outcome.q = std::move(sink.q);
    const std::size_t n = simulation->q().size(), whole = (reference.count + 1) * n;
    outcome.q.resize(std::min(outcome.q.size(), whole));
    if (outcome.q.size() < whole) {  // the last one may fall a rounding short of the end
      outcome.q.resize(whole - n);
      outcome.q.insert(outcome.q.end(), simulation->q().begin(), simulation->q().end());
    }
    outcome.balance = report.energy.scale > 0 ? balance / report.energy.scale : balance;
    outcome.impacts = report.impacts;
    if (report.min_gap) outcome.penetration = std::max(0.0, -*report.min_gap);
  } catch (const Error& error) {
    outcome.failure = simulation ? sentence_at(error, simulation->t()) : error.what();
    outcome.bad_input = simulation ? is_bad_input(error) : exit_code(error) == 2;
  }
  return outcome;
}

/// The compared coordinates of a run, time after time.
std::vector<double> pick(const std::vector<double>& q, std::size_t n, const Reference& reference) {
  std::vector<double> some;
  for (std::size_t k = 0; k <= reference.count; ++k)
    for (const std::size_t i : reference.coordinates) some.push_back(q[k * n + i]);
  return some;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

/// Orders where the errors fall by a steady power, the reason elsewhere.
void find_orders(std::vector<Rung>& rungs, double scale) {
  const double rounding = 1e-12 * scale;
  std::vector<std::optional<double>> pair(rungs.size());
  for (std::size_t k = 1; k < rungs.size(); ++k) {
    const Rung &a = rungs[k - 1], &b = rungs[k];
    if (!a.failure.empty() || !b.failure.empty())
      rungs[k].note = "a run failed";
    else if (a.error <= rounding || b.error <= rounding)
      rungs[k].note = "rounding";
    else
      pair[k] = std::log(a.error / b.error) / std::log(a.step / b.step);
  }
  for (std::size_t k = 1; k < rungs.size(); ++k) {
    if (!pair[k]) continue;
    bool neighbour = false, agrees = false;
    for (const std::size_t j : {k - 1, k + 1})
      if (j > 0 && j < pair.size() && pair[j]) {
        neighbour = true;
        agrees = agrees || std::abs(*pair[j] - *pair[k]) <= 0.5;
      }
    const bool other_impacts = rungs[k - 1].impacts != rungs[k].impacts;
    const bool falls = *pair[k] > 0.1;  // chaos makes steady errors, too: of the size of the motion
    if (falls && (neighbour ? agrees : !other_impacts))
      rungs[k].order = pair[k];
    else if (other_impacts)
      rungs[k].note = "the numbers of impacts differ";
    else
      rungs[k].note = falls ? "the errors fall by no steady power" : "the error does not fall";
  }
}

[[noreturn]] void bad_reference(const std::string& file, std::size_t line, const std::string& sentence) {
  throw Error(ErrorKind::bad_scene, fmt::format("{}:{}: {}", file, line, sentence));
}

/// A closed form as a table: `t` and coordinates by name, at equal times from zero on.
Reference read_reference(const std::string& file, const scene::Model& model) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw Error(ErrorKind::bad_scene, "the reference " + file + " is a folder: it must be a table, a CSV");
  std::ifstream in(file);
  if (!in) throw Error(ErrorKind::bad_scene, "the reference " + file + " could not be read");
  Reference reference;
  reference.name = file;
  const auto& names = model.scene.system.coordinates;
  const auto cells = [](const std::string& line) {
    std::vector<std::string> list;
    std::stringstream text(line);
    for (std::string cell; std::getline(text, cell, ',');) {
      const auto first = cell.find_first_not_of(" \r\t"), last = cell.find_last_not_of(" \r\t");
      list.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
    }
    return list;
  };
  std::string line;
  std::getline(in, line);
  if (line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);  // the mark that spreadsheets put before UTF-8
  const auto header = cells(line);
  if (header.size() < 2 || header.front() != "t")
    bad_reference(file, 1, "the first line must name its columns: t, and coordinates of the scene");
  for (std::size_t c = 1; c < header.size(); ++c) {
    const auto found = std::find(names.begin(), names.end(), header[c]);
    if (found == names.end()) bad_reference(file, 1, "'" + header[c] + "' is no coordinate of the scene");
    if (std::count(header.begin(), header.end(), header[c]) > 1)
      bad_reference(file, 1, "the column '" + header[c] + "' is there twice");
    reference.coordinates.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  std::vector<double> times;
  std::size_t last = 1;
  for (std::size_t number = 2; std::getline(in, line); ++number) {
    const auto row = cells(line);
    if (row.empty() || (row.size() == 1 && row.front().empty())) continue;
    last = number;
    if (row.size() != header.size())
      bad_reference(file, number, fmt::format("{} entries instead of {}", row.size(), header.size()));
    for (std::size_t c = 0; c < row.size(); ++c) {
      char* end = nullptr;
      const double x = std::strtod(row[c].c_str(), &end);
      if (row[c].empty() || *end != '\0' || !std::isfinite(x))
        bad_reference(file, number, "'" + row[c] + "' is no number");
      if (c == 0)
        times.push_back(x);
      else
        reference.q.push_back(x);
    }
    const double interval = times.size() > 1 ? times[1] - times[0] : 0;
    if (times[0] != 0 || (times.size() > 1 && !(interval > 0)) ||
        !(std::abs(times.back() - static_cast<double>(times.size() - 1) * interval) <=
          1e-9 * (interval + times.back())))
      bad_reference(file, number, "the times of a reference must be 0, d, 2d, 3d, …");
    if (times.back() > *model.end * (1 + 1e-12))
      bad_reference(file, number,
                    fmt::format("t = {:.6g} lies after the end of the scene, {:.6g}", times.back(), *model.end));
  }
  if (times.size() < 2) bad_reference(file, 1, "a reference needs two times or more");
  if (const scene::Kind& kind = *model.scene.kind; !kind.has_functions()) {  // and no stroboscope
    if (!(std::abs(times.back() - *model.end) <= 1e-9 * *model.end))
      bad_reference(file, last,
                    fmt::format("{} are compared at the end alone: the last time must be that of the scene, {:.6g}",
                                kind.name(), *model.end));
    reference.q.erase(reference.q.begin(), reference.q.end() - static_cast<std::ptrdiff_t>(header.size() - 1));
    reference.count = 0;
    return reference;
  }
  reference.interval = times[1];
  reference.count = times.size() - 1;
  return reference;
}

/// The finest run of the first scheme that can be run.
Reference run_reference(const scene::Scene& scene, const scene::Model& model, const std::vector<Scheme>& candidates,
                        double step) {
  Reference reference;
  reference.interval = *model.end / static_cast<double>(reference.count);
  if (!model.scene.kind->has_functions()) reference.count = 0;
  const std::size_t n = static_cast<std::size_t>(model.n);
  for (std::size_t i = 0; i < n; ++i) reference.coordinates.push_back(i);
  std::string failure;
  bool bad_input = false;
  for (const Scheme& scheme : candidates) {
    const Rung exact = run_one(scene, scheme, step, reference);
    if (!exact.failure.empty()) {
      if (failure.empty()) {
        failure = "the reference run (" + scheme.name + ") failed: " + exact.failure;
        bad_input = exact.bad_input;
      }
      continue;
    }
    reference.name = fmt::format("{} with step {:.6g}", scheme.name, step);
    reference.q = pick(exact.q, n, reference);
    return reference;
  }
  throw Error(bad_input ? ErrorKind::bad_scene : ErrorKind::no_convergence, failure);
}

void print(const Scheme& scheme, const Rung& o, bool first, std::string& csv) {
  std::string quoted = o.failure;
  std::replace(quoted.begin(), quoted.end(), '"', '\'');
  if (!o.failure.empty()) {
    fmt::print("{:<22} {:>12.6g} {}\n", scheme.name, o.step, o.failure);
    csv += fmt::format("{},{:.17g},,,,,,,\"{}\",\n", scheme.name, o.step, quoted);
    return;
  }
  const std::string order = o.order ? fmt::format("{:.2f}", *o.order) : first ? "" : "-";
  fmt::print("{:<22} {:>12.6g} {:>11.3e} {:>6} {:>11.3e} {:>8} {:>12.3e} {:>9.3g}{}{}\n", scheme.name, o.step, o.error,
             order, o.balance, o.impacts, o.penetration, o.seconds, o.note.empty() ? "" : "  ", o.note);
  csv += fmt::format("{},{:.17g},{:.17g},{},{:.17g},{},{:.17g},{:.6g},,{}\n", scheme.name, o.step, o.error,
                     o.order ? order : "", o.balance, o.impacts, o.penetration, o.seconds, o.note);
}

/// Longest first; refuses what is no ladder.
void check_steps(std::vector<double>& steps, double end) {
  for (const double h : steps) {
    if (!(h > 0)) throw Error(ErrorKind::bad_scene, fmt::format("--steps: a step must be positive, not {:.6g}", h));
    if (!(h <= end * (1 + 1e-12)))
      throw Error(ErrorKind::bad_scene, fmt::format("--steps: {:.6g} is longer than the run, {:.6g}", h, end));
    if (!(8 * end / h < 9e15))  // the reference has eight times as many
      throw Error(
          ErrorKind::bad_scene,
          fmt::format("--steps: with {:.6g} a run would have more steps than can be counted ({:.6g})", h, end / h));
  }
  std::sort(steps.begin(), steps.end(), std::greater<>());
  for (std::size_t k = 1; k < steps.size(); ++k)
    if (steps[k] >= steps[k - 1] * (1 - 1e-12))
      throw Error(ErrorKind::bad_scene,
                  fmt::format("--steps: {:.6g} is given twice; an order needs steps that differ", steps[k]));
}

int ladder(const CompareOptions& options, const scene::Scene& scene, const std::string& path,
           const std::string& command, const std::vector<Scheme>& schemes, const std::vector<Scheme>& references) {
  const auto model = scene::compile(scene);
  if (!model->end || model->impacts)
    throw Error(ErrorKind::bad_scene, path + ": a comparison at the same time needs 'end' in [time], and no 'impacts'");
  std::vector<double> steps = options.steps;
  if (steps.empty())
    for (const double part : {1.0, 0.5, 0.25, 0.125}) steps.push_back(part * model->step);
  check_steps(steps, *model->end);
  scene::simulate(scene);  // a start that is refused is refused before there is a folder

  Reference reference;
  if (!options.reference.empty()) reference = read_reference(options.reference, *model);
  const ResultFolder::Kind kind{"table of " + command,
                                {command + ".csv", command + ".svg"},
                                "scheme,step,error,order,balance_error,impacts,penetration,seconds,failure,note"};
  const ResultFolder folder(options.out.empty() ? "out/" + command + "-" + scene.name : options.out, kind,
                            options.overwrite);
  if (options.reference.empty()) reference = run_reference(scene, *model, references, steps.back() / 8);
  for (const double x : reference.q) reference.scale = std::max(reference.scale, std::abs(x));
  const std::string where =
      reference.count > 0 ? fmt::format("of {} samples", reference.count) : "at the end, q the centres of mass";
  fmt::print(
      "{}, until t = {:.6g}; error: largest |q - q_ref| {}; balance: largest defect of the balance of "
      "energy, work and losses; reference: {}\n",
      scene.title.empty() ? scene.name : scene.title, *model->end, where, reference.name);
  fmt::print("{:<22} {:>12} {:>11} {:>6} {:>11} {:>8} {:>12} {:>9}\n", "scheme", "step", "error", "order", "balance",
             "impacts", "penetration", "seconds");
  std::string csv = kind.head + "\n";
  std::vector<Curve> curves;
  for (const Scheme& scheme : schemes) {
    curves.push_back({scheme.name, static_cast<int>(curves.size()), false, {}});
    std::vector<Rung> rungs;
    for (const double h : steps) {
      rungs.push_back(run_one(scene, scheme, h, reference));
      Rung& o = rungs.back();
      if (!o.failure.empty()) continue;
      o.error = distance(pick(o.q, static_cast<std::size_t>(model->n), reference), reference.q);
      curves.back().points.emplace_back(h, o.error);
    }
    find_orders(rungs, reference.scale);
    for (std::size_t k = 0; k < rungs.size(); ++k) print(scheme, rungs[k], k == 0, csv);
  }
  folder.write(kind.files[0], csv);
  folder.write(kind.files[1],
               svg({{scene.title.empty() ? scene.name : scene.title, "step",
                     reference.count > 0 ? "largest error of the position" : "error at the end", curves}}));
  fmt::print("Table and plot in {}\n", scene::in_one_line(folder.path()));
  return 0;
}

Scheme strong(const std::string& closure) {
  return {"strong " + closure, [closure](scene::Scene& scene) {
            scene.integrator.principle = "strong";
            if (scene.integrator.closure != closure) scene.integrator.order.reset();
            scene.integrator.closure = closure;
          }};
}
/// On one gap the laws of restitution agree; where they do not, Newton's stands for them.
Scheme weak(const scene::Scene& scene) {
  const auto other = [](const std::string& law) { return law == "poisson" || law == "sequential" || law == "stronge"; };
  bool any = other(scene.impact.law);
  for (const scene::Gap& gap : scene.gaps) any = any || (gap.law && other(*gap.law));
  return {any ? "weak (newton)" : "weak", [other](scene::Scene& changed) {
            changed.integrator.principle = "weak";
            if (other(changed.impact.law)) changed.impact.law = "newton";
            for (scene::Gap& gap : changed.gaps)
              if (gap.law && other(*gap.law)) gap.law = "newton";
          }};
}

}  // namespace

int compare(const CompareOptions& options) {
  const std::string path = find_scene(options.scene);
  const scene::Scene scene = scene::load_scene(path, options.overrides);
  if (!scene.kind->has_functions())
    throw Error(ErrorKind::bad_scene,
                fmt::format("{}: {} have schemes of their own, not both principles; converge compares the steps of one",
                            path, scene.kind->name()));
  std::vector<Scheme> schemes;
  const std::string own = scene.integrator.closure;
  schemes.push_back(strong(own));
  for (const char* closure : {"variational", "reflection"})
    if (own != closure) schemes.push_back(strong(closure));
  schemes.push_back(weak(scene));
  return ladder(options, scene, path, "compare", schemes, {schemes.front(), schemes.back()});
}

int converge(const CompareOptions& options) {
  const std::string path = find_scene(options.scene);
  const scene::Scene scene = scene::load_scene(path, options.overrides);
  const Scheme own{scene.kind->scheme(scene), [](scene::Scene&) {}};
  return ladder(options, scene, path, "converge", {own}, {own});
}

}  // namespace ricochet::app
