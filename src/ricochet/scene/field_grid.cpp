#include "ricochet/scene/field_grid.hpp"

#include <fmt/core.h>

namespace ricochet::scene {

std::string to_json(const FieldGrid& grid) {
  std::string fields;
  for (const auto& f : grid.fields)
    fields += fmt::format(R"({}{{"name": "{}", "dataset": "{}", "on": "{}", "parts": {}}})", fields.empty() ? "" : ", ",
                          f.name, f.dataset, f.on_nodes ? "nodes" : "cells", f.parts);
  return fmt::format(
      R"({{"name": "{}", "nodes": {}, "cells": {}, "dimension": {}, "polylines": "{}", "fields": [{}]}})", grid.name,
      grid.nodes, grid.cells, grid.dimension, grid.polylines, fields);
}

}  // namespace ricochet::scene
