// Methods of other engines that come from no discrete Lagrangian of the list, and rules seen in positions alone: for
// the order that a motion suggests.
#include <cmath>

#include "ricochet/audit/find.hpp"

namespace ricochet::audit {
namespace {

/// An explicit Runge–Kutta method for q̇ = v, v̇ = a(q,v,t): every stage builds on the one before it alone.
struct RungeKutta {
  const char* words;
  std::vector<double> nodes, weights;
};

const std::vector<RungeKutta>& runge_kutta() {
  static const std::vector<RungeKutta> list{
      {"1 (explicit Euler)", {0}, {1}},
      {"2 (Heun's method)", {0, 1}, {0.5, 0.5}},
      {"2 (the explicit midpoint method)", {0, 0.5}, {0, 1}},
      {"4 (the classical Runge-Kutta method)", {0, 0.5, 0.5, 1}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}}};
  return list;
}

bool meets(const Dynamics& dynamics, const RungeKutta& method, const State& from, const State& to, double precision) {
  const auto n = from.q.size();
  const double s = to.t - from.t;
  Vec v(n), w(n), a = Vec::Zero(n), u = Vec::Zero(n), dq = Vec::Zero(n), dv = Vec::Zero(n);
  dynamics.velocity(from.q, from.p, from.t, v);
  dynamics.velocity(to.q, to.p, to.t, w);
  double force = 0;
  for (std::size_t k = 0; k < method.nodes.size(); ++k) {
    const double c = method.nodes[k] * s;
    const Vec q = from.q + c * u, stage = v + c * a;
    dynamics.acceleration(q, stage, from.t + c, {}, a);
    u = stage;
    dq += s * method.weights[k] * u;
    dv += s * method.weights[k] * a;
    force = std::max(force, a.norm());
  }
  const double time = std::abs(from.t) + std::abs(to.t);
  return (from.q + dq - to.q).norm() <=
             rounding * precision * (from.q.norm() + to.q.norm() + time * (v.norm() + w.norm())) &&
         (v + dv - w).norm() <= rounding * precision * (v.norm() + w.norm() + time * force);
}

/// The discrete Euler–Lagrange equations D2 L_d(q0,q1) + D1 L_d(q1,q2) = 0 ask for no momenta.
bool meets(const Dynamics& dynamics, const DiscreteRule& rule, const Trajectory& tr, std::size_t k) {
  const State a{tr.t[k - 1], tr.q.col(static_cast<Eigen::Index>(k - 1)), Vec::Zero(tr.q.rows())},
      b{tr.t[k], tr.q.col(static_cast<Eigen::Index>(k)), a.p},
      c{tr.t[k + 1], tr.q.col(static_cast<Eigen::Index>(k + 1)), a.p};
  const IntervalCheck before =
      check_interval(dynamics, rule, a, b, b.t - a.t, std::abs(a.t) + std::abs(b.t), tr.precision);
  const IntervalCheck after =
      check_interval(dynamics, rule, b, c, c.t - b.t, std::abs(b.t) + std::abs(c.t), tr.precision);
  Vec v = (c.q - a.q) / (c.t - a.t);
  return dynamics.norm_p(b.q, v, b.t, before.r1 - after.r0) <= rounding * (before.rounding1 + after.rounding0);
}

}  // namespace

std::string known_method(const Dynamics& dynamics, const Trajectory& trajectory) {
  const std::size_t n = trajectory.size(), stride = std::max<std::size_t>(1, n / 2000);
  if (trajectory.has_momenta()) {
    for (const RungeKutta& method : runge_kutta()) {
      std::size_t fits = 0, tried = 0;
      for (std::size_t k = 0; k + 1 < n; k += stride, ++tried)
        fits += meets(dynamics, method, trajectory.state(k), trajectory.state(k + 1), trajectory.precision);
      if (4 * fits >= 3 * tried) return method.words;
    }
    return "";
  }
  for (const auto& [name, words] : {std::pair("trapezoid", "2 (the trapezoid rule, Verlet's, in the positions)"),
                                    std::pair("midpoint", "2 (the midpoint rule, in the positions)")}) {
    const DiscreteRule rule = *DiscreteRule::named(name, 1);
    std::size_t fits = 0, tried = 0;
    for (std::size_t k = 1; k + 1 < n; k += stride, ++tried) fits += meets(dynamics, rule, trajectory, k);
    if (4 * fits >= 3 * tried) return words;
  }
  return "";
}

}  // namespace ricochet::audit
