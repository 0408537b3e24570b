#include "ricochet/report/payload.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "ricochet/error.hpp"
#include "ricochet/report/columns.hpp"
#include "ricochet/report/decimate.hpp"
#include "ricochet/report/motion.hpp"
#include "ricochet/report/strips.hpp"
#include "ricochet/report/sweeps.hpp"
#include "ricochet/report/words.hpp"

namespace ricochet::report {
namespace {

Json plots(const record::Reader& reader, const std::vector<Quantity>& list, const Limits& limits) {
  const std::size_t rows = reader.rows();
  const std::size_t fit = limits.plot_bytes / (8 + 4 * std::max<std::size_t>(list.size(), 1));
  Decimator decimator(list.size(), rows, std::clamp<std::size_t>(fit, 1000, limits.plot_points));
  std::vector<double> first;
  each_row(reader, list, record::trajectory_table, 1, [&](double t, std::span<const double> values) {
    if (first.empty()) first.assign(values.begin(), values.end());
    decimator.add(t, values);
  });
  decimator.finish();
  Json json{{"rows", rows},
            {"points", decimator.t().size()},
            {"bucket", decimator.bucket_rows()},
            {"t", doubles(decimator.t())}};
  json["series"] = Json::array();
  for (std::size_t i = 0; i < list.size() && !first.empty(); ++i) {
    // Differences from the start are what the eye looks for, and what four bytes must not round away. Gaps are about
    // zero instead.
    const bool small = list[i].group == "gaps" || list[i].group == "q" || list[i].group == "p";
    const double offset = !small && std::isfinite(first[i]) ? first[i] : 0;
    json["series"].push_back({{"name", list[i].name},
                              {"group", list[i].group},
                              {"unit", list[i].unit},
                              {"values", floats(decimator.series(i), offset)}});
  }
  return json;
}

/// Whole rows, so that any quantity can be drawn against any other.
Json samples(const record::Reader& reader, const std::vector<Quantity>& list, std::string_view table,
             const Limits& limits) {
  const std::size_t rows = reader.rows(table);
  const std::size_t most =
      std::clamp<std::size_t>(limits.sample_bytes / (4 * (list.size() + 1)), 100, limits.sample_rows);
  const std::size_t stride = std::max<std::size_t>((rows + most - 1) / most, 1);
  std::vector<double> t;
  std::vector<std::vector<double>> columns(list.size());
  each_row(reader, list, table, stride, [&](double time, std::span<const double> values) {
    t.push_back(time);
    for (std::size_t i = 0; i < values.size(); ++i) columns[i].push_back(values[i]);
  });
  Json json{{"table", table}, {"rows", rows}, {"stride", stride}, {"names", {"t"}}, {"columns", {floats(t)}}};
  for (std::size_t i = 0; i < list.size(); ++i) {
    json["names"].push_back(list[i].name);
    json["columns"].push_back(
        floats(columns[i], columns[i].empty() || !std::isfinite(columns[i][0]) ? 0 : columns[i][0]));
  }
  return json;
}

/// As many impacts as the page can carry.
struct SomeImpacts {
  std::size_t total, every;
  std::vector<record::Impact> list;

  SomeImpacts(const record::Reader& reader, std::size_t most)
      : total(reader.impact_count()), every(std::max<std::size_t>((total + most - 1) / most, 1)) {
    reader.each_impact(every, [&](record::Impact&& impact) { list.push_back(std::move(impact)); });
  }
};

Json impacts_json(const SomeImpacts& impacts, const std::vector<std::string>& coordinates) {
  std::vector<double> t, multiplier, before, after;
  std::vector<int> number, gap;
  std::vector<std::string> names;
  std::map<std::string, int> known;
  std::vector<std::vector<double>> state(3 * coordinates.size());
  for (const record::Impact& impact : impacts.list) {
    t.push_back(impact.t);
    number.push_back(static_cast<int>(impact.n));
    const auto [place, fresh] = known.emplace(impact.gaps, static_cast<int>(names.size()));
    if (fresh) names.push_back(impact.gaps);
    gap.push_back(place->second);
    multiplier.push_back(std::accumulate(impact.multipliers.begin(), impact.multipliers.end(), 0.0));
    before.push_back(impact.energy_before);
    after.push_back(impact.energy_after);
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
      state[k].push_back(impact.q[k]);
      state[coordinates.size() + k].push_back(impact.p_minus[k]);
      state[2 * coordinates.size() + k].push_back(impact.p_plus[k]);
    }
  }
  Json json{{"total", impacts.total},
            {"every", impacts.every},
            {"t", doubles(t)},
            {"n", integers(number)},
            {"gap", integers(gap)},
            {"gaps", names},
            {"multiplier", floats(multiplier)},
            {"before", doubles(before)},
            {"after", doubles(after)},
            {"names", Json::array()},
            {"columns", Json::array()}};
  for (const char* prefix : {"", "p⁻ ", "p⁺ "})
    for (const std::string& name : coordinates) json["names"].push_back(prefix + name);
  for (const auto& column : state) json["columns"].push_back(floats(column));
  return json;
}

/// The overrides of a run, as the program has noted them: one a line.
std::vector<std::string> overrides_of(const record::Schema& schema) {
  std::vector<std::string> list;
  const auto found = schema.attributes.find("overrides");
  if (found == schema.attributes.end()) return list;
  const std::string& text = found->second;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) list.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return list;
}

