// `ricochet compare` and `ricochet converge`: one scene over a ladder of steps.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "ricochet/app/commands.hpp"
#include "ricochet/app/paths.hpp"
#include "ricochet/app/plot.hpp"
#include "ricochet/error.hpp"
#include "ricochet/scene/simulation.hpp"

namespace ricochet::app {
namespace {

namespace fs = std::filesystem;

struct Scheme {
  std::string name;
  std::vector<std::string> overrides;
};

struct Rung {
  std::vector<double> q;
  double energy = 0, penetration = 0, seconds = 0;
  std::int64_t impacts = 0;
  std::string failure;
};

std::vector<std::string> with(std::vector<std::string> overrides, const std::vector<std::string>& more, double step) {
  overrides.insert(overrides.end(), more.begin(), more.end());
  overrides.push_back(fmt::format("time.step={:.17g}", step));
  return overrides;
}

Rung run_one(const std::string& path, const std::vector<std::string>& overrides) {
  Rung outcome;
  try {
    const auto simulation = scene::simulate(scene::load_scene(path, overrides));
    scene::Sink sink;
    const auto start = std::chrono::steady_clock::now();
    simulation->begin(sink);
    while (!simulation->done()) simulation->advance(1 << 16, sink);
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const auto report = simulation->report();
    outcome.q.assign(simulation->q().begin(), simulation->q().end());
    outcome.energy = report.energy.max_relative_error;
    outcome.impacts = report.impacts;
    if (report.min_gap) outcome.penetration = std::max(0.0, -*report.min_gap);
  } catch (const Error& error) {
    outcome.failure = error.what();
  }
  return outcome;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw Error(ErrorKind::bad_scene, "the file " + path.string() + " could not be written");
}

int ladder(const CompareOptions& options, const scene::Scene& scene, const std::string& path,
           const std::string& command, const std::vector<Scheme>& schemes, const Scheme& reference) {
  const auto model = scene::compile(scene);
  if (!model->end || model->impacts)
    throw Error(ErrorKind::bad_scene, path + ": a comparison at the same time needs 'end' in [time], and no 'impacts'");
  std::vector<double> steps = options.steps;
  if (steps.empty())
    for (const double part : {1.0, 0.5, 0.25, 0.125}) steps.push_back(part * model->step);
  for (const double h : steps)
    if (!(h > 0)) throw Error(ErrorKind::bad_scene, "--steps: a step must be positive");
  std::sort(steps.begin(), steps.end(), std::greater<>());

  const double finest = steps.back() / 8;
  const Rung exact = run_one(path, with(options.overrides, reference.overrides, finest));
  if (!exact.failure.empty())
    throw Error(ErrorKind::bad_scene, "the reference run (" + reference.name + ") failed: " + exact.failure);
  fmt::print("{}, t = {:.6g}; error: largest |q - q_ref| there; reference: {} with step {:.6g}\n",
             scene.title.empty() ? scene.name : scene.title, *model->end, reference.name, finest);
  fmt::print("{:<22} {:>12} {:>11} {:>6} {:>11} {:>8} {:>12} {:>9}\n", "scheme", "step", "error", "order", "energy",
             "impacts", "penetration", "seconds");
  std::string csv = "scheme,step,error,order,energy_error,impacts,penetration,seconds,failure\n";
  std::vector<Curve> curves;
  for (const Scheme& scheme : schemes) {
    curves.push_back({scheme.name, static_cast<int>(curves.size()), false, {}});
    double last_error = 0, last_step = 0;
    for (const double h : steps) {
      const Rung o = run_one(path, with(options.overrides, scheme.overrides, h));
      if (!o.failure.empty()) {
        fmt::print("{:<22} {:>12.6g} {}\n", scheme.name, h, o.failure);
        std::string quoted = o.failure;
        std::replace(quoted.begin(), quoted.end(), '"', '\'');
        csv += fmt::format("{},{:.17g},,,,,,,\"{}\"\n", scheme.name, h, quoted);
        last_error = 0;
        continue;
      }
      const double error = distance(o.q, exact.q);
      std::string order;
      if (last_error > 0 && error > 0)
        order = fmt::format("{:.2f}", std::log(last_error / error) / std::log(last_step / h));
      last_error = error;
      last_step = h;
      fmt::print("{:<22} {:>12.6g} {:>11.3e} {:>6} {:>11.3e} {:>8} {:>12.3e} {:>9.3g}\n", scheme.name, h, error, order,
                 o.energy, o.impacts, o.penetration, o.seconds);
      csv += fmt::format("{},{:.17g},{:.17g},{},{:.17g},{},{:.17g},{:.6g},\n", scheme.name, h, error, order, o.energy,
                         o.impacts, o.penetration, o.seconds);
      curves.back().points.emplace_back(h, error);
    }
  }
  const fs::path dir = options.out.empty() ? fs::path("out") / (command + "-" + scene.name) : fs::path(options.out);
  std::error_code failed;
  fs::create_directories(dir, failed);
  write(dir / (command + ".csv"), csv);
  write(dir / (command + ".svg"),
        svg({{scene.title.empty() ? scene.name : scene.title, "step", "error of the position at the end", curves}}));
  fmt::print("Table and plot in {}\n", dir.string());
  return 0;
}

bool rough(const scene::Scene& scene) {
  return std::any_of(scene.gaps.begin(), scene.gaps.end(),
                     [](const scene::Gap& gap) { return gap.friction.has_value(); });
}

}  // namespace

int compare(const CompareOptions& options) {
  const std::string path = find_scene(options.scene);
  const scene::Scene scene = scene::load_scene(path, options.overrides);
  const auto strong = [](const std::string& closure) {
    return Scheme{"strong " + closure, {"integrator.principle=strong", "integrator.closure=" + closure}};
  };
  Scheme weak{"weak", {"integrator.principle=weak"}};
  // On one gap the laws agree; where they do not, the row says why it could not be run.
  if (scene.impact.law == "poisson" || scene.impact.law == "sequential") {
    weak.name = "weak (newton)";
    weak.overrides.push_back("impact.law=newton");
  }
  if (rough(scene)) return ladder(options, scene, path, "compare", {weak}, weak);  // friction: weak only
  std::vector<Scheme> schemes;
  const std::string own = scene.integrator.closure;
  schemes.push_back(strong(own));
  for (const char* closure : {"variational", "reflection"})
    if (own != closure) schemes.push_back(strong(closure));
  schemes.push_back(weak);
  return ladder(options, scene, path, "compare", schemes, schemes.front());
}

int converge(const CompareOptions& options) {
  const std::string path = find_scene(options.scene);
  const scene::Scene scene = scene::load_scene(path, options.overrides);
  const Scheme own{scene.integrator.principle == "weak" ? "weak" : "strong " + scene.integrator.closure, {}};
  return ladder(options, scene, path, "converge", {own}, own);
}

}  // namespace ricochet::app
