// Demoures 2016, contact time integrator 2: massless tips a quarter of an element long, contact entered and left at
// located times.
#pragma once

#include "ricochet/bodies/bars.hpp"
#include "ricochet/bodies/bars/contact_log.hpp"
#include "ricochet/numerics/root.hpp"

namespace ricochet::bodies {

/// While tips touch, the element between A⁻ and 0⁺ is one spring k_AB (errata D2–D4). Entering and leaving are
/// crossings of the surface φ = 0, at which the Lagrangian changes: the point and the time of the crossing are
/// variables of the action, so p jumps along ∇φ and E_d is continuous, (4.15) and (4.17). Of the two sizes of that jump
/// the small one passes through. Kept for comparison: the split makes trapped modes, and the scheme does not converge
/// (errata D9).
template <class R = double>
class VirtualTipBars {
 public:
  using Real = R;
  using Index = typename Chain<Real>::Index;

  explicit VirtualTipBars(BarsSpec<Real> spec, BarsOptions options = {})
      : chain_(std::make_shared<const BarLine<Real>>(std::move(spec)), Tips::quarter),
        sums_(chain_),
        workers_(std::make_shared<Workers>(options.threads)) {
    chain_.start(q_, p_);
    q1_ = q_, p1_ = p_, pt_ = p_;
    limit_ = chain_.stable_step(q_.data());
    for (int i = 0; i < chain_.links(); ++i) chain_.switch_link(i, false);
    phases_.resize(static_cast<std::size_t>(chain_.links()));
    impulse_.assign(static_cast<std::size_t>(chain_.links()), Real(0));
    potential_ = sums_.potential(chain_, q_.data());
  }

  const BarLine<Real>& line() const { return chain_.line(); }
  const Chain<Real>& chain() const { return chain_; }
  Real stable_step() const { return limit_; }
  Real t() const { return t_start_ + static_cast<Real>(k_) * h_; }
  std::span<const Real> q() const { return q_; }
  std::span<const Real> p() const { return p_; }
  Readings<Real> readings() const { return {chain_, q_.data(), p_.data()}; }
  Real hamiltonian() const { return sums_.kinetic(chain_, p_.data()) + potential_; }
  /// E_d of the last interval.
  Real discrete_energy() const { return energy_; }
  const std::vector<ContactPhase<Real>>& phases(int i) const { return phases_[static_cast<std::size_t>(i)]; }
  Real impulse(int i) const { return impulse_[static_cast<std::size_t>(i)]; }
  long long crossings() const { return crossings_; }
  /// Crossings too slow for an energy balance: passed without a jump.
  long long unbalanced() const { return unbalanced_; }

  void step(Real h) {
    require_stable(h, limit_);
    if (h != h_) t_start_ = t(), h_ = h, k_ = 0;
    Real elapsed = 0;
    int fresh = -1;
    for (int events = 0;; ++events) {
      const Crossing next = first_crossing(q_, p_, h - elapsed, fresh);
      const Real s = next.link < 0 ? h - elapsed : next.s;
      energy_ = fly(s);
      elapsed += s;
      if (next.link < 0) break;
      if (events > 100000)
        fail(ErrorKind::too_many_impacts, "more than 100000 crossings of contacts in one step", elapsed);
      cross(next.link, h - elapsed, t() + elapsed);
      fresh = next.link;
    }
    ++k_;
    if (!std::isfinite(energy_)) fail(ErrorKind::not_finite, "the bars blew up: the state is no longer finite", 0);
  }
  void step(Real h, long long n) {
    for (long long i = 0; i < n; ++i) step(h);
  }

