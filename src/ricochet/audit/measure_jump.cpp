// What a jump of the momentum must satisfy: Leine 2009 (84), (85); Fetecau 2003 (14), (15), errata F4; Ballard 2001.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ricochet/audit/measures.hpp"

namespace ricochet::audit {

void Measures::jump(const Jump& j, std::vector<ImpactLine>& lines) {
  const int n = dynamics.dimension();
  const Motion m = motion_at(j.q, j.p_minus, j.p_plus, j.t);
  const Vec &v0 = m.v, &v1 = m.w;
  const Mat inverse = inverse_mass(dynamics, j.q, v0, j.t);
  const auto norm = [&](const Vec& y) { return std::sqrt(std::max(0.0, y.dot(inverse * y))); };
  const Vec d = j.p_plus - j.p_minus;
  const double size = norm(d), speed = norm(j.p_minus) + norm(j.p_plus);

  // The gaps that may have acted: closed within the tolerance of the grade; the nearest, if none is.
  std::vector<GapAt> gaps;
  std::vector<int> active;
  int nearest = -1;
  for (int i = 0; i < dynamics.gaps(); ++i) {
    gaps.push_back(gap_at(i, j.q, m, j.t, j.way, j.error_q));
    const GapAt& at = gaps.back();
    smallest_gap = std::min(smallest_gap, at.phi);
    admissible.add(std::max(0.0, -at.phi), at.strong, at.overlap, j.t, j.step, name(i));
    if (at.phi <= (j.way > 0 ? at.weak : at.strong)) active.push_back(i);
    const auto distance = [](const GapAt& g) { return g.norm > 0 ? std::abs(g.phi) / g.norm : g.phi; };
    if (nearest < 0 || distance(at) < distance(gaps[static_cast<std::size_t>(nearest)])) nearest = i;
  }
  if (active.empty() && nearest >= 0) active.push_back(nearest);

  Mat normals(n, static_cast<Eigen::Index>(active.size())), lines_(n, dynamics.constraints());
  for (std::size_t k = 0; k < active.size(); ++k)
    normals.col(static_cast<Eigen::Index>(k)) = gaps[static_cast<std::size_t>(active[k])].gradient;
  Vec g(n);
  for (int c = 0; c < dynamics.constraints(); ++c) {
    dynamics.gap(dynamics.gaps() + c, j.q, j.t, g);
    lines_.col(c) = g;
  }
  const Explained explained = explain(d, normals, lines_, inverse);

  // Tolerances: rounding of p, the error of the estimate, and for the weak grade the turn of the normals over the
  // places where the impulse may have acted.
  // Where normals nearly depend on each other the impulses along them are larger than their sum, and so is its
  // rounding.
  double parts = 0;
  for (std::size_t k = 0; k < active.size(); ++k)
    parts += explained.lambda[static_cast<Eigen::Index>(k)] * gaps[static_cast<std::size_t>(active[k])].norm;
  for (int c = 0; c < dynamics.constraints(); ++c) parts += std::abs(explained.free[c]) * norm(lines_.col(c));
  const double noise = rounding * precision * (speed + std::max(0.0, parts - size)) + j.error_p;
  double turn = 0;
  for (const Vec& place : j.places)
    for (std::size_t k = 0; k < active.size(); ++k) {
      dynamics.gap(active[k], place, j.t, g);
      turn = std::max(turn, explained.lambda[static_cast<Eigen::Index>(k)] *
                                norm(g - gaps[static_cast<std::size_t>(active[k])].gradient));
    }
  double weak_rest = explained.size;
  if (j.way > 0 || !j.places.empty()) weak_rest = std::max(0.0, weak_rest - turn);
  const auto rough_work = friction_cone(j, active, gaps, inverse, noise, turn, weak_rest);
  if (size > 0) {
    const double weak = weak_rest <= noise ? std::max(explained.size, noise) : noise;
    std::string where;
    for (const int i : active) where += (where.empty() ? "" : "+") + name(i);
    first.add(explained.size / size, noise / size, weak / size, j.t, j.step, where);
  }

  int main = -1;
  double most = 0;
  std::string acting;
  double wall = 0, lawful = 0;
  for (std::size_t k = 0; k < active.size(); ++k) {
    const double lambda = explained.lambda[static_cast<Eigen::Index>(k)];
    const GapAt& at = gaps[static_cast<std::size_t>(active[k])];
    if (lambda * at.norm <= 1e-9 * size + noise) continue;
    acting += (acting.empty() ? "" : "+") + name(active[k]);
    contact.add(std::abs(at.phi), at.strong, at.phi < 0 ? at.overlap : at.weak, j.t, j.step, name(active[k]));
    double drift = dynamics.gap_drift(active[k], j.q, j.t);
    // A push that lasts from one sample to the next does its work all along.
    if (!j.energy && j.places.size() == 1)
      drift = (drift + dynamics.gap_drift(active[k], j.places[0], j.t - j.way)) / 2;
    wall -= lambda * drift;
    if (j.law) lawful += lambda * gained(j, active[k], at);
    if (lambda * at.norm > most) most = lambda * at.norm, main = active[k];
    for (std::size_t s = 0; s < maps_.size(); ++s) {
      const Vec xi = dynamics.generator(static_cast<int>(s), j.q);
      if (std::abs(at.gradient.dot(xi)) > 1e-9 * at.gradient.norm() * xi.norm()) maps_[s].holds = false;
      if (dynamics.friction(active[k]) > 0)
        for (const Vec& tangent : dynamics.tangents(active[k], j.q, j.t))
          if (std::abs(tangent.dot(xi)) > 1e-9 * tangent.norm() * xi.norm()) maps_[s].holds = false;
    }
  }
  if (rough_work) wall = *rough_work;
  if (j.last)
    for (const int i : active) {
      const GapAt& at = gaps[static_cast<std::size_t>(i)];
      if (at.phi > at.strong) continue;  // near, but not closed: it may close later
      if (j.law && !j.law->looks[static_cast<std::size_t>(i)]) continue;
      const double allowed = at.norm * (noise + 1e-9 * speed);
      leaving.add(std::max(0.0, -at.after), allowed, allowed + closing(j, i, at) + at.norm * turn, j.t, j.step,
                  name(i));
    }

  // Energy: a moving gap does the work −λ∂φ/∂t (errata F13).
  Point point;
  const auto energy = [&](const Vec& p, const Vec& v) {
    dynamics.evaluate(j.q, v, j.t, point);
    return dynamics.hamiltonian(j.q, j.beside != 0 ? Vec(p + j.beside * point.Q) : p, j.t);
  };
  const double after = energy(j.p_plus, v1), before = energy(j.p_minus, v0);
  const double gain = after - before - wall;
  const double noise_energy =
      rounding * precision * (std::abs(before) + std::abs(after) + speed * speed) + speed * j.error_p + j.noise;
  const double band = j.before && j.after ? j.excess : energy_band(j.q, j.p_plus, j.t);
  const double strong = noise_energy + band;
  const double power = std::max(std::abs(point.Q.dot(v0)), std::abs(point.Q.dot(v1)));
  const double inf = std::numeric_limits<double>::infinity();
  wall_work += wall;
  if (j.energy) {
    dissipated -= gain;
    // Fetecau 2003 (75b): the discrete energy is the one that a variational impact keeps, to rounding; H only to
    // O(h²) (errata F11). An impact that keeps H itself, a reflection, is as good.
    const double discrete = j.before && j.after ? std::abs(*j.after - *j.before - wall) : 0;
    if (j.sharp) {
      const bool variational = discrete <= noise_energy;
      if (variational) kicks += std::abs(gain);
      const double judged = variational ? discrete : std::abs(gain);
      second.add(judged, noise_energy, inf, j.t, j.step, acting);
      dissipation.add(variational ? discrete : std::max(0.0, gain), noise_energy, noise_energy, j.t, j.step, acting);
    } else if (std::abs(gain) > strong || !(j.before && j.after))
      second.add(std::abs(gain), strong, inf, j.t, j.step, acting);
    else
      second.add(std::min(discrete, std::abs(gain)), noise_energy, inf, j.t, j.step, acting);
    if (!j.sharp)
      dissipation.add(std::max(0.0, gain), strong, strong + std::max(j.way * power, lawful), j.t, j.step, acting);
  }

  slack_p += noise;
  ++jumps;
  if (!j.line) return;
  ImpactLine line{j.t, j.step, acting, 0, size, size > 0 ? explained.size / size : 0, 0, gain, j.duration};
  if (main >= 0) {
    const GapAt& at = gaps[static_cast<std::size_t>(main)];
    line.gap = at.phi;
    line.restitution = at.before != 0 ? -at.after / at.before : 0;
  }
  lines.push_back(std::move(line));
}

double Measures::closing(const Jump& j, int i, const GapAt& at) const {
  if (!j.law) return std::max(j.way, step) * at.acceleration;
  // The law of the grid is about the velocities of whole intervals, φ̇_{k+1} ≥ −eφ̇_k (Leine 2009 (120)): a gap that
  // opens already may be pressed back by as much. p± have besides what the forces do up to the node.
  const auto [before, after] = mean_rates(j, i, at);
  return std::max(0.0, j.law->restitution[i] * before) + std::max(0.0, after - at.after);
}

double Measures::gained(const Jump& j, int i, const GapAt& at) const {
  // λ(φ̇⁻ + φ̇⁺)/2 is the work of an impulse. With the rates of the law, where φ̇_{k+1} = −eφ̇_k, it is (1 − e)φ̇_k/2; the
  // rest is that of the forces, which is not seen in their power if they do as much across the gap as along it.
  const auto [before, after] = mean_rates(j, i, at);
  return std::max(0.0, (1 - j.law->restitution[i]) * before / 2) +
         std::max(0.0, (at.before + at.after - before - after) / 2);
}

std::pair<double, double> Measures::mean_rates(const Jump& j, int i, const GapAt& at) const {
  const double drift = dynamics.gap_drift(i, j.q, j.t);
  return {at.gradient.dot(j.law->before) + drift, at.gradient.dot(j.law->after) + drift};
}

std::optional<double> Measures::friction_cone(const Jump& j, const std::vector<int>& active,
                                              const std::vector<GapAt>& gaps, const Mat& inverse, double tolerance,
                                              double turn, double& weak_rest) {
  const int n = dynamics.dimension();
  std::vector<Vec> columns;
  std::vector<std::size_t> count(active.size(), 0);
  for (std::size_t k = 0; k < active.size(); ++k) {
    if (!(dynamics.friction(active[k]) > 0)) continue;
    const auto tangents = dynamics.tangents(active[k], j.q, j.t);
    count[k] = tangents.size();
    columns.insert(columns.end(), tangents.begin(), tangents.end());
  }
  if (columns.empty()) return std::nullopt;
  Mat normals(n, static_cast<Eigen::Index>(active.size())),
      lines(n, static_cast<Eigen::Index>(columns.size()) + dynamics.constraints());
  for (std::size_t k = 0; k < active.size(); ++k)
    normals.col(static_cast<Eigen::Index>(k)) = gaps[static_cast<std::size_t>(active[k])].gradient;
  for (std::size_t k = 0; k < columns.size(); ++k) lines.col(static_cast<Eigen::Index>(k)) = columns[k];
  Vec g(n);
  for (int c = 0; c < dynamics.constraints(); ++c) {
    dynamics.gap(dynamics.gaps() + c, j.q, j.t, g);
    lines.col(static_cast<Eigen::Index>(columns.size()) + c) = g;
  }
  const Explained with = explain(Vec(j.p_plus - j.p_minus), normals, lines, inverse);
  weak_rest = std::max(0.0, with.size - turn);
  // Two rough contacts share an impulse in many ways: is any of them inside? The edges λ(∇φ ± μτ) of a plane cone, or
  // those of an inscribed polygon, span what friction can do.
  std::vector<Vec> edges;
  std::size_t tangent = 0;
  for (std::size_t k = 0; k < active.size(); ++k) {
    const Vec& normal = gaps[static_cast<std::size_t>(active[k])].gradient;
    const double mu = dynamics.friction(active[k]);
    const int around = count[k] == 0 ? 1 : count[k] == 1 ? 2 : 32;
    for (int e = 0; e < around; ++e) {
      Vec edge = normal;
      const double angle = 2 * 3.14159265358979323846 * e / around;
      if (count[k] > 0) edge += mu * std::cos(angle) * columns[tangent];
      if (count[k] > 1) edge += mu * std::sin(angle) * columns[tangent + 1];
      edges.push_back(std::move(edge));
    }
    tangent += count[k];
  }
  Mat cone(n, static_cast<Eigen::Index>(edges.size()));
  for (std::size_t k = 0; k < edges.size(); ++k) cone.col(static_cast<Eigen::Index>(k)) = edges[k];
  const Mat constraints = lines.rightCols(dynamics.constraints());
  const bool inside = explain(Vec(j.p_plus - j.p_minus), cone, constraints, inverse).size <= tolerance + turn;
  std::size_t at = 0;
  double work = 0;  // −λ∂φ/∂t of a gap that moves (errata F13), −τ∂ψ/∂t of a belt
  for (std::size_t k = 0; k < active.size(); ++k) {
    work -= with.lambda[static_cast<Eigen::Index>(k)] * dynamics.gap_drift(active[k], j.q, j.t);
    if (count[k] == 0) continue;
    const auto drifts = dynamics.tangent_drifts(active[k], j.q, j.t);
    for (std::size_t a = 0; a < count[k]; ++a) work -= with.free[static_cast<Eigen::Index>(at + a)] * drifts[a];
    const Vec tau = with.free.segment(static_cast<Eigen::Index>(at), static_cast<Eigen::Index>(count[k]));
    at += count[k];
    const GapAt& gap = gaps[static_cast<std::size_t>(active[k])];
    const double normal = with.lambda[static_cast<Eigen::Index>(k)];
    const double beyond = tau.norm() - dynamics.friction(active[k]) * normal;
    // λ∇φ carries the noise of p: so do λ and its friction, through the metric of either direction.
    double unit = gap.norm;
    for (std::size_t a = 0; a < count[k]; ++a)
      unit = std::min(unit, std::sqrt(columns[at - count[k] + a].dot(inverse * columns[at - count[k] + a])));
    const double allowed = (tolerance + turn) * (1 + dynamics.friction(active[k])) / (unit > 0 ? unit : 1);
    friction.add(inside ? std::min(std::max(0.0, beyond), allowed) : std::max(0.0, beyond), allowed, allowed, j.t,
                 j.step, name(active[k]));
  }
  return work;
}

}  // namespace ricochet::audit
