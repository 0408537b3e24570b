#include "ricochet/report/sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ricochet/report/polylines.hpp"

namespace ricochet::report {
namespace {

constexpr std::size_t most_pieces_of_a_sweep = 120;

struct Sweep {
  std::string name;
  std::size_t first = 0, nodes = 0, first_element = 0;
  double length = 0, reach = 0;    ///< of the section from its centre
  std::vector<std::size_t> shown;  ///< nodes, the ends among them
  Json section;
};

/// Nothing where the list is not what this program writes.
std::vector<Sweep> read_sweeps(const Json& list, std::size_t all_nodes, std::size_t all_elements) {
  std::vector<Sweep> sweeps;
  for (const Json& line : list) {
    if (!line.is_object()) return {};
    for (const char* key : {"first_node", "nodes", "first_element", "length"})
      if (!line.contains(key) || !line[key].is_number()) return {};
    if (!line.contains("section") || !line["section"].is_object()) return {};
    Sweep sweep;
    sweep.name = line.value("name", "");
    sweep.first = line["first_node"].get<std::size_t>();
    sweep.nodes = line["nodes"].get<std::size_t>();
    sweep.first_element = line["first_element"].get<std::size_t>();
    sweep.length = line["length"].get<double>();
    sweep.section = line["section"];
    sweep.reach = sweep.section.value("radius", 0.0) +
                  std::hypot(sweep.section.value("width", 0.0), sweep.section.value("height", 0.0)) / 2;
    if (sweep.nodes < 2 || sweep.first + sweep.nodes > all_nodes ||
        sweep.first_element + sweep.nodes - 1 > all_elements)
      return {};
    sweep.shown = shown_nodes(sweep.first, sweep.nodes, most_pieces_of_a_sweep);
    sweeps.push_back(std::move(sweep));
  }
  return sweeps;
}

/// A number of the strain at a node: the mean of the elements on both sides.
double at_node(const record::Series& strain, const Sweep& sweep, std::size_t node, std::size_t component) {
  const std::size_t i = node - sweep.first, last = sweep.nodes - 2;
  const auto element = [&](std::size_t e) { return strain(0, 6 * (sweep.first_element + e) + component); };
  if (i == 0) return element(0);
  if (i > last) return element(last);
  return (element(i - 1) + element(i)) / 2;
}

struct Bounds {
  std::array<double, 6> box{far, far, far, -far, -far, -far};

  void add(std::size_t k, double x, double radius) {
    box[k] = std::min(box[k], x - radius);
    box[k + 3] = std::max(box[k + 3], x + radius);
  }

 private:
  static constexpr double far = std::numeric_limits<double>::max();
};

/// Planes as the walls of any motion, n·x + c ≥ 0; spheres beside them.
void add_obstacles(const record::Schema& schema, Json& json, Bounds& bounds) {
  json["boundary"] = {{"walls", Json::array()}, {"hidden", Json::array()}};
  json["spheres"] = Json::array();
  const auto found = schema.attributes.find("obstacles");
  if (found == schema.attributes.end()) return;
  const Json list = Json::parse(found->second, nullptr, false);
  if (!list.is_array()) return;
  for (const Json& o : list) {
    if (!o.is_object()) continue;
    if (o.contains("normal") && o.contains("point")) {
      double c = 0;
      for (std::size_t k = 0; k < 3; ++k) c -= o["normal"][k].get<double>() * o["point"][k].get<double>();
      json["boundary"]["walls"].push_back({{"gap", o.value("name", "")}, {"n", o["normal"]}, {"c", c}});
    } else if (o.contains("centre") && o.contains("radius")) {
      json["spheres"].push_back(o);
      for (std::size_t k = 0; k < 3; ++k) bounds.add(k, o["centre"][k].get<double>(), o["radius"].get<double>());
    }
  }
}

}  // namespace

Json sweeps(const record::Reader& reader, const Limits& limits) {
  const record::Schema& schema = reader.schema();
  const std::optional<Polylines> all = polylines(reader);
  if (!all || all->dimension != 3) return nullptr;
  const std::size_t rows = reader.rows("fields");
  const auto row_of = [&](const char* column, std::size_t row) {
    return reader.column(column, {row, row + 1, 1}, "fields");
  };
  const std::vector<Sweep> shown =
      read_sweeps(all->lines, row_of("position", 0).width / 3, row_of("strain", 0).width / 6);
  std::size_t width = 0;
  for (const Sweep& sweep : shown) width += sweep.shown.size();
  if (width == 0) return nullptr;

  const std::size_t most = std::max<std::size_t>(limits.motion_bytes / (8 + 40 * width), 2);
  const std::size_t stride = std::max<std::size_t>((rows + most - 1) / most, 1);
  std::vector<double> t, positions, rotations, strains;
  Bounds bounds;
  for (std::size_t row = 0; row < rows; row += stride) {
    t.push_back(row_of("t", row)(0));
    const record::Series position = row_of("position", row), rotation = row_of("rotation", row),
                         strain = row_of("strain", row);
    for (const Sweep& sweep : shown)
      for (const std::size_t node : sweep.shown) {
        for (std::size_t k = 0; k < 3; ++k) {
          positions.push_back(position(0, 3 * node + k));
          if (std::isfinite(positions.back())) bounds.add(k, positions.back(), sweep.reach);
        }
        for (std::size_t k = 0; k < 4; ++k) rotations.push_back(rotation(0, 4 * node + k));
        // A fibre at (x1, x2) of the section is strained by Γ3 − 1 + Ω1 x2 − Ω2 x1.
        for (const std::size_t k : {0, 1}) strains.push_back(at_node(strain, sweep, node, k));
        strains.push_back(at_node(strain, sweep, node, 5) - 1);
      }
  }
  Json json{{"dimension", 3}, {"stride", stride}};
  json["sweeps"] = Json::array();
  for (const Sweep& sweep : shown)
    json["sweeps"].push_back(
        {{"name", sweep.name}, {"nodes", sweep.shown.size()}, {"length", sweep.length}, {"section", sweep.section}});
  add_obstacles(schema, json, bounds);
  json["bounds"] = bounds.box;
  json["t"] = doubles(t);
  json["shapes"] = json["channels"] = Json::array();
  json["position"] = floats(positions);
  json["rotation"] = floats(rotations);
  json["strain"] = floats(strains);
  return json;
}

}  // namespace ricochet::report
