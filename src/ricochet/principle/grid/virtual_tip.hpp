// Demoures 2016, contact time integrator 2: massless tips a quarter of an element long, contact entered and left at
// located times.
#pragma once

#include "ricochet/numerics/root.hpp"
#include "ricochet/principle/grid/chain_on_grid.hpp"

namespace ricochet::principle::grid {

/// More beginnings and ends of contacts than this in one step end the run.
inline constexpr int most_crossings = 100000;
/// How often the guess of a jump is doubled in search of a bracket.
inline constexpr int most_doublings = 8;

/// While tips touch, the element between A⁻ and 0⁺ is one spring k_AB (errata D2–D4). Entering and leaving are
/// crossings of the surface φ = 0, at which the Lagrangian changes: the point and the time of the crossing are
/// variables of the action, so p jumps along ∇φ and E_d is continuous, (4.15) and (4.17). Of the two sizes of that jump
/// the small one passes through. Kept for comparison: the split makes trapped modes, and the scheme does not converge
/// (errata D9).
template <Elastic E>
class VirtualTip : public ChainOnGrid<E, VirtualTip<E>> {
 public:
  using Base = ChainOnGrid<E, VirtualTip<E>>;
  using typename Base::Real;

  explicit VirtualTip(typename E::Spec spec, typename E::Options options = {})
      : Base(E::chain(std::move(spec), E::quarter_tips), options) {
    for (int i = 0; i < chain_.links(); ++i) chain_.switch_link(i, false);
    energy_ = this->hamiltonian();
  }

  long long crossings() const { return crossings_; }
  long long fallbacks(Fallback f) const { return f == Fallback::unbalanced_crossing ? unbalanced_ : 0; }

  void advance(Real h, Log<Real>& log) {
    E::require_stable(h, this->stable_step());
    clock_.begin(h);
    int fresh = -1;
    for (int events = 0;; ++events) {
      const Real rest = clock_.rest().s;
      const Crossing next = first_crossing(this->here().p, rest, fresh);
      const Real s = next.link < 0 ? rest : next.s;
      energy_ = fly(s);
      const Real t = clock_.advance(s);
      if (next.link < 0) break;
      if (events > most_crossings)
        this->fail(ErrorKind::too_many_impacts,
                   "more than " + std::to_string(most_crossings) + " crossings of contacts in one step", t);
      cross(next.link, t);
      fresh = next.link;
    }
    clock_.end(h, 1);
    if (!std::isfinite(energy_)) this->blew_up();
    this->tell_step(log);
  }

  /// All that the next step depends on.
  struct State : ChainState<Real> {
    long long crossings, unbalanced;
  };
  State state() const { return {this->chain_state(), crossings_, unbalanced_}; }
  /// Continues from a state; contacts that lasted then began at `begin[i]`.
  void restore(const State& s, std::span<const Real> begin) {
    this->restore_chain(s, begin);
    for (int i = 0; i < chain_.links(); ++i) chain_.switch_link(i, s.touching[static_cast<std::size_t>(i)] != 0);
    crossings_ = s.crossings, unbalanced_ = s.unbalanced;
  }

 private:
  using Base::chain_, Base::clock_, Base::energy_, Base::sums_;
  struct Crossing {
    int link = -1;
    Real s{};
  };

  /// The first s ∈ [0, rest] at which a contact closes or opens from here, with momenta p; `fresh` has just done so,
  /// and is at φ = 0.
  Crossing first_crossing(const std::vector<Real>& p, Real rest, int fresh) const {
    Crossing first{-1, rest};
    for (int i = 0; i < chain_.links(); ++i) {
      auto f = chain_.gap_along(i, this->here().q.data(), p.data());
      if (chain_.link(i).on) f = {-f.c0, -f.c1, -f.c2};
      if (i == fresh) f.c0 = 0;
      const Real s = leaves(f);
      if (s <= first.s) first = {i, s};
    }
    return first;
  }
  /// First zero of f = c0 + c1 s + c2 s² after a start at f ≥ 0.
  static Real leaves(const auto& f) {
    const Real never = std::numeric_limits<Real>::infinity();
    if (f.c0 <= 0) return f.c1 < 0 ? Real(0) : f.c2 < 0 ? -f.c1 / f.c2 : never;
    const Real discriminant = f.c1 * f.c1 - 4 * f.c0 * f.c2;
    if (discriminant < 0) return never;
    const Real root = std::sqrt(discriminant);
    if (f.c1 < 0) return 2 * f.c0 / (root - f.c1);
    return f.c2 < 0 ? (f.c1 + root) / (-2 * f.c2) : never;
  }

