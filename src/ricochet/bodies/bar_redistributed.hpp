// Bars with massless tips: contact on a fixed grid, without events. The recommended contact of elastic bodies.
#pragma once

#include "ricochet/bodies/bars.hpp"
#include "ricochet/bodies/bars/contact_log.hpp"
#include "ricochet/bodies/bars/scout.hpp"

namespace ricochet::bodies {

/// The mass of every tip that can meet something sits at its inner neighbour; two tips that meet are in static
/// equilibrium, so a contact is one more (one-sided) spring of the chain: F = k_AB max(0, −φ) (errata D9). The action
/// is that of the chain with this C¹ potential: symplectic, momentum exact, nothing to locate, and contact lasts as
/// long as the waves make it last.
template <class R = double>
class RedistributedBars {
 public:
  using Real = R;
  using Index = typename Chain<Real>::Index;

  explicit RedistributedBars(BarsSpec<Real> spec, BarsOptions options = {})
      : chain_(std::make_shared<const BarLine<Real>>(std::move(spec)), Tips::redistributed),
        sums_(chain_),
        workers_(std::make_shared<Workers>(options.threads)) {
    chain_.start(q_, p_);
    limit_ = chain_.stable_step(q_.data());
    for (int i = 0; i < chain_.links(); ++i) logs_.emplace_back(Real(0), chain_.gap(i, q_.data()));
  }

  const BarLine<Real>& line() const { return chain_.line(); }
  const Chain<Real>& chain() const { return chain_; }
  Real stable_step() const { return limit_; }
  Real t() const { return t_start_ + static_cast<Real>(k_) * h_; }
  std::span<const Real> q() const { return q_; }
  std::span<const Real> p() const { return p_; }
  Readings<Real> readings() const { return {chain_, q_.data(), p_.data()}; }
  const ContactLog<Real>& contact(int i) const { return logs_[static_cast<std::size_t>(i)]; }
  Real hamiltonian() const { return sums_.kinetic(chain_, p_.data()) + sums_.potential(chain_, q_.data()); }

  /// n steps of length h; several of them per sweep over memory.
  void step(Real h, long long n = 1) {
    require_stable(h, limit_);
    if (h != h_) t_start_ = t(), h_ = h, k_ = 0;
    while (n > 0) {
      const int m = static_cast<int>(std::min<long long>(n, Sweep<Real>::depth));
      Sweep<Real>::run(chain_, q_.data(), p_.data(), h, m, *workers_, [&](int i, int level) {
        log(i, level, h);
        if (0 < level && level < m) log(i, level, h);  // the end of a step and the start of the next
      });
      k_ += m;
      n -= m;
      require_finite();
    }
  }

  /// One step; returns E_d of its interval. The same bits as step().
  Real measured_step(Real h) {
    require_stable(h, limit_);
    if (h != h_) t_start_ = t(), h_ = h, k_ = 0;
    q1_.resize(q_.size());
    p1_.resize(p_.size());
    const Real before = sums_.potential(chain_, q_.data());
    for (int i = 0; i < chain_.links(); ++i) log(i, 0, h);
    const auto e = flight_.fly(chain_, sums_, q_.data(), p_.data(), q1_.data(), p1_.data(), h, *workers_);
    std::swap(q_, q1_);
    std::swap(p_, p1_);
    for (int i = 0; i < chain_.links(); ++i) log(i, 1, h);
    ++k_;
    require_finite();
    return e.kinetic + (before + e.potential) / 2;
  }

  /// How many of the next n steps neither begin nor end a contact.
  int quiet_steps(Real h, long long n) {
    int quiet = static_cast<int>(std::min<long long>(n, Sweep<Real>::depth));
    q1_.resize(q_.size());
    p1_.resize(p_.size());
    for (int i = 0; i < chain_.links() && quiet > 0; ++i) {
      const bool closed = chain_.gap(i, q_.data()) < 0;
      // The state after j + 1 steps is looked at before the step that leads to it counts.
      const int most = quiet;
      int same = 0;
      scout(chain_, i, q_.data(), p_.data(), q1_.data(), p1_.data(), h, most, [&](int j, const Real* q, const Real*) {
        if ((chain_.gap(i, q) < 0) != closed) return false;
        same = j;
        return true;
      });
      quiet = std::min(quiet, same);
    }
    return quiet;
  }

  /// All that the next step depends on, with (q, p) and the logs beside it.
  struct Clock {
    Real t_start, h;
    long long k;
  };
  Clock clock() const { return {t_start_, h_, k_}; }
  void restore(const Clock& clock, std::span<const Real> q, std::span<const Real> p) {
    q_.assign(q.begin(), q.end());
    p_.assign(p.begin(), p.end());
    t_start_ = clock.t_start, h_ = clock.h, k_ = clock.k;
  }
  ContactLog<Real>& contact_log(int i) { return logs_[static_cast<std::size_t>(i)]; }

  /// Runs the motion backwards from here.
  void reverse() {
    for (Real& x : p_) x = -x;
  }
  /// Sets the state, for a restart.
  void set(Real t, std::span<const Real> q, std::span<const Real> p) {
    q_.assign(q.begin(), q.end());
    p_.assign(p.begin(), p.end());
    t_start_ = t, k_ = 0;
  }

 private:
  /// Half a kick of contact i at level k_ + level: always halves, so that sums do not depend on how steps are grouped.
  void log(int i, int level, Real h) {
    const Real gap = chain_.gap(i, q_.data());
    logs_[static_cast<std::size_t>(i)].at(t_start_ + static_cast<Real>(k_ + level) * h, gap,
                                          gap < 0 ? h / 2 * chain_.link_force(i, q_.data()) : Real(0));
  }
  void require_finite() const {
    if (std::isfinite(sums_.kinetic(chain_, p_.data()))) return;
    throw Error(ErrorKind::not_finite,
                "the bars blew up: the state is no longer finite at t = " + std::to_string(static_cast<double>(t())));
  }

  Chain<Real> chain_;
  ChainSums<Real> sums_;
  std::shared_ptr<Workers> workers_;
  ChainFlight<Real> flight_;
  std::vector<Real> q_, p_, q1_, p1_;
  std::vector<ContactLog<Real>> logs_;
  Real limit_{}, t_start_{}, h_{};
  long long k_ = 0;
};

}  // namespace ricochet::bodies
