// The directions a run can start in: those that keep what is held closed and at rest.
#pragma once

#include "ricochet/tangent/instant.hpp"

namespace ricochet::tangent {

inline std::vector<std::size_t> everyone(std::size_t k) {
  std::vector<std::size_t> all(k);
  for (std::size_t i = 0; i < k; ++i) all[i] = i;
  return all;
}

/// Σλ_i∇φ_i.
template <class T>
std::vector<T> impulse_sum(const Acting<T>& on, const std::vector<T>& lambda) {
  std::vector<T> sum(on.n.empty() ? 0 : on.n[0].size(), T(0));
  for (std::size_t i = 0; i < on.size(); ++i)
    for (std::size_t r = 0; r < sum.size(); ++r) sum[r] += lambda[i] * on.n[i][r];
  return sum;
}

/// Projects columns on δφ_i = 0 and δφ̇_i = 0 of the gaps and constraints `held` at the node, in the kinetic metric:
///
///   δq ← δq − M⁻¹Σκ_i∇φ_i, Wκ = δφ at fixed δv,   then   δp ← δp − Σν_i∇φ_i, Wν = δφ̇
///
/// Without it the first held flight would close the gap within one step, with a velocity of δφ/h: its columns would be
/// those of a step, not of the motion. Tells the largest change of a column, relative to the column.
template <class Mechanics, class Family, class Node>
typename Mechanics::Real project_start(const Mechanics& mechanics, const Family& family, const Node& node,
                                       const std::vector<int>& held, Columns<Mechanics>& x) {
  using Real = typename Mechanics::Real;
  using Block = typename Columns<Mechanics>::Block;
  Instant<Mechanics, Family> instant;
  instant.at(mechanics, family, node);
  typename Instant<Mechanics, Family>::Vector value;
  const Block q = x.q, p = x.p, dv = instant.velocities(x);
  const Block away = instant.push(
      [&]<class T>(const Argument<T>& a) {
        Acting<T> on = acting(family, held, a);
        std::vector<T> phi;
        for (const int i : held) phi.push_back(family.gap(i, a.q(), a.t(), a.theta()));
        const std::vector<T> kappa = solve_on(on, everyone(on.size()), phi);
        on.n = on.over_mass;
        return impulse_sum(on, kappa);
      },
      x, dv, value);
  x.q -= away;
  x.p -= instant.stage().second.Lvq * away;
  x.p -= instant.push(
      [&]<class T>(const Argument<T>& a) {
        const Acting<T> on = acting(family, held, a);
        return impulse_sum(on, solve_on(on, everyone(on.size()), on.rate));
      },
      x, dv, value);
  Real largest = 0;
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    const Real size = std::max(q.col(k).norm(), p.col(k).norm());
    const Real change = std::max((x.q.col(k) - q.col(k)).norm(), (x.p.col(k) - p.col(k)).norm());
    if (change > 0) largest = std::max(largest, change / std::max(size, std::numeric_limits<Real>::min()));
  }
  return largest;
}

}  // namespace ricochet::tangent
