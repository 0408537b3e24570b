#include "ricochet/audit/bridge.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "ricochet/error.hpp"

namespace ricochet::audit {
namespace {

/// Impacts in one break that are worth following; more of them accumulate.
constexpr std::size_t most_impacts = 64;
/// Places at which the gaps are looked at on the way of one flight.
constexpr int looks = 16;

}  // namespace

double Bridge::gap_at(int i, const State& at) const {
  Vec g(dynamics_.dimension());
  return dynamics_.gap(i, at.q, at.t, g);
}

std::optional<Bridge::Closing> Bridge::next_closing(const State& from, double s) const {
  const int n = dynamics_.dimension();
  const double direction = s < 0 ? -1 : 1;
  Vec v(n), a(n);
  dynamics_.velocity(from.q, from.p, from.t, v);
  dynamics_.free_acceleration(from.q, v, from.t, a);
  const auto closed = measures_.closed(from, false);
  std::vector<double> last;
  for (int i = 0; i < dynamics_.gaps(); ++i) {
    last.push_back(gap_at(i, from));
    const bool shut = std::count(closed.begin(), closed.end(), i) > 0;
    if (!shut) continue;
    if (direction * dynamics_.gap_rates(i, from.q, v, a, from.t).rate < 0) return Closing{0, i};
    last.back() = 0;  // opening: it may close again
  }
  State before = from;
  for (int k = 1; k <= looks; ++k) {
    const State now = flow_(before, s * k / looks - (before.t - from.t));
    std::optional<Closing> first;
    for (int i = 0; i < dynamics_.gaps(); ++i) {
      double& was = last[static_cast<std::size_t>(i)];
      const double is = gap_at(i, now);
      const auto approaches = [&] {
        dynamics_.velocity(now.q, now.p, now.t, v);
        dynamics_.free_acceleration(now.q, v, now.t, a);
        return direction * dynamics_.gap_rates(i, now.q, v, a, now.t).rate < 0;
      };
      // A gap that has just been left is zero to rounding, of either sign.
      if (is <= 0 && (was > 0 || (was == 0 && approaches()))) {
        double open = 0, shut = now.t - before.t, f_open = was, f_shut = is;
        // A bounce shorter than a look: somewhere early on the way the gap is open.
        for (int halvings = 0; f_open == 0 && halvings < 30; ++halvings) {
          const double half = shut / 2, f = gap_at(i, flow_(before, half));
          if (f > 0)
            open = half, f_open = f;
          else
            shut = half, f_shut = f;
        }
        if (f_open == 0) continue;
        for (int it = 0; it < 200 && std::abs(shut - open) > 1e-17 + 2e-16 * std::abs(open); ++it) {
          // Regula falsi, and a bisection every third time: it must shrink from both sides.
          double x = it % 3 == 2 ? (open + shut) / 2 : open + (shut - open) * f_open / (f_open - f_shut);
          if (!(std::min(open, shut) < x && x < std::max(open, shut))) x = (open + shut) / 2;
          if (x == open || x == shut) break;
          const double f = gap_at(i, flow_(before, x));
          if (f > 0)
            open = x, f_open = f;
          else
            shut = x, f_shut = f;
        }
        const double at = before.t - from.t + shut;
        if (!first || std::abs(at) < std::abs(first->s)) first = Closing{at, i};
      }
      was = was == 0 && is <= 0 ? 0 : is;
    }
    if (first) return first;
    before = now;
  }
  return std::nullopt;
}

Vec Bridge::reflected(const State& at, int gap) const {
  const int n = dynamics_.dimension(), c = dynamics_.constraints();
  Vec v(n), a(n), g(n);
  dynamics_.velocity(at.q, at.p, at.t, v);
  dynamics_.free_acceleration(at.q, v, at.t, a);
  Mat G(n, 1 + c);
  dynamics_.gap(gap, at.q, at.t, g);
  G.col(0) = g;
  for (int k = 0; k < c; ++k) {
    dynamics_.gap(dynamics_.gaps() + k, at.q, at.t, g);
    G.col(1 + k) = g;
  }
  // φ̇⁺ = −φ̇⁻, and the rates of the constraints stay.
  Vec change = Vec::Zero(1 + c);
  change[0] = -2 * dynamics_.gap_rates(gap, at.q, v, a, at.t).rate;
  const Mat W = G.transpose() * inverse_mass(dynamics_, at.q, v, at.t) * G;
  return at.p + G * W.fullPivLu().solve(change);
}

std::optional<Chain> Bridge::elastic(const State& from, std::span<const double> times) const {
  Chain chain;
  State at = from;
  const bool backwards = !times.empty() && times.front() < from.t;
  try {
    for (const double t : times) {
      for (;;) {
        const double s = t - at.t;
        if (s == 0) break;
        const auto closing = next_closing(at, s);
        if (!closing) {
          at = flow_(at, s);
          at.t = t;
          break;
        }
        if (chain.jumps.size() == most_impacts) return std::nullopt;
        at = flow_(at, closing->s);
        const Vec p = reflected(at, closing->gap);
        Jump jump;
        jump.t = at.t;
        jump.q = at.q;
        jump.p_minus = backwards ? p : at.p;
        jump.p_plus = backwards ? at.p : p;
        chain.jumps.push_back(std::move(jump));
        at.p = p;
      }
      chain.passed.push_back(at);
    }
  } catch (const Error&) {
    return std::nullopt;
  }
  if (backwards) std::reverse(chain.jumps.begin(), chain.jumps.end());
  for (std::size_t k = 0; k + 1 < chain.jumps.size(); ++k)
    chain.jumps[k].last = chain.jumps[k].t < chain.jumps[k + 1].t;
  return chain;
}

Jump Bridge::meet(const State& a, const State& b, double& apart) const {
  const int n = dynamics_.dimension();
  const double T = b.t - a.t;
  double tau = T / 2;
  State before = a, after = b;
  for (int it = 0; it < 30; ++it) {
    before = flow_(a, tau);
    after = flow_(b, tau - T);
    const Vec difference = before.q - after.q;
    Vec v(n), w(n), m(n);
    dynamics_.velocity(before.q, before.p, before.t, v);
    dynamics_.velocity(after.q, after.p, after.t, w);
    dynamics_.mass(before.q, v, before.t, v - w, m);
    const double slope = m.dot(v - w);
    if (!(slope > 0)) break;
    const double next = std::clamp(tau - m.dot(difference) / slope, 0.0, T);
    const double change = std::abs(next - tau);
    tau = next;
    if (change <= 1e-15 * T) break;
  }
  before = flow_(a, tau);
  after = flow_(b, tau - T);
  const Vec difference = before.q - after.q;
  Vec v(n);
  dynamics_.velocity(before.q, before.p, before.t, v);
  apart = dynamics_.norm_v(before.q, v, before.t, difference);
  Jump jump;
  jump.t = a.t + tau;
  jump.q = (before.q + after.q) / 2;
  jump.p_minus = before.p;
  jump.p_plus = after.p;
  return jump;
}

bool Bridge::open_beside(const Jump& jump, const State& a, const State& b) const {
  try {
    // Just short of the impact itself.
    for (const auto& [end, s] : {std::pair(&a, jump.t - a.t), std::pair(&b, jump.t - b.t)})
      if (s != 0)
        if (const auto closing = next_closing(*end, s); closing && std::abs(closing->s) < 0.99 * std::abs(s))
          return false;
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool Bridge::several_fit(const State& a, const State& b) const {
  const double T = b.t - a.t;
  if (!(T > 0)) return false;
  for (const State* end : {&a, &b}) {
    const auto closed = measures_.closed(*end, false);
    for (int i = 0; i < dynamics_.gaps(); ++i)  // overlapping: whatever it is, it is not a chain of impacts
      if (gap_at(i, *end) < 0 && std::count(closed.begin(), closed.end(), i) == 0) return false;
  }
  try {
    const auto from_a = next_closing(a, T), from_b = next_closing(b, -T);
    if (!from_a || !from_b || !(from_a->s < T + from_b->s)) return false;
    if (from_a->gap != from_b->gap) return true;
    // From a gap to the same gap again: thrown with half of its acceleration times the way. An impact that makes much
    // more of that than it was is not one of a chain: it is one impact that was met to the step only.
    const State at = flow_(b, from_b->s);
    Vec v(dynamics_.dimension()), w(dynamics_.dimension());
    dynamics_.velocity(at.q, at.p, at.t, v);
    dynamics_.free_acceleration(at.q, v, at.t, w);
    const GapRates rates = dynamics_.gap_rates(from_b->gap, at.q, v, w, at.t);
    return std::abs(rates.acceleration) * (T + from_b->s - from_a->s) > std::abs(rates.rate);
  } catch (const Error&) {
    return false;
  }
}

}  // namespace ricochet::audit
