// A plot with two logarithmic axes as an SVG file that needs nothing else.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ricochet::app {

struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;  ///< those that are not positive and finite are left out
};

std::string log_plot(const std::string& title, const std::string& x_label, const std::string& y_label,
                     const std::vector<Curve>& curves);

}  // namespace ricochet::app