  /// Flies over s with the impulses of contacts; returns E_d of the interval.
  Real fly(Real s) {
    push_all(s / 2);
    const Real energy = Base::fly(s);
    push_all(s / 2);
    return energy;
  }
  void push_all(Real s) {
    for (int i = 0; i < chain_.links(); ++i) contact_at(i).push(s * chain_.link_force(i, this->here().q.data()));
  }
  ContactLog<Real>& contact_at(int i) { return this->contacts_[static_cast<std::size_t>(i)]; }

  /// The contact changes here: p⁺ = p⁻ + λ∇φ with E_d⁺ = E_d⁻, the root next to λ = 0.
  void cross(int i, Real t) {
    ++crossings_;
    const bool closes = !chain_.link(i).on;
    if (closes)
      contact_at(i).begin(t);
    else
      contact_at(i).end(t);
    auto& x = this->here();
    const Real v = chain_.gap_along(i, x.q.data(), x.p.data()).c1;
    chain_.switch_link(i, closes);
    x.potential = sums_.potential(chain_, x.q.data());  // the same up to rounding: φ = 0
    Real W = 0;
    for (const auto a : {chain_.link(i).left, chain_.link(i).right})
      if (a >= 0 && !chain_.fixed(a)) W += 1 / chain_.mass(a);
    auto surplus = [&](Real lambda) { return departing(i, lambda) - energy_; };
    const Real f0 = surplus(0), discriminant = v * v - 2 * W * f0;
    if (discriminant <= 0 || v == 0) {
      ++unbalanced_;
      return;
    }
    const Real guess = -2 * f0 / (v + (v < 0 ? -std::sqrt(discriminant) : std::sqrt(discriminant)));
    if (guess == 0) return;
    Real far = 2 * guess, f_far = surplus(far);
    for (int k = 0; k < most_doublings && f_far * f0 > 0 && std::abs(far) * W < std::abs(v); ++k)
      far *= 2, f_far = surplus(far);
    if (f_far * f0 > 0) {
      ++unbalanced_;
      return;
    }
    const Real lambda = far > 0 ? numerics::bracketed_root<Real>(surplus, Real(0), f0, far, f_far).x
                                : numerics::bracketed_root<Real>(surplus, far, f_far, Real(0), f0).x;
    kick(x.p, i, lambda);
    contact_at(i).push(lambda);
  }
  /// E_d of the interval after a jump of size λ: to the next crossing, or to the end of the step.
  Real departing(int i, Real lambda) {
    const auto& x = this->here();
    kicked_ = x.p;
    kick(kicked_, i, lambda);
    const Crossing next = first_crossing(kicked_, clock_.rest().s, i);
    auto& to = this->next();
    const auto e =
        this->flight_.fly(chain_, sums_, x.q.data(), kicked_.data(), to.q.data(), to.p.data(), next.s, *this->workers_);
    return e.kinetic + (this->potential() + e.potential) / 2;
  }
  void kick(std::vector<Real>& p, int i, Real lambda) const {
    const auto& link = chain_.link(i);
    if (link.left >= 0 && !chain_.fixed(link.left)) p[static_cast<std::size_t>(link.left)] -= lambda;
    if (link.right >= 0 && !chain_.fixed(link.right)) p[static_cast<std::size_t>(link.right)] += lambda;
  }

  std::vector<Real> kicked_;
  long long crossings_ = 0;
  long long unbalanced_ = 0;  ///< crossings too slow for an energy balance: passed without a jump
};

}  // namespace ricochet::principle::grid
