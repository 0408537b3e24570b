#include "ricochet/record/xdmf.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "ricochet/record/reader.hpp"

namespace ricochet::record {
namespace {

const Column* find(const Schema& schema, std::string_view dataset) {
  const std::size_t slash = dataset.find('/');
  for (const Table& table : schema.datasets)
    if (table.name == dataset.substr(0, slash))
      for (const Column& column : table.columns)
        if (column.name == dataset.substr(slash + 1)) return &column;
  return nullptr;
}

/// Writes lines.
class Text {
 public:
  void operator()(std::string_view text) {
    out_.append(text.data(), text.data() + text.size());
    out_.push_back('\n');
  }
  std::string_view all() const { return {out_.data(), out_.size()}; }

 private:
  fmt::memory_buffer out_;
};

/// The attribute `grid` of a record: which fields there are, and what they stand on (scene/field_grid.hpp).
struct Grid {
  struct Field {
    std::string name, dataset;
    bool on_nodes, integer;
    std::size_t parts;

    /// A quaternion, or the strains of a section, have no type of their own: rows of a matrix.
    const char* type() const { return parts == 1 ? "Scalar" : parts == 3 ? "Vector" : "Matrix"; }
  };
  std::string name;
  std::size_t nodes = 0, cells = 0, dimension = 1;
  std::vector<Field> fields;
};

std::optional<Grid> grid_of(const Schema& schema) {
  const auto found = schema.attributes.find("grid");
  if (found == schema.attributes.end() || find(schema, "mesh/cells") == nullptr ||
      find(schema, "fields/position") == nullptr)
    return std::nullopt;
  const auto json = nlohmann::json::parse(found->second, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  try {
    Grid grid{json.at("name"), json.at("nodes"), json.at("cells"), json.at("dimension"), {}};
    for (const auto& field : json.at("fields")) {
      const std::string dataset = field.at("dataset");
      const Column* column = find(schema, dataset);
      if (column == nullptr) return std::nullopt;
      grid.fields.push_back({field.at("name"), dataset, field.at("on") == "nodes", column->integer, field.at("parts")});
    }
    return grid;
  } catch (const nlohmann::json::exception&) {  // not what this program writes
    return std::nullopt;
  }
}

}  // namespace

std::string xdmf_item(const char* dataset, std::size_t row, std::size_t rows, std::size_t count, bool integer,
                      std::size_t parts) {
  const std::string shape = parts == 1 ? fmt::format("{}", count) : fmt::format("{} {}", count, parts);
  return fmt::format(
      R"(<DataItem ItemType="HyperSlab" Dimensions="{0}"><DataItem Dimensions="3 2" Format="XML">{1} 0 1 1 1 {2}</DataItem><DataItem Dimensions="{3} {2}" NumberType="{4}" Precision="8" Format="HDF">trajectory.h5:/{5}</DataItem></DataItem>)",
      shape, row, count * parts, rows, integer ? "Int" : "Float", dataset);
}

void write_xdmf(const fs::path& dir) {
  const Reader reader(dir);
  const fs::path path = dir / "fields.xdmf";
  const std::optional<Grid> grid = grid_of(reader.schema());
  if (!grid || reader.rows("mesh") == 0) return remove_file(path);
  const std::size_t rows = reader.rows("fields"), meshes = reader.rows("mesh");
  const Series t = reader.column("t", {}, "fields");
  Text line;
  line(R"(<?xml version="1.0"?>)");
  line(R"(<Xdmf Version="2.0">)");
  line(R"(<Domain>)");
  line(fmt::format(R"(<Grid Name="{}" GridType="Collection" CollectionType="Temporal">)", grid->name));
  for (std::size_t row = 0; row < rows; ++row) {
    line(fmt::format(R"(<Grid Name="{}" GridType="Uniform">)", grid->name));
    line(fmt::format(R"(<Time Value="{}"/>)", t(row)));
    line(fmt::format(R"(<Topology TopologyType="Polyline" NodesPerElement="2" NumberOfElements="{}">)", grid->cells));
    line(xdmf_item("mesh/cells", 0, meshes, 2 * grid->cells, true));
    line(R"(</Topology>)");
    if (grid->dimension == 1) {
      line(R"(<Geometry GeometryType="X_Y_Z">)");
      line(xdmf_item("fields/position", row, rows, grid->nodes));
      for (int zero = 0; zero < 2; ++zero) line(xdmf_item("mesh/zero", 0, meshes, grid->nodes));
    } else {
      line(R"(<Geometry GeometryType="XYZ">)");
      line(xdmf_item("fields/position", row, rows, grid->nodes, false, grid->dimension));
    }
    line(R"(</Geometry>)");
    for (const Grid::Field& field : grid->fields) {
      const bool once = field.dataset.starts_with("mesh/");
      line(fmt::format(R"(<Attribute Name="{}" AttributeType="{}" Center="{}">)", field.name, field.type(),
                       field.on_nodes ? "Node" : "Cell"));
      line(xdmf_item(field.dataset.c_str(), once ? 0 : row, once ? meshes : rows,
                     field.on_nodes ? grid->nodes : grid->cells, field.integer, field.parts));
      line(R"(</Attribute>)");
    }
    line(R"(</Grid>)");
  }
  line(R"(</Grid>)");
  line(R"(</Domain>)");
  line(R"(</Xdmf>)");
  replace_file(path, line.all(), false);
}

}  // namespace ricochet::record