/// The size that relative errors of the energy refer to: max(|initial|, largest kinetic energy), which the summary
/// knows through its own relative error.
double energy_scale(const record::Summary::Energy& energy) {
  const double span = std::max(std::abs(energy.max - energy.initial), std::abs(energy.min - energy.initial));
  const double scale = energy.max_relative_error > 0 ? span / energy.max_relative_error : std::abs(energy.initial);
  return std::isfinite(scale) && scale > 0 ? scale : 1;
}

Json summary_json(const record::Summary& summary) {
  // Through the text of summary.json, so that the page has the same keys as the file.
  record::Summary same = summary;
  same.digests.clear();
  Json json = Json::parse(record::to_json(same));
  json.erase("seconds");  // two runs of a scene leave the same page
  return json;
}

}  // namespace

Json payload(const record::Reader& reader, const Limits& limits) {
  const record::Schema& schema = reader.schema();
  const std::vector<Quantity> list = quantities(schema);
  const SomeImpacts impacts(reader, limits.impacts);
  const std::optional<record::Summary> summary = reader.summary();
  const std::vector<std::string> overrides = overrides_of(schema);
  const std::size_t rows = reader.rows();
  double last_t = rows > 0 ? reader.column("t", {rows - 1, rows, 1})(0) : 0;
  if (!impacts.list.empty()) last_t = std::max(last_t, impacts.list.back().t);
  if (summary) last_t = std::max(last_t, summary->t_end);

  std::vector<std::string> notes;
  std::shared_ptr<const scene::Model> model;
  std::optional<Stage> stage;
  if (schema.scene_text.empty()) {
    stage.emplace(schema.coordinates);
  } else {
    const std::string file = (schema.scene_name.empty() ? "scene" : schema.scene_name) + ".toml";
    model = scene::compile(scene::parse_scene(schema.scene_text, file, overrides));
    if (model->scene.system.coordinates == schema.coordinates) {
      stage.emplace(model->scene);
    } else {
      notes.push_back("The scene in the record has other coordinates than its frames; its shapes are not drawn.");
      model.reset();
      stage.emplace(schema.coordinates);
    }
  }

  Json json{{"format", 1}, {"version", schema.version}};
  std::string title = model ? model->scene.title : "";
  if (title.empty()) title = schema.scene_name.empty() ? "A run of ricochet" : schema.scene_name;
  json["title"] = title;
  json["name"] = schema.scene_name;
  json["description"] = model ? model->scene.description : "";
  json["scene"] = schema.scene_text;
  json["overrides"] = overrides;
  json["status"] = summary ? summary->status : "unfinished";
  json["words"] = words(summary, rows, last_t);
  for (const std::string& note : notes) json["words"].push_back(note);
  if (summary) {
    json["summary"] = summary_json(*summary);
    json["energy_scale"] = energy_scale(summary->energy);
    json["discrete_energy_scale"] = energy_scale(summary->discrete_energy);
  }
  if (model) json["principle"] = model->scene.integrator.principle;
  json["coordinates"] = schema.coordinates;
  json["t_end"] = last_t;
  json["plots"] = plots(reader, list, limits);
  json["samples"] = Json::array({samples(reader, list, record::trajectory_table, limits)});
  for (const std::string& table : schema.frame_tables) json["samples"].push_back(samples(reader, list, table, limits));
  json["impacts"] = impacts_json(impacts, schema.coordinates);
  json["motion"] = strips(reader, limits);
  if (json["motion"].is_null()) json["motion"] = sweeps(reader, limits);
  if (json["motion"].is_null()) json["motion"] = motion(reader, impacts.list, *stage, model.get(), limits);
  return json;
}

}  // namespace ricochet::report
