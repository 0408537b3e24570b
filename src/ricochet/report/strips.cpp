#include "ricochet/report/strips.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ricochet::report {
namespace {

constexpr std::size_t most_pieces_of_a_bar = 200;  // more cannot be told apart on a screen

struct Strip {
  std::string name;
  std::vector<std::size_t> nodes;  ///< those that are shown, the ends among them
};

/// Reads the attribute `bars`; nothing where it is not what bars write.
std::vector<Strip> read_strips(const std::string& text, std::size_t all_nodes) {
  std::vector<Strip> strips;
  const Json list = Json::parse(text, nullptr, false);
  if (!list.is_array()) return strips;
  for (const Json& bar : list) {
    if (!bar.is_object() || !bar.contains("first_node") || !bar.contains("nodes")) return {};
    const auto first = bar["first_node"].get<std::size_t>(), nodes = bar["nodes"].get<std::size_t>();
    if (nodes < 2 || first + nodes > all_nodes) return {};
    Strip strip{bar.value("name", ""), {}};
    const std::size_t pieces = std::min(nodes - 1, most_pieces_of_a_bar);
    for (std::size_t i = 0; i <= pieces; ++i) strip.nodes.push_back(first + i * (nodes - 1) / pieces);
    strips.push_back(std::move(strip));
  }
  return strips;
}

}  // namespace

Json strips(const record::Reader& reader, const Limits& limits) {
  const record::Schema& schema = reader.schema();
  const auto bars = schema.attributes.find("bars");
  const auto has = [&](const char* name) {
    return std::any_of(schema.datasets.begin(), schema.datasets.end(), [&](const auto& t) { return t.name == name; });
  };
  if (bars == schema.attributes.end() || !has("fields") || !has("mesh")) return nullptr;
  const std::size_t rows = reader.rows("fields");
  if (rows == 0 || reader.rows("mesh") == 0) return nullptr;
  const record::Series reference = reader.column("reference", {0, 1, 1}, "mesh");
  const std::vector<Strip> shown = read_strips(bars->second, reference.width);
  std::size_t width = 0;
  for (const Strip& strip : shown) width += strip.nodes.size();
  if (width == 0) return nullptr;

  const std::size_t most = std::max<std::size_t>(limits.motion_bytes / (8 + 4 * width), 2);
  const std::size_t stride = std::max<std::size_t>((rows + most - 1) / most, 1);
  std::vector<double> t, displacement;
  double low = reference(0, shown[0].nodes[0]), high = low;
  for (std::size_t row = 0; row < rows; row += stride) {
    // One row at a time: bars may have millions of nodes.
    t.push_back(reader.column("t", {row, row + 1, 1}, "fields")(0));
    const record::Series position = reader.column("position", {row, row + 1, 1}, "fields");
    for (const Strip& strip : shown)
      for (const std::size_t node : strip.nodes) {
        const double x = position(0, node);
        displacement.push_back(std::isfinite(x) ? x - reference(0, node) : 0);
        if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
      }
  }
  Json json{{"dimension", 1},  {"stride", stride},      {"bounds", {low, high}},
            {"t", doubles(t)}, {"bars", Json::array()}, {"displacement", floats(displacement)}};
  for (const Strip& strip : shown) {
    std::vector<double> at;
    for (const std::size_t node : strip.nodes) at.push_back(reference(0, node));
    json["bars"].push_back({{"name", strip.name}, {"reference", doubles(at)}});
  }
  json["walls"] = Json::array();
  if (const auto walls = schema.attributes.find("walls"); walls != schema.attributes.end()) {
    const Json list = Json::parse(walls->second, nullptr, false);
    if (list.is_array()) json["walls"] = list;
  }
  return json;
}

}  // namespace ricochet::report
