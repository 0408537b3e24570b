#include "ricochet/app/summary.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace ricochet::app {
namespace {

/// Accumulations and contacts; `to` is null while a contact lasts.
void add_lists(const scene::Report& report, record::Summary& summary) {
  record::Summary::Rows accumulations, contacts;
  for (const auto& a : report.accumulations)
    accumulations.push_back({{"gap", a.gap}, {"t", a.t}, {"skipped", a.skipped}});
  for (const auto& c : report.contacts)
    contacts.push_back(
        {{"gap", c.gap}, {"from", c.from}, {"to", c.to ? record::Summary::Cell(*c.to) : record::Summary::Cell()}});
  summary.extra.emplace_back("accumulations", std::move(accumulations));
  summary.extra.emplace_back("contacts", std::move(contacts));
  if (report.accumulations_left_off > 0)
    summary.extra.emplace_back("accumulations_left_off", report.accumulations_left_off);
  if (report.contacts_left_off > 0) summary.extra.emplace_back("contacts_left_off", report.contacts_left_off);
}

/// Every law that was asked for, in the order of the gaps.
std::string laws_of(const scene::Model& model) {
  std::string names;
  for (std::size_t i = 0; i < model.laws.size(); ++i)
    if (std::find(model.laws.begin(), model.laws.begin() + static_cast<std::ptrdiff_t>(i), model.laws[i]) ==
        model.laws.begin() + static_cast<std::ptrdiff_t>(i))
      names += (names.empty() ? "" : ", ") + model.laws[i];
  return model.user_law ? "a function" : names;
}

}  // namespace

const char* word(Outcome outcome) {
  return outcome == Outcome::finished ? "finished" : outcome == Outcome::interrupted ? "interrupted" : "failed";
}

double unbalanced(const scene::Report& report) {
  return report.energy.scale > 0 ? std::abs(report.balance_error) / report.energy.scale : 0;
}

std::vector<std::string> warnings(const scene::Report& report) {
  const double off = unbalanced(report), initial = std::abs(report.energy.initial);
  if (!(off > 0.1)) return {};
  std::string sentence = fmt::format("the balance of the energy is off by {:.3g} %", 100 * off);
  if (const double of_initial = std::abs(report.balance_error) / initial; initial > 0 && of_initial > 2 * off)
    sentence += fmt::format(", by {:.3g} % of the energy at the start", 100 * of_initial);
  return {sentence + ": a smaller step may be needed"};
}

record::Summary summary_of(const scene::Simulation& simulation, const RunResult& result) {
  const scene::Report& report = result.report;
  record::Summary summary;
  summary.status = word(result.outcome);
  summary.steps = report.steps;
  summary.impacts = report.impacts;
  summary.t_end = report.t;
  const auto energy = [](const scene::Extremes& e) {
    record::Summary::Energy energy{e.initial, e.last, e.min, e.max, e.max_relative_error};
    if (e.initial != 0)
      energy.relative_to_initial = std::max(e.max - e.initial, e.initial - e.min) / std::abs(e.initial);
    return energy;
  };
  summary.energy = energy(report.energy);
  summary.discrete_energy = energy(report.discrete_energy);
  for (const auto& m : report.momentum) summary.momentum.push_back({m.symmetry, m.initial, m.max_error});
  summary.min_gap = report.min_gap;
  summary.fallbacks = report.fallbacks;
  summary.closure = simulation.closure();
  summary.rule = simulation.model().scene.integrator.rule;
  summary.seconds = result.seconds;
  summary.version = RICOCHET_VERSION;
  if (const std::string law = laws_of(simulation.model()); !law.empty()) summary.extra.emplace_back("law", law);
  summary.extra.emplace_back("energy_supplied", report.supplied);
  summary.extra.emplace_back("energy_dissipated", report.dissipated);
  summary.extra.emplace_back("wall_work", report.wall_work);
  summary.extra.emplace_back("balance_error", report.balance_error);
  add_lists(report, summary);
  for (const auto& [name, rows] : report.tables) summary.extra.emplace_back(name, rows);
  summary.notes = warnings(report);
  if (!report.penetration.empty()) summary.notes.push_back(report.penetration);
  summary.notes.insert(summary.notes.end(), report.notes.begin(), report.notes.end());
  if (!result.error.empty()) summary.extra.emplace_back("error", result.error);
  return summary;
}

}  // namespace ricochet::app
