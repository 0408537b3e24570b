#include "ricochet/audit/rules.hpp"

#include <cmath>

#include "ricochet/error.hpp"
#include "ricochet/numerics/factor.hpp"

namespace ricochet::audit {
namespace {

struct Slots {
  Vec left, right;            ///< −D1 L_d and D2 L_d with the forces of the interval
  double start = 0, end = 0;  ///< energies handed over
};

Slots slots(const Dynamics& dynamics, const DiscreteRule& rule, const Vec& q0, const Vec& u, double t, double s) {
  Slots out{Vec::Zero(q0.size()), Vec::Zero(q0.size()), 0, 0};
  Point at;
  double energy = 0, before = 0, after = 0;
  for (const auto [c, w] : rule.stages) {
    dynamics.evaluate(q0 + (c * s) * u, u, t + c * s, at);
    out.left += w * (at.Lv - (s * (1 - c)) * at.Q);
    out.right += w * (at.Lv + (s * c) * at.Q);
    energy += w * at.energy;
    before += w * (1 - c) * at.supply;
    after += w * c * at.supply;
  }
  out.start = energy - s * before;
  out.end = energy + s * after;
  return out;
}

/// u with −D1 L_d = p, by Newton's method with differences for the Jacobian.
Vec mean_velocity(const Dynamics& dynamics, const DiscreteRule& rule, const Vec& q, const Vec& p, double t, double s) {
  const Eigen::Index n = q.size();
  Vec u(n);
  dynamics.velocity(q, p, t, u);
  double last = std::numeric_limits<double>::infinity();
  for (int it = 0; it < 30; ++it) {
    const Vec r = slots(dynamics, rule, q, u, t, s).left - p;
    Mat J(n, n);
    for (Eigen::Index k = 0; k < n; ++k) {
      Vec w = u;
      const double d = 1e-7 * (1 + std::abs(u[k]));
      w[k] += d;
      J.col(k) = (slots(dynamics, rule, q, w, t, s).left - p - r) / d;
    }
    const Vec du = numerics::Lu<Mat>(J)(r);
    u -= du;
    const double size = du.norm();
    if (!(size > 8 * eps * u.norm()) || (it > 4 && size >= last / 2)) break;
    last = size;
  }
  return u;
}

/// What rounding of q, p and t does to p + D1 L_d, as a speed: |q|ε/s through u, |v|ε(1 + |t|/s) through s and v.
double rounding_level(const Dynamics& dynamics, const State& at, const Vec& u, const Vec& other, double s, double ds,
                      double precision) {
  Point point;
  dynamics.evaluate(at.q, u, at.t, point);
  const Vec size = (at.q.cwiseAbs() + other.cwiseAbs()) / std::abs(s) + u.cwiseAbs() * (2 + ds / std::abs(s));
  return precision * (dynamics.norm_v(at.q, u, at.t, size) + dynamics.norm_p(at.q, u, at.t, at.p) +
                      std::abs(s) * dynamics.norm_p(at.q, u, at.t, point.Q));
}

}  // namespace

std::optional<DiscreteRule> DiscreteRule::named(const std::string& name, double gamma) {
  const auto rectangle = [&](double g) { return DiscreteRule{name, g == 0.5 ? 2 : 1, {{1 - g, 1}}, {1.0}, false}; };
  if (name == "rectangle-left") return rectangle(1);
  if (name == "rectangle-right") return rectangle(0);
  if (name == "rectangle") return rectangle(gamma);
  if (name == "midpoint") return rectangle(0.5);
  DiscreteRule trapezoid{name, 2, {{0, 0.5}, {1, 0.5}}, {1.0}, false};
  if (name == "trapezoid") return trapezoid;
  trapezoid.order = 4;
  if (name == "yoshida4") {
    const double a = 1 / (2 - std::cbrt(2.0));
    trapezoid.fractions = {a, 1 - 2 * a, a};
    return trapezoid;
  }
  if (name == "suzuki4") {
    const double a = 1 / (4 - std::cbrt(4.0));
    trapezoid.fractions = {a, a, 1 - 4 * a, a, a};
    return trapezoid;
  }
  return std::nullopt;
}

std::vector<DiscreteRule> DiscreteRule::known() {
  std::vector<DiscreteRule> rules;
  for (const char* name : {"trapezoid", "midpoint", "rectangle-left", "rectangle-right"})
    rules.push_back(*named(name, 1));
  DiscreteRule grid = rules.front();
  grid.name = "drift-kick-drift";
  grid.grid = true;
  rules.push_back(grid);
  return rules;
}

IntervalCheck check_interval(const Dynamics& dynamics, const DiscreteRule& rule, const State& from, const State& to,
                             double s, double clock, double precision) {
  IntervalCheck out;
  if (rule.fractions.size() == 1) {
    const Vec u = (to.q - from.q) / s;
    const Slots d = slots(dynamics, rule, from.q, u, from.t, s);
    out.r0 = from.p - d.left;
    out.r1 = to.p - d.right;
    out.start = d.start;
    out.end = d.end;
    out.excess_start = std::abs(d.start - dynamics.hamiltonian(from.q, d.left, from.t));
    out.excess_end = std::abs(d.end - dynamics.hamiltonian(to.q, d.right, to.t));
    out.rounding0 = rounding_level(dynamics, from, u, to.q, s, clock, precision);
    out.rounding1 = rounding_level(dynamics, to, u, from.q, s, clock, precision);
    return out;
  }
  // A composition has inner nodes nobody recorded. D1 L_d and D2 L_d are the momenta of the flight that arrives: what
  // the record has beyond them at either end are reactions.
  const Vec u = (to.q - from.q) / s;
  out.rounding0 = out.rounding1 = 8 * rounding_level(dynamics, from, u, to.q, s, clock, precision);
  Vec p = from.p, dp(u.size());
  State at;
  double last = std::numeric_limits<double>::infinity();
  for (int it = 0; it < 30; ++it) {
    at = {from.t, from.q, p};
    out.start = out.end = 0;
    double gamma = 0;
    for (std::size_t j = 0; j < rule.fractions.size(); ++j) {
      const double f = rule.fractions[j], t = from.t + gamma * s;
      const Vec w = mean_velocity(dynamics, rule, at.q, at.p, t, f * s);
      const Slots d = slots(dynamics, rule, at.q, w, t, f * s);
      at.q += f * s * w;
      at.p = d.right;
      const double next = j + 1 == rule.fractions.size() ? 1.0 : gamma + f;
      out.start += (1 - gamma) * d.start - (1 - next) * d.end;
      out.end += next * d.end - gamma * d.start;
      gamma = next;
    }
    // ∂q(s)/∂p = s M⁻¹(1 + O(s²)); the last of these steps is not flown any more.
    dynamics.mass(from.q, u, from.t, (to.q - at.q) / s, dp);
    const double size = dynamics.norm_p(from.q, u, from.t, dp);
    p += dp;
    if (!(size > out.rounding0) || (it > 3 && size >= last / 2)) break;
    last = size;
  }
  out.excess_start = std::abs(out.start - dynamics.hamiltonian(from.q, p, from.t));
  out.excess_end = std::abs(out.end - dynamics.hamiltonian(at.q, at.p, to.t));
  out.r0 = from.p - p;
  out.r1 = to.p - at.p;
  return out;
}

State fly(const Dynamics& dynamics, const DiscreteRule& rule, const State& from, double s) {
  State at = from;
  for (const double f : rule.fractions) {
    const Vec u = mean_velocity(dynamics, rule, at.q, at.p, at.t, f * s);
    at.p = slots(dynamics, rule, at.q, u, at.t, f * s).right;
    at.q += f * s * u;
    at.t += f * s;
  }
  at.t = from.t + s;
  return at;
}

GridCheck check_grid(const Dynamics& dynamics, const DiscreteRule& rule, const State& from, const State& to, double s,
                     double precision) {
  Vec v0(from.q.size()), v1(from.q.size());
  dynamics.velocity(from.q, from.p, from.t, v0);
  dynamics.velocity(to.q, to.p, to.t, v1);
  GridCheck out;
  out.x = from.q + (s / 2) * v0;
  out.position = to.q - out.x - (s / 2) * v1;
  // The interval of `from` ends in the node, that of `to` begins there; both are h long, whatever their middles did.
  const Slots before = slots(dynamics, rule, from.q - (s / 2) * v0, v0, from.t - s / 2, s);
  const Slots after = slots(dynamics, rule, to.q - (s / 2) * v1, v1, to.t - s / 2, s);
  out.p_minus = before.right;
  out.p_plus = after.left;
  Point at;
  dynamics.evaluate(out.x, v0, from.t, at);
  const auto norm = [&](const Vec& y) { return dynamics.norm_p(out.x, v0, from.t, y); };
  const double force = norm(at.Q);
  out.rounding_p = precision * (norm(from.p) + norm(to.p) + (2 * std::abs(s) + std::abs(to.t)) * force);
  out.rounding_q = precision * (out.x.norm() + to.q.norm() + (v0.norm() + v1.norm()) * (std::abs(s) + std::abs(to.t)));
  return out;
}

}  // namespace ricochet::audit
