// `ricochet orbit`: periodic orbits with impacts by Newton shooting, with their multipliers.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "ricochet/app/dense.hpp"
#include "ricochet/app/derivatives.hpp"
#include "ricochet/app/failure.hpp"
#include "ricochet/app/paths.hpp"
#include "ricochet/error.hpp"
#include "ricochet/scene/derivatives.hpp"

namespace ricochet::app {
namespace {

/// One period from (q,p): where it ends, and the derivative of that.
struct Shot {
  Eigen::VectorXd end;
  Eigen::MatrixXd J;
  std::int64_t impacts = 0;
  double reach = 0;  ///< largest distance from the start, in phase space
  tangent::Irregularities irregular;
};

class Shooting {
 public:
  Shooting(std::shared_ptr<const scene::Model> model, std::int64_t steps) : model_(std::move(model)), steps_(steps) {}

  Shot operator()(const Eigen::VectorXd& x, double period) const {
    auto model = std::make_shared<scene::Model>(*model_);
    model->scene.system.momentum = true;
    model->q0 = x.head(model->n);
    model->v0 = x.tail(model->n);
    scene::DerivativesTable table;
    table.position = table.momentum = true;
    const auto run = scene::differentiate(model, table);
    Shot shot;
    for (std::int64_t k = 0; k < steps_; ++k) {
      try {
        run->run(period / static_cast<double>(steps_), 1);
      } catch (const Error& error) {
        throw RunFailed(error, run->t());
      }
      shot.reach = std::max(shot.reach, (run->state() - x).norm());
    }
    shot.end = run->state();
    shot.J = run->derivative();
    shot.impacts = run->impacts();
    shot.irregular = run->irregularities();
    return shot;
  }
  Eigen::VectorXd start() const {
    scene::DerivativesTable table;
    table.position = table.momentum = true;
    return scene::differentiate(model_, table)->state();
  }

