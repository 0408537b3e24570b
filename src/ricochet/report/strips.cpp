#include "ricochet/report/strips.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ricochet/report/polylines.hpp"

namespace ricochet::report {
namespace {

constexpr std::size_t most_pieces_of_a_strip = 200;

struct Strip {
  std::string name;
  std::vector<std::size_t> nodes;  ///< those that are shown, the ends among them
};

/// Nothing where the list is not what this program writes.
std::vector<Strip> read_strips(const Json& list, std::size_t all_nodes) {
  std::vector<Strip> strips;
  for (const Json& line : list) {
    if (!line.is_object() || !line.contains("first_node") || !line.contains("nodes")) return {};
    const auto first = line["first_node"].get<std::size_t>(), nodes = line["nodes"].get<std::size_t>();
    if (nodes < 2 || first + nodes > all_nodes) return {};
    strips.push_back({line.value("name", ""), shown_nodes(first, nodes, most_pieces_of_a_strip)});
  }
  return strips;
}

}  // namespace

Json strips(const record::Reader& reader, const Limits& limits) {
  const record::Schema& schema = reader.schema();
  const std::optional<Polylines> all = polylines(reader);
  if (!all || all->dimension != 1) return nullptr;
  const std::size_t rows = reader.rows("fields");
  const record::Series reference = reader.column("reference", {0, 1, 1}, "mesh");
  const std::vector<Strip> shown = read_strips(all->lines, reference.width);
  std::size_t width = 0;
  for (const Strip& strip : shown) width += strip.nodes.size();
  if (width == 0) return nullptr;

  const std::size_t most = std::max<std::size_t>(limits.motion_bytes / (8 + 4 * width), 2);
  const std::size_t stride = std::max<std::size_t>((rows + most - 1) / most, 1);
  std::vector<double> t, displacement;
  double low = reference(0, shown[0].nodes[0]), high = low;
  for (std::size_t row = 0; row < rows; row += stride) {
    // One row at a time: there may be millions of nodes.
    t.push_back(reader.column("t", {row, row + 1, 1}, "fields")(0));
    const record::Series position = reader.column("position", {row, row + 1, 1}, "fields");
    for (const Strip& strip : shown)
      for (const std::size_t node : strip.nodes) {
        const double x = position(0, node);
        displacement.push_back(std::isfinite(x) ? x - reference(0, node) : 0);
        if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
      }
  }
  Json json{{"dimension", 1},  {"stride", stride},        {"bounds", {low, high}},
            {"t", doubles(t)}, {"strips", Json::array()}, {"displacement", floats(displacement)}};
  for (const Strip& strip : shown) {
    std::vector<double> at;
    for (const std::size_t node : strip.nodes) at.push_back(reference(0, node));
    json["strips"].push_back({{"name", strip.name}, {"reference", doubles(at)}});
  }
  json["walls"] = Json::array();
  if (const auto walls = schema.attributes.find("walls"); walls != schema.attributes.end()) {
    const Json list = Json::parse(walls->second, nullptr, false);
    if (list.is_array()) json["walls"] = list;
  }
  return json;
}

}  // namespace ricochet::report
