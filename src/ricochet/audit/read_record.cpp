#include <fmt/format.h>

#include <algorithm>

#include "ricochet/audit/trajectory.hpp"
#include "ricochet/error.hpp"

namespace ricochet::audit {
namespace {

Mat columns(const record::Series& series, std::size_t rows) {
  return Eigen::Map<const Mat>(series.values.data(), static_cast<Eigen::Index>(series.width),
                               static_cast<Eigen::Index>(rows));
}

}  // namespace

Trajectory read_record(const record::Reader& reader, const scene::Model& model, const std::string& source) {
  Trajectory out;
  out.source = source;
  const auto& names = reader.schema().coordinates;
  if (names != model.scene.system.coordinates)
    throw Error(ErrorKind::bad_scene,
                fmt::format("{}: the record has the coordinates {}, the scene has {}; give the scene of this run",
                            source, fmt::join(names, ", "), fmt::join(model.scene.system.coordinates, ", ")));
  const std::size_t rows = reader.rows();
  if (rows < 3)
    throw Error(ErrorKind::bad_scene,
                fmt::format("{}: {} samples are too few to judge a motion; run the scene with --set record.every=1",
                            source, rows));
  out.t = reader.column("t").values;
  out.q = columns(reader.column("q"), rows);
  out.p = columns(reader.column("p"), rows);
  for (const double k : reader.column("step").values) out.step.push_back(static_cast<std::int64_t>(k));
  out.impacts = reader.impacts();

  Scheme scheme;
  scheme.weak = model.scene.integrator.principle == "weak";
  scheme.rule = DiscreteRule::named(model.scene.integrator.rule, model.gamma);
  scheme.closure = model.scene.integrator.closure;
  scheme.step = model.step;
  if (const auto summary = reader.summary()) {
    scheme.closure = summary->closure;
    std::int64_t ignored = 0;
    for (const auto& [name, count] : summary->fallbacks)
      (name == "graze" ? scheme.grazes : name == "push_off" ? scheme.push_offs : ignored) += count;
    for (const auto& [key, value] : summary->extra)
      if (const auto* contacts = std::get_if<record::Summary::Rows>(&value); key == "contacts" && contacts != nullptr)
        for (const auto& contact : *contacts)
          for (const auto& [name, cell] : contact)
            if (const auto* t = std::get_if<double>(&cell); t != nullptr && (name == "from" || name == "to"))
              scheme.changes.push_back(*t);
    if (summary->impacts != static_cast<std::int64_t>(out.impacts.size()))
      out.notes.push_back(
          fmt::format("the summary counts {} impacts, impacts.csv has {}", summary->impacts, out.impacts.size()));
    out.failed = summary->status == "failed";
    if (summary->status != "finished") out.notes.push_back("the run is not finished: " + summary->status);
  } else {
    out.notes.push_back("there is no summary.json beside the record");
  }
  out.scheme = std::move(scheme);
  out.has_impacts = true;
  if (const std::string doubt = reader.doubt(); !doubt.empty()) out.notes.push_back(doubt);
  if (!reader.merged()) out.notes.push_back("the run goes on, or was killed");
  return out;
}

}  // namespace ricochet::audit
