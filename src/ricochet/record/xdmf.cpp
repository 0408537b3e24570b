#include "ricochet/record/xdmf.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ricochet/record/reader.hpp"

namespace ricochet::record {
namespace {

const Table* find(const Schema& schema, std::string_view name) {
  const auto found =
      std::find_if(schema.datasets.begin(), schema.datasets.end(), [&](const Table& t) { return t.name == name; });
  return found == schema.datasets.end() ? nullptr : &*found;
}

std::size_t width(const Table& table, std::string_view name) {
  for (const Column& column : table.columns)
    if (column.name == name) return column.width;
  return 0;
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
  const Table *mesh = find(reader.schema(), "mesh"), *fields = find(reader.schema(), "fields");
  const fs::path path = dir / "fields.xdmf";
  if (mesh == nullptr || fields == nullptr || reader.rows("mesh") == 0) return remove_file(path);
  if (const std::size_t elements = width(*mesh, "beam"); elements > 0)
    return replace_file(path, beams_xdmf(reader, width(*mesh, "s"), elements), false);
  const std::size_t rows = reader.rows("fields"), meshes = reader.rows("mesh");
  const std::size_t nodes = width(*fields, "position"), cells = width(*fields, "strain");
  const Series t = reader.column("t", {}, "fields");
  fmt::memory_buffer out;
  const auto line = [&](std::string_view text) {
    out.append(text.data(), text.data() + text.size());
    out.push_back('\n');
  };
  line(R"(<?xml version="1.0"?>)");
  line(R"(<Xdmf Version="2.0">)");
  line(R"(<Domain>)");
  line(R"(<Grid Name="bars" GridType="Collection" CollectionType="Temporal">)");
  for (std::size_t row = 0; row < rows; ++row) {
    line(R"(<Grid Name="bars" GridType="Uniform">)");
    line(fmt::format(R"(<Time Value="{}"/>)", t(row)));
    line(fmt::format(R"(<Topology TopologyType="Polyline" NodesPerElement="2" NumberOfElements="{}">)", cells));
    line(xdmf_item("mesh/cells", 0, meshes, 2 * cells, true));
    line(R"(</Topology>)");
    line(R"(<Geometry GeometryType="X_Y_Z">)");
    line(xdmf_item("fields/position", row, rows, nodes));
    line(xdmf_item("mesh/zero", 0, meshes, nodes));
    line(xdmf_item("mesh/zero", 0, meshes, nodes));
    line(R"(</Geometry>)");
    line(R"(<Attribute Name="velocity" AttributeType="Scalar" Center="Node">)");
    line(xdmf_item("fields/velocity", row, rows, nodes));
    line(R"(</Attribute>)");
    line(R"(<Attribute Name="strain" AttributeType="Scalar" Center="Cell">)");
    line(xdmf_item("fields/strain", row, rows, cells));
    line(R"(</Attribute>)");
    line(R"(<Attribute Name="bar" AttributeType="Scalar" Center="Cell">)");
    line(xdmf_item("mesh/bar", 0, meshes, cells, true));
    line(R"(</Attribute>)");
    line(R"(</Grid>)");
  }
  line(R"(</Grid>)");
  line(R"(</Domain>)");
  line(R"(</Xdmf>)");
  replace_file(path, std::string_view(out.data(), out.size()), false);
}

}  // namespace ricochet::record