 private:
  std::shared_ptr<const scene::Model> model_;
  std::int64_t steps_;
};

bool driven(const scene::Model& model) {
  if (model.timed) return true;
  for (const bool moves : model.moving)
    if (moves) return true;
  for (int i = 0; i < model.forces.outputs(); ++i)
    if (model.forces.tape().depends_on(i, 2 * model.n)) return true;
  return false;
}

struct Orbit {
  Eigen::VectorXd x;
  double period = 0;
  Shot shot;
  std::vector<double> residuals;
  bool converged = false;
  std::string why;  ///< it is not the orbit that was asked for, in a few words
};

/// What Newton likes to converge to instead of an orbit with impacts. A point at rest returns after any period, and so
/// does every point after none: neither moves.
std::string collapsed(const Orbit& orbit, double guess, std::optional<std::int64_t> impacts) {
  const double scale = 1 + orbit.x.norm();
  if (orbit.period < 1e-3 * guess)
    return fmt::format("the period has shrunk to {:.3g}: that is no orbit", orbit.period);
  if (orbit.shot.reach <= 1e-6 * scale)
    return fmt::format("Newton has gone to a point of rest, which moves by no more than {:.1e}", orbit.shot.reach);
  if (impacts && orbit.shot.impacts != *impacts)
    return fmt::format("the orbit that Newton has found has {} impacts in its period of {:.6g}, not {}",
                       orbit.shot.impacts, orbit.period, *impacts);
  if (!impacts && orbit.shot.impacts == 0)
    return fmt::format("the orbit that Newton has found (period {:.6g}) has no impacts; --impacts 0 asks for such",
                       orbit.period);
  return {};
}

/// Newton on Φ(x) − x = 0, with the period among the unknowns where nothing drives the system: then the orbit is one of
/// a family, and the step is the shortest one (of the pseudo-inverse). A step that leaves the admissible set, or ends
/// where a run fails, is halved.
Orbit solve(const Shooting& shoot, Eigen::VectorXd x, double period, bool fixed_period, int iterations) {
  Orbit orbit;
  const Eigen::Index n2 = x.size();
  const double scale = 1 + x.norm();
  orbit.shot = shoot(x, period);
  for (int it = 0;; ++it) {
    const Eigen::VectorXd r = orbit.shot.end - x;
    orbit.residuals.push_back(r.norm());
    orbit.x = x;
    orbit.period = period;
    if (!orbit.shot.J.allFinite() || !std::isfinite(r.norm())) {
      orbit.why = "the derivative does not exist along the way";
      if (!orbit.shot.irregular.none())
        orbit.why.append(": ").append(sentence(orbit.shot.irregular.first.front().kind));
      return orbit;
    }
    if (r.norm() <= 1e-12 * scale) {
      orbit.converged = true;
      return orbit;
    }
    // At the level of rounding, magnified by the orbit itself, it cannot shrink further.
    const auto k = orbit.residuals.size();
    if (k > 2 && r.norm() <= 1e-10 * scale && r.norm() > orbit.residuals[k - 2] / 2) {
      orbit.converged = true;
      return orbit;
    }
    if (it == iterations) return orbit;
    Eigen::MatrixXd A(n2, n2 + (fixed_period ? 0 : 1));
    A.leftCols(n2) = orbit.shot.J - Eigen::MatrixXd::Identity(n2, n2);
    if (!fixed_period) {
      // The step is not among the directions of the tangent: a central difference serves for this column.
      const double d = 1e-6 * period;
      A.col(n2) = (shoot(x, period + d).end - shoot(x, period - d).end) / (2 * d);
    }
    Eigen::VectorXd dx = shortest_solution(A, -r, fixed_period ? 1e-13 : 1e-7);
    for (int halved = 0;; ++halved, dx /= 2) {
      if (halved == 20) {
        orbit.why = "no step of Newton leads to a start that can be run";
        return orbit;
      }
      const double next = fixed_period ? period : period + dx[n2];
      if (!(next > 0)) continue;
      try {
        const Eigen::VectorXd start = x + dx.head(n2);
        orbit.shot = shoot(start, next);
        x = start;
        period = next;
        break;
      } catch (const Error&) {  // inadmissible, or it cannot be flown from there
      }
    }
  }
}

std::string stability(const Eigen::VectorXcd& multipliers, bool fixed_period) {
  double largest = 0;
  for (const auto& m : multipliers) largest = std::max(largest, std::abs(m));
  // A pair at 1 belongs to every orbit of an undriven system; rounding splits it by its square root.
  const double tolerance = fixed_period ? 1e-9 : 1e-5;
  if (largest > 1 + tolerance) return "unstable";
  if (largest < 1 - tolerance) return "asymptotically stable";
  return "neutral (every multiplier on or inside the unit circle)";
}

}  // namespace

int orbit(const OrbitOptions& options) {
  if (!(options.period > 0 && std::isfinite(options.period)))
    throw Error(ErrorKind::bad_scene, "--period must be a positive number");
  if (options.iterations < 1) throw Error(ErrorKind::bad_scene, "--iterations must be at least 1");
  if (options.impacts && *options.impacts < 0)
    throw Error(ErrorKind::bad_scene, "--impacts is the number of impacts in a period: 0 or more");
  const std::shared_ptr<const scene::Model> model =
      scene::compile(scene::load_scene(find_scene(options.scene), options.overrides));
  require_coordinates(*model, "periodic orbits are looked for in");
  const bool fixed = driven(*model);
  const double ratio = options.period / model->step;
  if (!(ratio < 1e9))
    throw Error(ErrorKind::bad_scene,
                fmt::format("--period {:g} is more than 1e9 steps of the scene ({:g})", options.period, model->step));
  const auto steps = static_cast<std::int64_t>(std::llround(ratio));
  if (steps < 1) throw Error(ErrorKind::bad_scene, "--period is shorter than half a step of the scene");
  const Shooting shoot(model, steps);
  const Orbit found = solve(shoot, shoot.start(), options.period, fixed, options.iterations);
  std::string why = found.why;
  if (found.converged)
    why = collapsed(found, options.period, options.impacts);
  else if (why.empty())
    why = fmt::format("after {} iterations the end is {:.3g} away from the start", found.residuals.size() - 1,
                      found.residuals.back());
  if (!why.empty()) {
    fmt::print(stderr,
               "ricochet: no periodic orbit was found from the scene's start: {}; begin nearer to one, or with another "
               "--period\n",
               why);
    return 1;
  }
  const Eigen::VectorXcd multipliers = eigenvalues(found.shot.J);
  const auto& names = model->scene.system.coordinates;
  const auto n = static_cast<Eigen::Index>(names.size());
  if (options.format == "json") {
    nlohmann::ordered_json j;
    j["scene"] = model->scene.name;
    j["period"] = found.period;
    j["steps"] = steps;
    j["step"] = found.period / static_cast<double>(steps);
    j["impacts"] = found.shot.impacts;
    for (Eigen::Index k = 0; k < n; ++k) j["position"].push_back(found.x[k]);
    for (Eigen::Index k = 0; k < n; ++k) j["momentum"].push_back(found.x[n + k]);
    for (const auto& m : multipliers) j["multipliers"].push_back({{"re", m.real()}, {"im", m.imag()}});
    j["stability"] = stability(multipliers, fixed);
    j["residuals"] = found.residuals;
    j["irregular"] = found.shot.irregular.count;
    fmt::print("{}\n", j.dump(2));
    return 0;
  }
  if (options.format == "csv") {
    fmt::print("i,re,im,modulus\n");
    for (Eigen::Index i = 0; i < multipliers.size(); ++i)
      fmt::print("{},{:.17g},{:.17g},{:.17g}\n", i + 1, multipliers[i].real(), multipliers[i].imag(),
                 std::abs(multipliers[i]));
    return 0;
  }
  fmt::print("{}\nperiod {:.15g} ({}), {} steps, {} impact{}\n",
             model->scene.title.empty() ? model->scene.name : model->scene.title, found.period,
             fixed ? "of the drive" : "found with it", steps, found.shot.impacts, found.shot.impacts == 1 ? "" : "s");
  for (Eigen::Index k = 0; k < n; ++k)
    fmt::print("{} = {:.15g}, p_{} = {:.15g}\n", names[static_cast<std::size_t>(k)], found.x[k],
               names[static_cast<std::size_t>(k)], found.x[n + k]);
  fmt::print("iterations ");
  for (const double r : found.residuals) fmt::print(" {:.1e}", r);
  fmt::print("\nmultipliers\n");
  for (const auto& m : multipliers)
    fmt::print("  {: .12f} {:+.12f} i   modulus {:.12f}\n", m.real(), m.imag(), std::abs(m));
  fmt::print("{}\n", stability(multipliers, fixed));
  if (found.shot.irregular.count > 0)
    fmt::print("{} irregular points: {}\n", found.shot.irregular.count,
               sentence(found.shot.irregular.first.front().kind));
  return 0;
}

}  // namespace ricochet::app
