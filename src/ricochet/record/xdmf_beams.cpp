// fields.xdmf of beams: curves in space with a frame at every node.
#include <fmt/format.h>

#include "ricochet/record/reader.hpp"
#include "ricochet/record/xdmf.hpp"

namespace ricochet::record {
namespace {

/// Row `row` of a dataset of `rows` × (count · parts) numbers, as `count` tuples of `parts`.
std::string item(const char* dataset, std::size_t row, std::size_t rows, std::size_t count, std::size_t parts,
                 bool integer = false) {
  const std::string shape = parts == 1 ? fmt::format("{}", count) : fmt::format("{} {}", count, parts);
  return fmt::format(
      R"(<DataItem ItemType="HyperSlab" Dimensions="{0}"><DataItem Dimensions="3 2" Format="XML">{1} 0 1 1 1 {2}</DataItem><DataItem Dimensions="{3} {2}" NumberType="{4}" Precision="8" Format="HDF">trajectory.h5:/{5}</DataItem></DataItem>)",
      shape, row, count * parts, rows, integer ? "Int" : "Float", dataset);
}

}  // namespace

std::string beams_xdmf(const Reader& reader, std::size_t nodes, std::size_t cells) {
  const std::size_t rows = reader.rows("fields"), meshes = reader.rows("mesh");
  const Series t = reader.column("t", {}, "fields");
  fmt::memory_buffer out;
  const auto line = [&](std::string_view text) {
    out.append(text.data(), text.data() + text.size());
    out.push_back('\n');
  };
  struct Attribute {
    const char *name, *type, *center, *dataset;
    std::size_t count, parts;
  };
  // The quaternion of a section and the six strains of an element have no type of their own: rows of a matrix.
  const Attribute fields[] = {{"rotation", "Matrix", "Node", "fields/rotation", nodes, 4},
                              {"velocity", "Vector", "Node", "fields/velocity", nodes, 3},
                              {"spin", "Vector", "Node", "fields/spin", nodes, 3},
                              {"strain", "Matrix", "Cell", "fields/strain", cells, 6}};
  line(R"(<?xml version="1.0"?>)");
  line(R"(<Xdmf Version="2.0">)");
  line(R"(<Domain>)");
  line(R"(<Grid Name="beams" GridType="Collection" CollectionType="Temporal">)");
  for (std::size_t row = 0; row < rows; ++row) {
    line(R"(<Grid Name="beams" GridType="Uniform">)");
    line(fmt::format(R"(<Time Value="{}"/>)", t(row)));
    line(fmt::format(R"(<Topology TopologyType="Polyline" NodesPerElement="2" NumberOfElements="{}">)", cells));
    line(item("mesh/cells", 0, meshes, 2 * cells, 1, true));
    line(R"(</Topology>)");
    line(R"(<Geometry GeometryType="XYZ">)");
    line(item("fields/position", row, rows, nodes, 3));
    line(R"(</Geometry>)");
    for (const Attribute& a : fields) {
      line(fmt::format(R"(<Attribute Name="{}" AttributeType="{}" Center="{}">)", a.name, a.type, a.center));
      line(item(a.dataset, row, rows, a.count, a.parts));
      line(R"(</Attribute>)");
    }
    line(R"(<Attribute Name="s" AttributeType="Scalar" Center="Node">)");
    line(item("mesh/s", 0, meshes, nodes, 1));
    line(R"(</Attribute>)");
    line(R"(<Attribute Name="beam" AttributeType="Scalar" Center="Cell">)");
    line(item("mesh/beam", 0, meshes, cells, 1, true));
    line(R"(</Attribute>)");
    line(R"(</Grid>)");
  }
  line(R"(</Grid>)");
  line(R"(</Domain>)");
  line(R"(</Xdmf>)");
  return fmt::to_string(out);
}

}  // namespace ricochet::record