  /// All that the next step depends on.
  struct State {
    std::vector<Real> q, p, impulse;
    std::vector<char> closed;
    Real t_start, h, potential, energy;
    long long k, crossings, unbalanced;
  };
  State state() const {
    State s{q_, p_, impulse_, {}, t_start_, h_, potential_, energy_, k_, crossings_, unbalanced_};
    for (int i = 0; i < chain_.links(); ++i) s.closed.push_back(chain_.link(i).on ? 1 : 0);
    return s;
  }
  /// Continues from a state; contacts that lasted then began at `begin[i]`.
  void restore(const State& s, std::span<const Real> begin) {
    q_ = s.q, p_ = s.p, impulse_ = s.impulse;
    t_start_ = s.t_start, h_ = s.h, potential_ = s.potential, energy_ = s.energy;
    k_ = s.k, crossings_ = s.crossings, unbalanced_ = s.unbalanced;
    for (int i = 0; i < chain_.links(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      chain_.switch_link(i, s.closed[at] != 0);
      phases_[at].clear();
      if (s.closed[at] != 0) phases_[at].push_back({begin[at], std::numeric_limits<Real>::quiet_NaN()});
    }
  }
  /// Lets go of the contacts that have ended: memory is constant in the length of a run.
  void forget() {
    for (int i = 0; i < chain_.links(); ++i) {
      auto& list = phases_[static_cast<std::size_t>(i)];
      if (!list.empty()) list.erase(list.begin(), list.end() - (chain_.link(i).on ? 1 : 0));
    }
  }

 private:
  struct Crossing {
    int link = -1;
    Real s{};
  };

  /// The first s ∈ [0, rest] at which a contact closes or opens; `fresh` has just done so, and is at φ = 0.
  Crossing first_crossing(const std::vector<Real>& q, const std::vector<Real>& p, Real rest, int fresh) const {
    Crossing first{-1, rest};
    for (int i = 0; i < chain_.links(); ++i) {
      auto f = chain_.gap_along(i, q.data(), p.data());
      if (chain_.link(i).on) f = {-f.c0, -f.c1, -f.c2};
      if (i == fresh) f.c0 = 0;
      const Real s = leaves(f);
      if (s <= first.s) first = {i, s};
    }
    return first;
  }
  /// First zero of f after a start at f ≥ 0.
  static Real leaves(const GapParabola<Real>& f) {
    const Real never = std::numeric_limits<Real>::infinity();
    if (f.c0 <= 0) return f.c1 < 0 ? Real(0) : f.c2 < 0 ? -f.c1 / f.c2 : never;
    const Real discriminant = f.c1 * f.c1 - 4 * f.c0 * f.c2;
    if (discriminant < 0) return never;
    const Real root = std::sqrt(discriminant);
    if (f.c1 < 0) return 2 * f.c0 / (root - f.c1);
    return f.c2 < 0 ? (f.c1 + root) / (-2 * f.c2) : never;
  }

  /// Flies q_, p_ over s; returns E_d of the interval.
  Real fly(Real s) {
    for (int i = 0; i < chain_.links(); ++i)
      impulse_[static_cast<std::size_t>(i)] += s / 2 * chain_.link_force(i, q_.data());
    const auto e = flight_.fly(chain_, sums_, q_.data(), p_.data(), q1_.data(), p1_.data(), s, *workers_);
    std::swap(q_, q1_);
    std::swap(p_, p1_);
    const Real energy = e.kinetic + (potential_ + e.potential) / 2;
    potential_ = e.potential;
    for (int i = 0; i < chain_.links(); ++i)
      impulse_[static_cast<std::size_t>(i)] += s / 2 * chain_.link_force(i, q_.data());
    return energy;
  }

  /// The contact changes here: p⁺ = p⁻ + λ∇φ with E_d⁺ = E_d⁻, the root next to λ = 0.
  void cross(int i, Real rest, Real t) {
    ++crossings_;
    const bool closes = !chain_.link(i).on;
    auto& phases = phases_[static_cast<std::size_t>(i)];
    if (closes)
      phases.push_back({t, std::numeric_limits<Real>::quiet_NaN()});
    else
      phases.back().end = t;
    const Real v = chain_.gap_along(i, q_.data(), p_.data()).c1;
    chain_.switch_link(i, closes);
    potential_ = sums_.potential(chain_, q_.data());  // the same up to rounding: φ = 0
    Real W = 0;
    for (const Index a : {chain_.link(i).left, chain_.link(i).right})
      if (a >= 0 && !chain_.fixed(a)) W += 1 / chain_.mass(a);
    auto surplus = [&](Real lambda) { return departing(i, lambda, rest) - energy_; };
    const Real f0 = surplus(0), discriminant = v * v - 2 * W * f0;
    if (discriminant <= 0 || v == 0) {
      ++unbalanced_;
      return;
    }
    const Real guess = -2 * f0 / (v + (v < 0 ? -std::sqrt(discriminant) : std::sqrt(discriminant)));
    if (guess == 0) return;
    Real far = 2 * guess, f_far = surplus(far);
    for (int k = 0; k < 8 && f_far * f0 > 0 && std::abs(far) * W < std::abs(v); ++k) far *= 2, f_far = surplus(far);
    if (f_far * f0 > 0) {
      ++unbalanced_;
      return;
    }
    const Real lambda = far > 0 ? numerics::bracketed_root<Real>(surplus, Real(0), f0, far, f_far).x
                                : numerics::bracketed_root<Real>(surplus, far, f_far, Real(0), f0).x;
    kick(p_, i, lambda);
    impulse_[static_cast<std::size_t>(i)] += lambda;
  }
  /// E_d of the interval after a jump of size λ: to the next crossing, or to the end of the step.
  Real departing(int i, Real lambda, Real rest) {
    pt_ = p_;
    kick(pt_, i, lambda);
    const Crossing next = first_crossing(q_, pt_, rest, i);
    const auto e = flight_.fly(chain_, sums_, q_.data(), pt_.data(), q1_.data(), p1_.data(), next.s, *workers_);
    return e.kinetic + (potential_ + e.potential) / 2;
  }
  void kick(std::vector<Real>& p, int i, Real lambda) const {
    const auto& link = chain_.link(i);
    if (link.left >= 0 && !chain_.fixed(link.left)) p[static_cast<std::size_t>(link.left)] -= lambda;
    if (link.right >= 0 && !chain_.fixed(link.right)) p[static_cast<std::size_t>(link.right)] += lambda;
  }
  [[noreturn]] void fail(ErrorKind kind, const std::string& what, Real elapsed) const {
    throw Error(kind, what + " at t = " + std::to_string(static_cast<double>(t() + elapsed)));
  }

  Chain<Real> chain_;
  ChainSums<Real> sums_;
  std::shared_ptr<Workers> workers_;
  ChainFlight<Real> flight_;
  std::vector<Real> q_, p_, q1_, p1_, pt_;
  std::vector<std::vector<ContactPhase<Real>>> phases_;
  std::vector<Real> impulse_;
  Real limit_{}, t_start_{}, h_{}, potential_{}, energy_{};
  long long k_ = 0, crossings_ = 0, unbalanced_ = 0;
};

}  // namespace ricochet::bodies
