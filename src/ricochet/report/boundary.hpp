// The boundary of C as something to draw: straight walls where a gap is the distance of a material point from a plane,
// and otherwise the values of the gaps on a grid, for the page to draw the line φ = 0.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ricochet/report/stage.hpp"
#include "ricochet/scene/model.hpp"

namespace ricochet::report {

/// Admissible where n·x + c ≥ 0. Of a wall that moves along its normal, c is that of t = 0.
struct Wall {
  std::string gap;
  std::array<double, 3> n{};
  double c = 0;
  bool moving = false;
  int index = 0;          ///< of the gap
  std::size_t point = 0;  ///< the material point whose distance it is
  double length = 1;      ///< φ = length · (n·x + c − radius)
};

/// c of a moving wall at any time.
double offset_at(const Stage& stage, const scene::Model& model, const Wall& wall, double t);

/// min φ_i over some gaps, row after row from the lower left corner.
struct GapGrid {
  std::vector<std::string> gaps;
  std::array<double, 4> box{};  ///< x0, y0, x1, y1
  std::size_t columns = 0, rows = 0;
  std::vector<double> values;
};

struct Boundary {
  std::vector<Wall> walls;
  std::optional<GapGrid> grid;
  std::vector<std::string> hidden;  ///< gaps that are neither
};

/// `box` is what the motion covers; the grid reaches beyond it.
Boundary boundary(const Stage& stage, const scene::Model& model, const std::array<double, 4>& box);

}  // namespace ricochet::report
