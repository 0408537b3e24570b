#include "ricochet/app/summary.hpp"

namespace ricochet::app {

const char* word(Outcome outcome) {
  return outcome == Outcome::finished ? "finished" : outcome == Outcome::interrupted ? "interrupted" : "failed";
}

void finish(record::Writer& writer, const scene::Model& model, const RunResult& result) {
  const scene::Report& report = result.report;
  record::Summary summary;
  summary.status = word(result.outcome);
  summary.steps = report.steps;
  summary.impacts = report.impacts;
  summary.t_end = report.t;
  const auto energy = [](const scene::Extremes& e) {
    return record::Summary::Energy{e.initial, e.last, e.min, e.max, e.max_relative_error};
  };
  summary.energy = energy(report.energy);
  summary.discrete_energy = energy(report.discrete_energy);
  for (const auto& m : report.momentum) summary.momentum.push_back({m.symmetry, m.initial, m.max_error});
  summary.min_gap = report.min_gap;
  summary.fallbacks = report.fallbacks;
  summary.closure = model.scene.integrator.closure;
  summary.rule = model.scene.integrator.rule;
  summary.seconds = result.seconds;
  summary.version = RICOCHET_VERSION;
  if (!result.error.empty()) summary.extra.emplace_back("error", result.error);
  writer.finish(summary);
}

}  // namespace ricochet::app
