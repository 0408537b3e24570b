#include "ricochet/audit/order.hpp"

#include <cmath>

namespace ricochet::audit {

OrderFit fit_order(const std::vector<OrderPoint>& points) {
  OrderFit fit;
  std::vector<std::pair<double, double>> logs;
  std::size_t above = 0;
  double shortest = 0, longest = 0;
  for (const OrderPoint& p : points) {
    if (!(p.s > 0) || !std::isfinite(p.miss)) continue;
    if (p.miss > 4 * p.rounding) ++above;
    if (!(p.miss > 100 * p.rounding)) continue;
    logs.emplace_back(std::log(p.s), std::log(p.miss));
    shortest = logs.size() == 1 ? p.s : std::min(shortest, p.s);
    longest = std::max(longest, p.s);
  }
  fit.exact = !points.empty() && above * 100 <= points.size();
  fit.points = logs.size();
  if (logs.size() < 12 || longest < 2 * shortest) return fit;
  double x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  const auto n = static_cast<double>(logs.size());
  for (const auto& [a, b] : logs) x += a / n, y += b / n;
  for (const auto& [a, b] : logs) xx += (a - x) * (a - x), xy += (a - x) * (b - y), yy += (b - y) * (b - y);
  const double slope = xy / xx;
  fit.error = std::sqrt(std::max(0.0, yy - slope * xy) / ((n - 2) * xx));
  if (fit.error <= 0.3) fit.order = slope - 1;
  return fit;
}

}  // namespace ricochet::audit
