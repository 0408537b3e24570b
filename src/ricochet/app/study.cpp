#include "ricochet/app/study.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "ricochet/app/paths.hpp"
#include "ricochet/app/plot.hpp"
#include "ricochet/app/result_folder.hpp"
#include "ricochet/error.hpp"
#include "ricochet/expression/nearest.hpp"
#include "ricochet/scene/energy_trial.hpp"
#include "ricochet/scene/kind.hpp"

namespace ricochet::app {
namespace {

using observe::EnergySummary;
using scene::TrialClosure;

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorKind::bad_scene, sentence); }

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == ',')
      parts.emplace_back();
    else if (c != ' ')
      parts.back() += c;
  return parts;
}

const std::vector<std::string> known = {"variational", "reflection", "shadow2", "shadow4", "interpolated"};

TrialClosure read_closure(const std::string& text) {
  TrialClosure closure{text, std::nullopt};
  if (const auto colon = text.find(':'); colon != std::string::npos) {
    closure.name = text.substr(0, colon);
    const std::string order = text.substr(colon + 1);
    if (closure.name != "interpolated" || (order != "4" && order != "6" && order != "8" && order != "10"))
      refuse(fmt::format("--closures {}: an order belongs to interpolated and is 4, 6, 8 or 10", text));
    closure.order = std::stoi(order);
  }
  if (std::find(known.begin(), known.end(), closure.name) == known.end())
    refuse(fmt::format("--closures: there is no closure \"{}\"{}", closure.name,
                       expression::suggestion(closure.name, known)));
  return closure;
}

double read_step(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0) || !std::isfinite(value))
    refuse(fmt::format("--steps: \"{}\" is not a step; steps are positive numbers, as in --steps 0.05,0.025", text));
  return value;
}

/// What is to be run, all of it checked before the first step.
struct Plan {
  std::vector<TrialClosure> closures;
  std::vector<double> steps;
  std::vector<scene::TrialStart> starts;
  std::vector<std::string> left_out;
};

std::shared_ptr<const scene::Model> model_of(const scene::Model& model, const TrialClosure& closure, double step,
                                             const scene::TrialStart& start, const StudyOptions& options) {
  return scene::trial_model(model, closure, step, start, options.impacts, "--closures " + closure.text());
}

Plan plan(const scene::Model& model, const StudyOptions& options) {
  Plan plan;
  constexpr std::int64_t most = 1000000000;
  if (options.impacts < 1 || options.impacts > most) refuse("--impacts must be a number from 1 to 1000000000");
  if (options.ensemble < 1 || options.ensemble > 100000) refuse("--ensemble must be a number from 1 to 100000");
  if (options.steps.empty())
    plan.steps = {model.step, model.step / 2};
  else
    for (const std::string& text : split(options.steps)) plan.steps.push_back(read_step(text));
  std::sort(plan.steps.begin(), plan.steps.end(), std::greater<>());
  plan.steps.erase(std::unique(plan.steps.begin(), plan.steps.end()), plan.steps.end());
  scene::require_elastic(model);
  plan.starts = scene::trial_starts(model, static_cast<int>(options.ensemble));

  const bool asked = !options.closures.empty();
  std::vector<TrialClosure> closures;
  for (const std::string& text : asked ? split(options.closures) : known) {
    TrialClosure closure = read_closure(text);
    if (closure.name == "interpolated" && !closure.order)
      closure.order = static_cast<int>(model.scene.integrator.order.value_or(6));
    if (std::none_of(closures.begin(), closures.end(),
                     [&](const TrialClosure& c) { return c.text() == closure.text(); }))
      closures.push_back(std::move(closure));
  }
  for (const TrialClosure& closure : closures) {
    std::string why;
    for (const double step : plan.steps)
      for (const auto& start : plan.starts)
        if (why.empty()) why = scene::refuse_trial(model_of(model, closure, step, start, options));
    if (why.empty())
      plan.closures.push_back(closure);
    else if (asked)
      refuse(why);
    else
      plan.left_out.push_back(why);
  }
  if (plan.closures.empty()) refuse(plan.left_out.front());
  return plan;
}

/// log(kick/kick')/log(h/h') against the row before, if that is the same closure at another step.
std::string order(const std::vector<EnergySummary>& rows) {
  if (rows.size() < 2) return "";
  const auto& a = rows[rows.size() - 2];
  const auto& b = rows.back();
  if (a.closure != b.closure || !(a.rms_kick > 0) || !(b.rms_kick > 0)) return "";
  return fmt::format("{:.2f}", std::log(a.rms_kick / b.rms_kick) / std::log(a.h / b.h));
}

