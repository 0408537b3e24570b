// The order of a method, seen in one run: flights to and from impacts are shorter than the steps beside them.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace ricochet::audit {

/// Two neighbouring flights on the same side of an impact, so that their errors C s^(r+1) have nearly the same C.
struct OrderPair {
  double lengths = 1, misses = 1;  ///< long over short
};

struct OrderFit {
  std::optional<double> order;
  double error = 0;
  std::size_t pairs = 0;
};

/// The slope of log(misses) by log(lengths), less one, by least squares with its standard error. Nothing where fewer
/// than eight pairs are there or the error exceeds 0.3.
OrderFit fit_order(const std::vector<OrderPair>& pairs);

}  // namespace ricochet::audit
