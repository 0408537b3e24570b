// How the fields of a body lie on its nodes and cells, for whoever shows them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ricochet::scene {

/// Lines of nodes with fields on them, recorded in the datasets `mesh` (once) and `fields` (many rows). Readers of a
/// record draw what this says and need not know what kind of body it was.
struct FieldGrid {
  struct Field {
    std::string name, dataset;
    bool on_nodes = true;   ///< otherwise on the cells
    std::size_t parts = 1;  ///< numbers per node or cell
  };
  std::string name;
  std::size_t nodes = 0, cells = 0;
  std::size_t dimension = 1;  ///< of the positions of nodes, fields/position
  std::vector<Field> fields;
  std::string polylines;  ///< the attribute of the record that lists the lines: name, first_node, nodes, …
};

/// As the attribute `grid` of a record.
std::string to_json(const FieldGrid& grid);

}  // namespace ricochet::scene
