#include "ricochet/scene/quadratic_check.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "ricochet/scene/model.hpp"

namespace ricochet::scene {
namespace {

using Ball = numerics::Ball<double>;
using Series = numerics::Taylor<Ball, 2>;

/// ∂L/∂v(q, v + σw, t) is linear in σ for all q, v, w and t if and only if L is quadratic in the velocities. Its second
/// coefficient is enclosed at points around the start: one that excludes zero proves that L is not, whatever cancels in
/// the way it is written. What rounded numbers in the text leave of a term that was to cancel is too small to count.
bool certainly_not_quadratic(const Model& model) {
  constexpr int samples = 40, scales = 5;
  constexpr double share = 1e-5;
  const auto n = static_cast<std::size_t>(model.n);
  const expression::Tape& L = model.lagrangian.tape();
  expression::Workspace<Series> work(L);
  std::vector<Series> x(2 * n + 1), slope(2 * n + 1);
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (int sample = 0; sample < samples; ++sample) {
    const double speed = std::pow(10.0, -(sample % scales));
    for (std::size_t k = 0; k < n; ++k) {
      const auto at = static_cast<Eigen::Index>(k);
      const double q0 = model.q0[at], v0 = model.scene.system.momentum ? 0 : model.v0[at], size = 1 + std::abs(v0);
      x[k] = Ball(sample < scales ? q0 : q0 + 0.1 * (1 + std::abs(q0)) * normal(random));
      x[n + k] = Ball(speed * size * normal(random));
      x[n + k][1] = Ball(speed * size * normal(random));
    }
    L.gradient(0, x.data(), slope.data(), work);
    double linear = 0, bent = 0;
    for (std::size_t k = n; k < 2 * n; ++k) {
      linear += slope[k][1].magnitude();
      bent = std::max(bent, std::abs(slope[k][2].mid) - slope[k][2].rad);
    }
    if (bent > share * linear) return true;
  }
  return false;
}

}  // namespace

void check_quadratic(const Model& model) {
  const Scene& scene = model.scene;
  if (!scene.system.lagrangian || scene.integrator.principle == "weak") return;
  if (scene.system.lagrangian->given() != nullptr) return;  // no enclosure of a function proves that it is not
  for (std::size_t i = 0; i < model.laws.size(); ++i) {
    const int output = static_cast<int>(i);
    const Eigen::VectorXd &q = model.q0, &v = model.v0;
    const auto size = static_cast<std::size_t>(model.n);
    if (model.laws[i] == "elastic") continue;
    if (model.restitution.tape().is_constant(output) &&
        model.restitution(output, Point<double>(q.data(), size), Point<double>(v.data(), size), 0.0) == 1)
      continue;  // it keeps the energy as the elastic law does
    if (!certainly_not_quadratic(model)) return;
    const Gap& gap = scene.gaps[i];
    fail(gap.law ? gap.place : scene.impact.law_place,
         "the law \"" + model.laws[i] + "\" of the gap '" + gap.name +
             "' supposes a kinetic energy quadratic in the velocities, which this lagrangian has not; choose elastic, "
             "or principle = \"weak\"");
  }
}

}  // namespace ricochet::scene
