// One corner of the star above the floor: the gap φ and the direction ∇φ in which an impact pushes, by jets.
#include <cmath>
#include <cstdio>
#include <ricochet/numerics/jet.hpp>

int main() {
  using Real = ricochet::numerics::Jet<double, 2>;
  const double half = 0.5, angle = 0.3;
  const Real y = Real::variable(0.8, 0), theta = Real::variable(angle, 1);
  const Real gap = y - half * (sin(theta) + cos(theta));

  const double expected = -half * (std::cos(angle) - std::sin(angle));
  std::printf("gap %.6f, normal (%.6f, %.6f)\n", gap.v, gap.d[0], gap.d[1]);
  return gap.d[0] == 1.0 && std::abs(gap.d[1] - expected) < 1e-15 ? 0 : 1;
}
