// Curves on logarithmic axes as an SVG: text alone, nothing to fetch, opens in any browser.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ricochet::app {

struct Curve {
  std::string label;
  int color = 0;        ///< number in the palette; curves of one label share it
  bool dashed = false;  ///< a guide, without marks
  std::vector<std::pair<double, double>> points;
};

/// Both axes are logarithmic; points that are not positive and finite are left out.
struct Panel {
  std::string title, x, y;
  std::vector<Curve> curves;
};

/// The panels side by side, with the labels of all curves below.
std::string svg(const std::vector<Panel>& panels);

}  // namespace ricochet::app
