#include "ricochet/report/polylines.hpp"

#include <algorithm>

namespace ricochet::report {

std::optional<Polylines> polylines(const record::Reader& reader) {
  const record::Schema& schema = reader.schema();
  const auto attribute = [&](const std::string& name) {
    const auto found = schema.attributes.find(name);
    return found == schema.attributes.end() ? Json() : Json::parse(found->second, nullptr, false);
  };
  const auto has = [&](const char* name) {
    return std::any_of(schema.datasets.begin(), schema.datasets.end(), [&](const auto& t) { return t.name == name; });
  };
  const Json grid = attribute("grid");
  if (!grid.is_object() || !has("fields") || !has("mesh")) return std::nullopt;
  if (reader.rows("fields") == 0 || reader.rows("mesh") == 0) return std::nullopt;
  Polylines found{grid.value("dimension", std::size_t(1)), attribute(grid.value("polylines", ""))};
  if (!found.lines.is_array()) return std::nullopt;
  return found;
}

std::vector<std::size_t> shown_nodes(std::size_t first, std::size_t nodes, std::size_t pieces) {
  pieces = std::min(nodes - 1, pieces);
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i <= pieces; ++i) shown.push_back(first + i * (nodes - 1) / pieces);
  return shown;
}

}  // namespace ricochet::report
