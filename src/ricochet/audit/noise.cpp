#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ricochet/audit/find.hpp"
#include "ricochet/error.hpp"

namespace ricochet::audit {
namespace {

/// What the free motion misses, with its direction, of one interval (of one sample, if only positions are known).
struct Sign {
  std::size_t k = 0;
  double s = 0;
  Vec p, q;
  double ratio_p = 0, ratio_q = 0;  ///< relative to rounding
};

/// A gap may act between the samples k and k + 1.
bool near_a_gap(const Dynamics& dynamics, const State& at, double s) {
  Vec v(at.q.size()), a(at.q.size());
  dynamics.velocity(at.q, at.p, at.t, v);
  dynamics.free_acceleration(at.q, v, at.t, a);
  for (int i = 0; i < dynamics.gaps(); ++i) {
    const GapRates r = dynamics.gap_rates(i, at.q, v, a, at.t);
    if (r.value <= 3 * s * std::abs(r.rate) + s * s * std::abs(r.acceleration)) return true;
  }
  return false;
}

std::vector<Sign> with_momenta(const Dynamics& dynamics, const Flow& flow, const Trajectory& tr) {
  std::vector<Sign> out;
  for (std::size_t k = 0; k + 1 < tr.size(); ++k) {
    const State from = tr.state(k), to = tr.state(k + 1);
    const double s = to.t - from.t;
    if (near_a_gap(dynamics, from, s) || near_a_gap(dynamics, to, s)) continue;
    try {
      const State end = flow(from, s);
      const Miss miss = miss_between(dynamics, flow, from, to, s, tr.precision);
      out.push_back({k, s, to.p - end.p, to.q - end.q, miss.p / miss.rounding_p, miss.q / miss.rounding_q});
    } catch (const Error&) {
    }
  }
  return out;
}

std::vector<Sign> without_momenta(const Dynamics& dynamics, const Flow& flow, const Trajectory& tr) {
  std::vector<Sign> out;
  const Sides momenta = sides(dynamics, flow, tr);
  for (std::size_t k = 1; k + 1 < tr.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    const State at{tr.t[k], tr.q.col(i), momenta.left.col(i)};
    const double s = std::min(tr.t[k] - tr.t[k - 1], tr.t[k + 1] - tr.t[k]);
    if (near_a_gap(dynamics, at, s)) continue;
    Vec v(at.q.size());
    dynamics.velocity(at.q, at.p, at.t, v);
    const double level = rounding * tr.precision *
                         (4 * dynamics.norm_v(at.q, v, at.t, at.q) / s +
                          dynamics.norm_p(at.q, v, at.t, at.p) * (1 + 2 * std::abs(at.t) / s));
    const Vec kink = momenta.right.col(i) - momenta.left.col(i);
    out.push_back({k, s, kink, Vec::Zero(at.q.size()), dynamics.norm_p(at.q, v, at.t, kink) / level, 0});
  }
  return out;
}

double quantile(std::vector<double> x, double share) {
  const auto at = x.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(x.size() - 1));
  std::nth_element(x.begin(), at, x.end());
  return *at;
}

}  // namespace

std::optional<Trajectory> noisy(const Dynamics& dynamics, const Trajectory& trajectory) {
  if (trajectory.precision_given) return std::nullopt;
  const Flow flow(dynamics);
  const auto signs =
      trajectory.has_momenta() ? with_momenta(dynamics, flow, trajectory) : without_momenta(dynamics, flow, trajectory);
  double level = 0;
  for (const bool position : {true, false}) {
    std::vector<double> turns, ratios;
    for (std::size_t j = 0; j + 1 < signs.size(); ++j) {
      // Of neighbours alike: the error of a method jumps where its step does.
      if (signs[j + 1].k != signs[j].k + 1 || std::abs(signs[j + 1].s - signs[j].s) > 0.01 * signs[j].s) continue;
      const Vec &a = position ? signs[j].q : signs[j].p, &b = position ? signs[j + 1].q : signs[j + 1].p;
      turns.push_back((b - a).norm() / (a.norm() + b.norm() + std::numeric_limits<double>::min()));
      ratios.push_back(position ? signs[j].ratio_q : signs[j].ratio_p);
    }
    // The error of a method turns with the motion, noise from one sample to the next.
    constexpr std::size_t enough = 30;
    if (ratios.size() < enough || quantile(ratios, 0.9) <= 0.3 || quantile(turns, 0.5) < 0.4) continue;
    // Noise need not grow with the numbers: where they are small it is larger beside them. What stands out is none.
    const double most = 100 * quantile(ratios, 0.95);
    for (const double ratio : ratios)
      if (ratio <= most) level = std::max(level, ratio);
  }
  if (level <= 0.5) return std::nullopt;
  Trajectory out = trajectory;
  out.precision = 2 * level * trajectory.precision;
  out.noise = out.precision;
  out.notes.push_back(
      fmt::format("the numbers carry noise far above their digits: judged with a precision of {:.1e} (a map of columns "
                  "can say better: precision = …)",
                  out.precision));
  return out;
}

}  // namespace ricochet::audit
