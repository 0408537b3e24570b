// An elastic chain with massless tips: contact on a fixed grid, without events. The recommended contact of elastic
// bodies.
#pragma once

#include "ricochet/principle/grid/chain_on_grid.hpp"

namespace ricochet::principle::grid {

/// The mass of every tip that can meet something sits at its inner neighbour; two tips that meet are in static
/// equilibrium, so a contact is one more (one-sided) spring of the chain: F = k_AB max(0, −φ) (errata D9). The action
/// is that of the chain with this C¹ potential: symplectic, momentum exact, nothing to locate, and contact lasts as
/// long as the waves make it last.
template <Elastic E>
class MasslessTips : public ChainOnGrid<E, MasslessTips<E>> {
 public:
  using Base = ChainOnGrid<E, MasslessTips<E>>;
  using typename Base::Real;

  explicit MasslessTips(typename E::Spec spec, typename E::Options options = {})
      : Base(E::chain(std::move(spec), E::tips_at_neighbours), options) {
    for (int i = 0; i < chain_.links(); ++i)
      followers_.emplace_back(chain_.gap(i, this->q().data()), contacts_[static_cast<std::size_t>(i)]);
    this->energy_ = this->hamiltonian();
  }

  /// One step of length h with E_d of its interval. The bits are those of many().
  void advance(Real h, Log<Real>& log) {
    E::require_stable(h, this->stable_step());
    follow_all(h, 0);
    this->energy_ = this->fly(h);
    follow_all(h, 1);
    clock_.end(h, 1);
    require_finite();
    this->tell_step(log);
  }
  /// Up to n steps of length h in one sweep over memory; returns how many.
  long long many(Real h, long long n) {
    E::require_stable(h, this->stable_step());
    const int m = static_cast<int>(std::min<long long>(n, E::Sweep::depth));
    auto& x = this->here();
    x.potential = std::numeric_limits<Real>::quiet_NaN();
    E::Sweep::run(chain_, x.q.data(), x.p.data(), h, m, *this->workers_, [&](int i, int level) {
      follow(i, level, h);
      if (0 < level && level < m) follow(i, level, h);  // the end of a step and the start of the next
    });
    clock_.end(h, m);
    require_finite();
    return m;
  }
  /// Up to n steps at once in which no contact begins or ends; 0 where there may be one, or where single steps are as
  /// fast.
  long long glide(Real h, long long n) {
    if (!E::pays_to_glide(chain_)) return 0;
    const int quiet = quiet_steps(h, n);
    return quiet > 0 ? many(h, quiet) : 0;
  }
  /// How many of the next n steps neither begin nor end a contact.
  int quiet_steps(Real h, long long n) {
    int quiet = static_cast<int>(std::min<long long>(n, E::Sweep::depth));
    const auto& x = this->here();
    auto& ahead = this->next();
    for (int i = 0; i < chain_.links() && quiet > 0; ++i) {
      const bool closed = chain_.gap(i, x.q.data()) < 0;
      // The state after j + 1 steps is looked at before the step that leads to it counts.
      int same = 0;
      const auto look = [&](int j, const Real* q, const Real*) {
        if ((chain_.gap(i, q) < 0) != closed) return false;
        same = j;
        return true;
      };
      E::look_ahead(chain_, i, x.q.data(), x.p.data(), ahead.q.data(), ahead.p.data(), h, quiet, look);
      quiet = std::min(quiet, same);
    }
    return quiet;
  }

  /// All that the next step depends on.
  struct State : ChainState<Real> {
    std::vector<typename GapFollower<Real>::State> gaps;
  };
  State state() const {
    State s{this->chain_state(), {}};
    for (const auto& follower : followers_) s.gaps.push_back(follower.state());
    return s;
  }
  /// Continues from a state; contacts that lasted then began at `begin[i]`.
  void restore(const State& s, std::span<const Real> begin) {
    this->restore_chain(s, begin);
    for (std::size_t i = 0; i < followers_.size(); ++i) followers_[i].restore(s.gaps[i]);
  }

  /// Runs the motion backwards from here.
  void reverse() {
    for (Real& x : this->here().p) x = -x;
  }
  /// Sets the state, for a restart.
  void set(Real t, std::span<const Real> q, std::span<const Real> p) {
    this->here() = {{q.begin(), q.end()}, {p.begin(), p.end()}};
    clock_.restore({t, t, clock_.state().h, 0, 0});
  }

 private:
  using Base::chain_, Base::clock_, Base::contacts_;

  void follow_all(Real h, int level) {
    for (int i = 0; i < chain_.links(); ++i) follow(i, level, h);
  }
  /// Half a kick of contact i, `level` steps from now: always halves, so that sums do not depend on how steps are
  /// grouped.
  void follow(int i, int level, Real h) {
    const Real* q = this->q().data();
    const Real gap = chain_.gap(i, q), impulse = gap < 0 ? h / 2 * chain_.link_force(i, q) : Real(0);
    const auto at = static_cast<std::size_t>(i);
    followers_[at].at(clock_.after(h, level), gap, impulse, contacts_[at]);
  }
  void require_finite() const {
    if (!std::isfinite(this->sums_.kinetic(chain_, this->p().data()))) this->blew_up();
  }

  std::vector<GapFollower<Real>> followers_;
};

}  // namespace ricochet::principle::grid
