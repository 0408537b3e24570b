// The order of a method, seen in one run: flights to and from impacts have many lengths.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace ricochet::audit {

struct OrderPoint {
  double s = 0, miss = 0, rounding = 0;
};

struct OrderFit {
  std::optional<double> order;
  double error = 0;
  std::size_t points = 0;
  bool exact = false;  ///< nothing rises above rounding
};

/// The local error of a method of order r over a flight of length s is C s^(r+1): the slope of log(miss) by log(s),
/// less one, by least squares with the standard error of the slope.
OrderFit fit_order(const std::vector<OrderPoint>& points);

}  // namespace ricochet::audit