void print_head() {
  fmt::print("{:<16} {:>9} {:>9} {:>10} {:>7} {:>14} {:>25} {:>11} {:>9}\n", "closure", "h", "impacts", "kick", "order",
             "growth", "drift per impact", "max |dH/H|", "fallbacks");
}

void print_row(const std::vector<EnergySummary>& rows) {
  const EnergySummary& r = rows.back();
  fmt::print("{:<16} {:>9.4g} {:>9} {:>10.3e} {:>7} {:>14} {:>25} {:>11.2e} {:>9}\n", r.closure, r.h, r.impacts,
             r.rms_kick, order(rows),
             r.growth.size() < 3 ? "" : fmt::format("{:.2f} +- {:.2f}", r.growth_exponent, r.growth_error),
             r.drift_error > 0 ? fmt::format("{:+.1e} +- {:.1e}", r.drift, r.drift_error) : "", r.max_energy_error,
             r.fallbacks);
  std::fflush(stdout);
}

std::string plot(const std::vector<EnergySummary>& rows, const Plan& plan) {
  Panel kicks{"Kick of the shadow energy per impact", "step h", "RMS kick / E(0)", {}};
  Panel growth{
      fmt::format("Change of the shadow energy at h = {:.4g}", plan.steps.front()), "impacts", "RMS change / E(0)", {}};
  for (std::size_t i = 0; i < plan.closures.size(); ++i) {
    const std::string name = plan.closures[i].text();
    Curve kick{name, static_cast<int>(i), false, {}}, grown = kick;
    for (const EnergySummary& r : rows) {
      if (r.closure != name) continue;
      kick.points.emplace_back(r.h, r.rms_kick);
      if (r.h == plan.steps.front())
        for (const auto& g : r.growth) grown.points.emplace_back(g.impacts, g.change);
    }
    kicks.curves.push_back(kick);
    if (grown.points.size() > 1) {
      // a random walk from the first point
      const auto [n0, c0] = grown.points.front();
      const double n1 = grown.points.back().first;
      growth.curves.push_back({"random walk", 7, true, {{n0, c0}, {n1, c0 * std::sqrt(n1 / n0)}}});
    }
    growth.curves.push_back(std::move(grown));
  }
  return svg({kicks, growth});
}

void save(const ResultFolder& folder, const std::vector<EnergySummary>& rows, const Plan& plan) {
  std::ostringstream table, growth;
  observe::write_csv(table, rows);
  observe::write_growth_csv(growth, rows);
  folder.write("energy.csv", table.str());
  folder.write("growth.csv", growth.str());
  folder.write("energy.svg", plot(rows, plan));
}

}  // namespace

int study_energy(const StudyOptions& options) {
  const ResultFolder::Kind kind{"study", {"energy.csv", "growth.csv", "energy.svg"}, "closure,h,trials,impacts,"};
  const std::string path = find_scene(options.scene);
  const auto model = scene::compile(scene::load_scene(path, options.overrides));
  if (const scene::Kind& kind = *model->scene.kind; !kind.has_functions())
    refuse(fmt::format("{}: studies of the energy are for a [system] in generalized coordinates; this is a scene of {}",
                       path, kind.name()));
  const Plan plan = app::plan(*model, options);
  const ResultFolder folder(options.out.empty() ? "out/" + model->scene.name + "-energy" : options.out, kind,
                            options.overwrite);
  for (const std::string& why : plan.left_out) fmt::print("Left out: {}.\n", why);
  fmt::print("{}: {} rule, {} start{} with {} impacts each; energies relative to that of the start\n",
             model->scene.name, model->scene.integrator.rule, plan.starts.size(), plan.starts.size() == 1 ? "" : "s",
             options.impacts);
  print_head();
  std::vector<EnergySummary> rows;
  save(folder, rows, plan);
  for (const TrialClosure& closure : plan.closures)
    for (const double step : plan.steps) {
      std::vector<observe::EnergyTrial> trials;
      try {
        for (const auto& start : plan.starts)
          trials.push_back(scene::energy_trial(model_of(*model, closure, step, start, options)));
      } catch (const Error& error) {
        fmt::print(stderr, "ricochet: {} at h = {:g}: {}\nWhat was measured until then is in {}.\n", closure.text(),
                   step, error.what(), folder.path());
        return 1;
      }
      rows.push_back(observe::summarise(trials));
      rows.back().closure = closure.text();
      print_row(rows);
      save(folder, rows, plan);
    }
  fmt::print(
      "kick: RMS change of the shadow energy per impact. growth: exponent of its RMS change over n impacts, 0.5 "
      "for a random walk.\nResults in {}: energy.csv, growth.csv, energy.svg\n",
      folder.path());
  return 0;
}

}  // namespace ricochet::app
