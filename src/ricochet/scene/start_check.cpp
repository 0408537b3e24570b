#include "ricochet/scene/start_check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "ricochet/error.hpp"
#include "ricochet/scene/model.hpp"

namespace ricochet::scene {
namespace {

Point<double> as_point(const Eigen::VectorXd& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

}  // namespace

void check_normals(const Model& model) {
  using Ball = numerics::Ball<double>;
  const std::vector<Ball> q(model.q0.begin(), model.q0.end());
  Eigen::VectorXd slope(model.n);
  for (int i = 0; i < model.gaps.outputs(); ++i) {
    if (model.gaps.given(i) != nullptr) continue;  // its derivatives are compared with differences where it is given
    const Ball value = model.gaps(i, Point<Ball>(q), Ball(0));
    const bool closed = std::abs(value.mid) <= value.rad && std::isfinite(value.rad);  // to the rounding of its terms
    if (!closed) continue;
    model.gaps.gradient(i, as_point(model.q0), 0.0, std::span<double>(slope.data(), as_point(slope).size()));
    const Gap& gap = model.scene.gaps[static_cast<std::size_t>(i)];
    if (slope.isZero(0))
      fail(gap.expression.place, "the gap '" + gap.name +
                                     "' is closed at the start, and all its derivatives by the coordinates are zero "
                                     "there: it has no normal to push along");
  }
}

void check_admissible(const Model& model) {
  using Ball = numerics::Ball<double>;
  std::vector<Ball> q;
  for (const double x : model.q0) q.emplace_back(x, 1e-9 * (1 + std::abs(x)));
  const auto violated = [&](int i) {
    return model.gaps.given(i) == nullptr && model.gaps(i, Point<Ball>(q), Ball(0)).upper() < 0;
  };
  const auto in_violated_union = [&](int i) {
    return std::ranges::any_of(model.scene.gaps[static_cast<std::size_t>(i)].unions, [&](int number) {
      return std::ranges::all_of(model.unions[static_cast<std::size_t>(number)], violated);
    });
  };
  for (int i = 0; i < model.gaps.outputs(); ++i) {
    if (model.gaps.given(i) != nullptr) continue;  // the run tells
    const bool alone = model.scene.gaps[static_cast<std::size_t>(i)].unions.empty();
    if (!violated(i) || !(alone || in_violated_union(i))) continue;
    const double depth = -model.gaps(i, as_point(model.q0), 0.0);
    throw Error(ErrorKind::inadmissible_start, fmt::format("the start violates the gap \"{}\" by {:.6g}",
                                                           model.scene.gaps[static_cast<std::size_t>(i)].name, depth));
  }
}

void check_forces(const Model& model, const Eigen::VectorXd& velocity) {
  int component = 0;
  for (const Force& force : model.scene.forces)
    for (const Expression& e : force.components)
      if (!std::isfinite(model.forces(component++, as_point(model.q0), as_point(velocity), 0.0)))
        fail(e.place, "this component of the force is not a finite number at the start");
}

}  // namespace ricochet::scene
