#include "ricochet/audit/find.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ricochet/error.hpp"

namespace ricochet::audit {
namespace {

/// Where no force acts, a change of the speed by a millionth of it is well visible.
constexpr double visible = 1e-6;

/// What a rule misses over an interval, relative to rounding.
double misfit(const Dynamics& dynamics, const DiscreteRule& rule, const State& from, const State& to,
              double precision) {
  const double s = to.t - from.t;
  Vec v(from.q.size());
  dynamics.velocity(from.q, from.p, from.t, v);
  const auto ratio = [](double x, double allowed) {
    return x <= allowed ? 0.5 : x / std::max(allowed, std::numeric_limits<double>::min());
  };
  if (rule.grid) {
    const GridCheck c = check_grid(dynamics, rule, from, to, s, precision);
    return std::max(ratio(dynamics.norm_p(from.q, v, from.t, c.p_plus - c.p_minus), rounding * c.rounding_p),
                    ratio(c.position.norm(), rounding * c.rounding_q));
  }
  const IntervalCheck c = check_interval(dynamics, rule, from, to, s, std::abs(from.t) + std::abs(to.t), precision);
  return std::max(ratio(dynamics.norm_p(from.q, v, from.t, c.r0), rounding * c.rounding0),
                  ratio(dynamics.norm_p(from.q, v, from.t, c.r1), rounding * c.rounding1));
}

/// The rule that explains the most intervals at rounding, if it explains half of them; an impact misses by far. One
/// that many intervals just miss fits the others by chance: the numbers have few digits.
void recognise(const Dynamics& dynamics, const Trajectory& trajectory, Search& out) {
  const std::size_t intervals = trajectory.size() - 1, stride = std::max<std::size_t>(1, intervals / 2000);
  constexpr double far = 100;
  out.rule_fits = 0;
  for (const DiscreteRule& rule : DiscreteRule::known()) {
    std::size_t fits = 0, misses = 0, tried = 0;
    for (std::size_t k = 0; k < intervals; k += stride) {
      const double x = misfit(dynamics, rule, trajectory.state(k), trajectory.state(k + 1), trajectory.precision);
      ++tried;
      fits += x <= 1;
      misses += x > 1 && x < far;
    }
    if (fits <= out.rule_fits || 2 * fits < tried || 10 * misses > fits) continue;
    out.rule_fits = fits;
    out.rule = rule;
  }
}

/// |a1 − a0| vanishes where the acceleration turns: an interval may miss what its neighbours may.
void widen(std::vector<Miss>& miss) {
  constexpr std::size_t reach = 4;
  const std::vector<Miss> given = miss;
  for (std::size_t k = 0; k < miss.size(); ++k)
    for (std::size_t i = k > reach ? k - reach : 0; i < std::min(miss.size(), k + reach + 1); ++i) {
      miss[k].bound_p = std::max(miss[k].bound_p, given[i].bound_p);
      miss[k].bound_q = std::max(miss[k].bound_q, given[i].bound_q);
      miss[k].bound_across = std::max(miss[k].bound_across, given[i].bound_across);
      miss[k].signal = std::max(miss[k].signal, given[i].signal);
    }
}

/// Whether an interval misses the free motion by more than its neighbours do: a smooth error is smooth.
void mark_outliers(const std::vector<Miss>& miss, std::vector<bool>& broken) {
  constexpr std::size_t reach = 8;
  const auto median = [](std::vector<double>& x) {
    const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
    std::nth_element(x.begin(), middle, x.end());
    return *middle;
  };
  const std::vector<bool> before = broken;
  std::vector<double> p, q;
  for (std::size_t k = 0; k < miss.size(); ++k) {
    if (before[k]) continue;
    p.clear();
    q.clear();
    // Neighbours of the same arc only: beyond an impact the error may be another one.
    for (std::size_t i = k; i > 0 && k - i < reach && !before[i - 1]; --i)
      p.push_back(miss[i - 1].p), q.push_back(miss[i - 1].q);
    for (std::size_t i = k + 1; i < miss.size() && i - k <= reach && !before[i]; ++i)
      p.push_back(miss[i].p), q.push_back(miss[i].q);
    if (p.size() < 6) continue;
    const auto stands_out = [&](std::vector<double>& x, double value, double noise) {
      const double m = median(x);
      for (double& y : x) y = std::abs(y - m);
      return std::abs(value - m) > 30 * median(x) + 0.1 * m + noise;
    };
    if (stands_out(p, miss[k].p, miss[k].rounding_p) || stands_out(q, miss[k].q, miss[k].rounding_q)) broken[k] = true;
  }
}

void with_momenta(const Dynamics& dynamics, const Trajectory& trajectory, Search& out) {
  recognise(dynamics, trajectory, out);
  const Flow flow(dynamics);
  const std::size_t intervals = trajectory.size() - 1;
  std::vector<bool> broken(intervals, false), fits(intervals, false);
  std::size_t lost = 0;
  for (std::size_t k = 0; k < intervals; ++k) {
    const State from = trajectory.state(k), to = trajectory.state(k + 1);
    try {
      out.miss.push_back(miss_between(dynamics, flow, from, to, to.t - from.t, trajectory.precision));
    } catch (const Error&) {
      out.miss.push_back({});
      broken[k] = true;
      ++lost;
      continue;
    }
    if (!out.rule || out.rule->grid) continue;
    fits[k] = misfit(dynamics, *out.rule, from, to, trajectory.precision) <= 1;
  }
  widen(out.miss);
  for (std::size_t k = 0; k < intervals; ++k) {
    const Miss& miss = out.miss[k];
    // A rule that holds at rounding is the sharper judge, unless rounding is blunt; what is exact needs no rule.
    const bool rule = out.rule && !out.rule->grid;
    const double slack = rule ? 4 : 1;
    const bool far = miss.p > slack * miss.bound_p || miss.q > slack * miss.bound_q;
    broken[k] = broken[k] || far || (rule && !fits[k] && !miss.exact());
  }
  if (lost > 0) out.notes.push_back(fmt::format("the free motion could not be followed over {} intervals", lost));
  if (!out.rule) mark_outliers(out.miss, broken);
  for (std::size_t k = 0; k < intervals; ++k) {
    if (!broken[k]) continue;
    std::size_t end = k + 1;
    while (end < intervals && broken[end]) ++end;
    out.breaks.push_back({k, end, trajectory.state(k).p, trajectory.state(end).p});
    k = end;
  }
  out.p = out.arriving = trajectory.p;
  out.known.assign(trajectory.size(), true);
}

/// Positions only. The free motion between two samples has a velocity at either end; where the two of a sample differ,
/// the exact discrete Euler–Lagrange equations D2 L_d + D1 L_d = 0 fail.
void without_momenta(const Dynamics& dynamics, const Trajectory& trajectory, Search& out) {
  const Flow flow(dynamics);
  const std::size_t n = trajectory.size();
  const int dimension = dynamics.dimension();
  const Sides momenta = sides(dynamics, flow, trajectory);
  const Mat &left = momenta.left, &right = momenta.right;
  if (momenta.lost > 0)
    out.notes.push_back(fmt::format("no free motion was found between the samples of {} intervals", momenta.lost));
  out.p = out.arriving = (left + right) / 2;
  std::vector<bool> broken(n, false);
  std::vector<Miss> at(n);
  for (std::size_t k = 1; k + 1 < n; ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    const Vec q = trajectory.q.col(i), p = out.p.col(i);
    Vec v(dimension);
    dynamics.velocity(q, p, trajectory.t[k], v);
    Miss& miss = at[k];
    miss.p = dynamics.norm_p(q, v, trajectory.t[k], right.col(i) - left.col(i));
    const double s = std::min(trajectory.t[k] - trajectory.t[k - 1], trajectory.t[k + 1] - trajectory.t[k]);
    // u = Δq/s loses the digits of q; a first-order method is off by 2h|a1 − a0|.
    Vec a0(dimension), a1(dimension), v0(dimension);
    const std::span<const int> none;
    dynamics.acceleration(q, v, trajectory.t[k], none, a1);
    const Vec before = trajectory.q.col(i - 1), pb = right.col(i - 1);
    dynamics.velocity(before, pb, trajectory.t[k - 1], v0);
    dynamics.acceleration(before, v0, trajectory.t[k - 1], none, a0);
    const double size = dynamics.norm_v(q, v, trajectory.t[k], q) / s;
    miss.rounding_p = rounding * trajectory.precision *
                      (4 * size + dynamics.norm_p(q, v, trajectory.t[k], p) * (1 + 2 * std::abs(trajectory.t[k]) / s));
    miss.bound_p = 2 * s * dynamics.norm_v(q, v, trajectory.t[k], a1 - a0) + miss.rounding_p;
    const double speed = dynamics.norm_v(q, v, trajectory.t[k], v);
    miss.signal = std::max(s * dynamics.norm_v(q, v, trajectory.t[k], a1), visible * (speed + size));
  }
  widen(at);
  for (std::size_t k = 1; k + 1 < n; ++k) broken[k] = at[k].p > at[k].bound_p;
  mark_outliers(at, broken);
  out.miss.assign(n - 1, {});
  for (std::size_t k = 0; k + 1 < n; ++k) {
    out.miss[k] = at[k].p > at[k + 1].p ? at[k] : at[k + 1];
    if (broken[k] || broken[k + 1]) out.miss[k] = broken[k] ? at[k + 1] : at[k];
    out.miss[k].q = out.miss[k].p * (trajectory.t[k + 1] - trajectory.t[k]);
    out.miss[k].bound_q = out.miss[k].bound_p * (trajectory.t[k + 1] - trajectory.t[k]);
    out.miss[k].rounding_q = out.miss[k].rounding_p * (trajectory.t[k + 1] - trajectory.t[k]);
  }
  out.known.assign(n, true);
  for (std::size_t k = 1; k + 1 < n; ++k) {
    if (!broken[k]) continue;
    std::size_t end = k;
    while (end + 2 < n && broken[end + 1]) ++end;
    for (std::size_t i = k + 1; i < end; ++i) out.known[i] = false;
    const auto a = static_cast<Eigen::Index>(k), b = static_cast<Eigen::Index>(end);
    out.breaks.push_back({k, end, left.col(a), right.col(b)});
    out.p.col(a) = out.arriving.col(a) = left.col(a);
    out.p.col(b) = right.col(b);
    if (b > a) out.arriving.col(b) = right.col(b);
    // The impact may lie in the first interval, or in the last: the momenta on that side are nobody's.
    if (k == 1) {
      out.known[0] = false;
      out.known[1] = end == 1;
    }
    if (end + 2 == n) {
      out.known[n - 1] = false;
      out.known[end] = end == k;
      if (end == k) out.p.col(b) = left.col(b);
    }
    k = end;
  }
}

}  // namespace

Sides sides(const Dynamics& dynamics, const Flow& flow, const Trajectory& trajectory) {
  const std::size_t n = trajectory.size();
  const int dimension = dynamics.dimension();
  Sides out;
  out.right.resize(dimension, static_cast<Eigen::Index>(n));
  out.left.resize(dimension, static_cast<Eigen::Index>(n));
  for (std::size_t k = 0; k + 1 < n; ++k) {
    Vec v0(dimension), v1(dimension), p(dimension);
    const auto i = static_cast<Eigen::Index>(k);
    const Vec q0 = trajectory.q.col(i), q1 = trajectory.q.col(i + 1);
    const double s = trajectory.t[k + 1] - trajectory.t[k];
    bool found = false;
    try {
      found = flow.aim(trajectory.t[k], q0, q1, s, v0, v1);
    } catch (const Error&) {
    }
    if (!found) {
      v0 = v1 = (q1 - q0) / s;
      ++out.lost;
    }
    dynamics.momentum(q0, v0, trajectory.t[k], p);
    out.right.col(i) = p;
    dynamics.momentum(q1, v1, trajectory.t[k + 1], p);
    out.left.col(i + 1) = p;
  }
  out.left.col(0) = out.right.col(0);
  out.right.col(static_cast<Eigen::Index>(n) - 1) = out.left.col(static_cast<Eigen::Index>(n) - 1);
  return out;
}

Miss miss_between(const Dynamics& dynamics, const Flow& flow, const State& from, const State& to, double s,
                  double precision, std::span<const int> held) {
  const int n = dynamics.dimension();
  Miss miss;
  Vec v0(n), v1(n), a0(n), a1(n);
  dynamics.velocity(from.q, from.p, from.t, v0);
  const State end = flow(from, s, held);
  dynamics.velocity(end.q, end.p, end.t, v1);
  dynamics.acceleration(from.q, v0, from.t, held, a0);
  dynamics.acceleration(end.q, v1, end.t, held, a1);
  const auto length = [&](const Vec& x) { return dynamics.norm_v(from.q, v0, from.t, x); };
  miss.p = dynamics.norm_p(from.q, v0, from.t, to.p - end.p);
  miss.q = length(to.q - end.q);
  const double time = std::abs(from.t) + std::abs(to.t), a = std::max(length(a0), length(a1));
  miss.rounding_p = rounding * precision * (length(v0) + length(v1) + time * a);
  miss.rounding_q = rounding * precision * (length(from.q) + length(to.q) + time * length(v0));
  miss.bound_p = 2 * s * length(a1 - a0) + miss.rounding_p;
  miss.bound_q = s * s * a + s * miss.bound_p + miss.rounding_q;
  // x₁ = x₀ + s v₀ or s v₁ misses by ∓s²a/2, along a; across it only by the turn of a.
  Vec ma(n);
  dynamics.mass(from.q, v0, from.t, a0, ma);
  Vec off = to.q - end.q;
  if (const double aa = ma.dot(a0); aa > 0) off -= (ma.dot(off) / aa) * a0;
  miss.across = length(off);
  miss.bound_across = s * s * length(a1 - a0) + s * miss.bound_p + miss.rounding_q;
  miss.signal = std::max(std::abs(s) * a, visible * length(v0));
  Vec dv(n);
  dynamics.inverse_mass(from.q, v0, from.t, to.p - end.p, dv);
  miss.unlike = length(to.q - end.q - (s / 2) * dv) / (std::abs(s) / 2 * miss.p + std::numeric_limits<double>::min());
  return miss;
}

std::optional<Trajectory> synchronised(const Dynamics& dynamics, const Trajectory& trajectory) {
  if (!trajectory.has_momenta()) return std::nullopt;
  Search found;
  recognise(dynamics, trajectory, found);
  if (!found.rule || found.rule->grid || found.rule->order != 1) return std::nullopt;
  const bool left = found.rule->name == "rectangle-left";
  Trajectory out = trajectory;
  Point at;
  Vec v(dynamics.dimension());
  for (std::size_t k = 0; k < trajectory.size(); ++k) {
    const State state = trajectory.state(k);
    const std::size_t from = left ? std::min(k, trajectory.size() - 2) : (k > 0 ? k - 1 : 0);
    const double s = trajectory.t[from + 1] - trajectory.t[from];
    dynamics.velocity(state.q, state.p, state.t, v);
    dynamics.evaluate(state.q, v, state.t, at);
    out.p.col(static_cast<Eigen::Index>(k)) += (left ? s / 2 : -s / 2) * at.Q;
  }
  Search again;
  recognise(dynamics, out, again);
  if (!again.rule || again.rule->name != "trapezoid") return std::nullopt;
  out.order_words = fmt::format("1 (the rule {}), 2 with its momenta moved to the positions", found.rule->name);
  out.notes.push_back(fmt::format("the momenta are those of the rule {}, half a step beside the positions: moved there",
                                  found.rule->name));
  return out;
}

Search search(const Dynamics& dynamics, const Trajectory& trajectory) {
  Search out;
  if (trajectory.has_momenta())
    with_momenta(dynamics, trajectory, out);
  else
    without_momenta(dynamics, trajectory, out);
  return out;
}

}  // namespace ricochet::audit
