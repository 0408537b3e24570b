// A motion from any engine: a table of numbers, and which column is what.
#pragma once

#include <string>
#include <string_view>

#include "ricochet/audit/trajectory.hpp"

namespace ricochet::audit {

/// Which columns hold what; every entry is the name of a column or an expression of columns ("angle*pi/180").
struct ColumnMap {
  std::string name;  ///< of the file, for sentences; empty: columns are found by the names of the coordinates
  std::vector<std::pair<std::string, scene::Expression>> columns;
  std::optional<double> precision;
};

/// Reads a map (TOML): [columns] with t, <coordinate>, v_<coordinate> or p_<coordinate>; `precision`. Throws
/// Error(bad_scene, "file:line:column: sentence").
ColumnMap parse_map(std::string_view text, const std::string& name);

/// Rows that cannot be used are left out, and the notes say so. Throws Error(bad_scene) where nothing can be judged.
Trajectory parse_csv(std::string_view text, const std::string& name, const scene::Model& model,
                     const Dynamics& dynamics, const ColumnMap& map);

}  // namespace ricochet::audit
