// fields.xdmf of beams: curves in space with a frame at every node.
#include <fmt/format.h>

#include "ricochet/record/reader.hpp"
#include "ricochet/record/xdmf.hpp"

namespace ricochet::record {
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
    line(xdmf_item("mesh/cells", 0, meshes, 2 * cells, true));
    line(R"(</Topology>)");
    line(R"(<Geometry GeometryType="XYZ">)");
    line(xdmf_item("fields/position", row, rows, nodes, false, 3));
    line(R"(</Geometry>)");
    for (const Attribute& a : fields) {
      line(fmt::format(R"(<Attribute Name="{}" AttributeType="{}" Center="{}">)", a.name, a.type, a.center));
      line(xdmf_item(a.dataset, row, rows, a.count, false, a.parts));
      line(R"(</Attribute>)");
    }
    line(R"(<Attribute Name="s" AttributeType="Scalar" Center="Node">)");
    line(xdmf_item("mesh/s", 0, meshes, nodes));
    line(R"(</Attribute>)");
    line(R"(<Attribute Name="beam" AttributeType="Scalar" Center="Cell">)");
    line(xdmf_item("mesh/beam", 0, meshes, cells, true));
    line(R"(</Attribute>)");
    line(R"(</Grid>)");
  }
  line(R"(</Grid>)");
  line(R"(</Domain>)");
  line(R"(</Xdmf>)");
  return fmt::to_string(out);
}

}  // namespace ricochet::record
