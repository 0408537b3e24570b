#include "ricochet/audit/order.hpp"

#include <algorithm>
#include <cmath>

namespace ricochet::audit {

OrderFit fit_order(const std::vector<OrderPair>& pairs) {
  OrderFit fit;
  fit.pairs = pairs.size();
  if (pairs.size() < 8) return fit;
  double xx = 0, xy = 0, yy = 0;
  for (const OrderPair& pair : pairs) {
    const double x = std::log(pair.lengths), y = std::log(pair.misses);
    xx += x * x, xy += x * y, yy += y * y;
  }
  if (!(xx > 0)) return fit;
  const double slope = xy / xx;
  fit.error = std::sqrt(std::max(0.0, yy - slope * xy) / (static_cast<double>(pairs.size() - 1) * xx));
  if (fit.error <= 0.3) fit.order = slope - 1;
  return fit;
}

}  // namespace ricochet::audit
