// The third way through time, the grid: contact is solved at the steps or within them by the scheme itself, and the
// events of the strong principle do not exist. What the schemes of an elastic chain share.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ricochet/error.hpp"
#include "ricochet/motion/state.hpp"
#include "ricochet/principle/clock.hpp"
#include "ricochet/principle/fallback.hpp"
#include "ricochet/principle/grid/contact_log.hpp"
#include "ricochet/principle/log.hpp"

namespace ricochet::principle::grid {

/// Masses on a line, each joined to its neighbours by springs of elements or of contacts, as a kind of body lends them
/// to the grid (bodies/bars/elastic.hpp). A chain knows its links: gap, force and energy of each; Sums adds energies
/// up, Flight flies one step with its E_d, Sweep many steps per sweep over memory.
template <class E>
concept Elastic =
    std::floating_point<typename E::Real> && requires(const typename E::Chain& chain, const typename E::Sums& sums,
                                                      const typename E::Real* x, typename E::Real h) {
      typename E::Spec;
      typename E::Options;
      typename E::Workers;
      typename E::Flight;
      typename E::Sweep;
      typename E::Readings;
      { chain.links() } -> std::same_as<int>;
      { chain.gap(0, x) } -> std::same_as<typename E::Real>;
      { chain.link_force(0, x) } -> std::same_as<typename E::Real>;
      { sums.kinetic(chain, x) } -> std::same_as<typename E::Real>;
      { sums.potential(chain, x) } -> std::same_as<typename E::Real>;
      { E::pays_to_glide(chain) } -> std::same_as<bool>;
      E::require_stable(h, h);
      std::string(E::what);
    };

/// (q, p) of a chain; the node of a run that a log is told of.
template <class Real>
struct ChainNode {
  std::vector<Real> q, p;
  Real potential = std::numeric_limits<Real>::quiet_NaN();  ///< V(q) where it is known
};

/// Hands the log of a run on the grid to an observer, which may define any of: contact(gap, t, begins) and
/// node(k, node, interval) with the ChainNode at the end of a step.
template <class Real, class Observer>
class ToldOnGrid final : public Log<Real> {
 public:
  using Own = ChainNode<Real>;
  using Interval = discrete::Interval<Real>;

  explicit ToldOnGrid(Observer& observer) : observer_(observer) {}

  bool looks_at_steps() const override {
    return requires(const Own& x, const Interval& i) { observer_.node(0LL, x, i); };
  }
  void contact(int gap, Real t, bool begins) override {
    if constexpr (requires { observer_.contact(gap, t, begins); }) observer_.contact(gap, t, begins);
  }
  void node(long long k, const motion::Node<Real>& node, const Interval& interval) override {
    if constexpr (requires(const Own& x) { observer_.node(k, x, interval); })
      observer_.node(k, node.template as<Own>(), interval);
  }

 private:
  Observer& observer_;
};

/// All that the next step depends on, but for what a scheme adds to it.
template <class Real>
struct ChainState {
  typename Clock<Real>::State clock;
  std::vector<Real> q, p;
  Real energy;
  std::vector<Real> impulses;  ///< of each gap
  std::vector<char> touching;
};

/// A run, as far as it does not depend on the scheme. A Scheme derives from it, and has advance(h, log).
template <Elastic E, class Scheme>
class ChainOnGrid {
 public:
  using Real = typename E::Real;
  using Node = ChainNode<Real>;

  const auto& line() const { return chain_.line(); }
  const typename E::Chain& chain() const { return chain_; }
  Real stable_step() const { return limit_; }
  Real t() const { return clock_.state().start; }
  long long steps() const { return clock_.steps(); }
  std::span<const Real> q() const { return here().q; }
  std::span<const Real> p() const { return here().p; }
  typename E::Readings readings() const { return {chain_, here().q.data(), here().p.data()}; }
  const ContactLog<Real>& contact(int i) const { return contacts_[static_cast<std::size_t>(i)]; }
  Real hamiltonian() const { return sums_.kinetic(chain_, here().p.data()) + potential(); }
  /// E_d of the last interval that was measured, as every step is that somebody looks at; H at the start.
  Real discrete_energy() const { return energy_; }
  long long fallbacks(Fallback) const { return 0; }

  /// n steps of length h. Those that nobody looks at are made many at once, where the scheme can do that.
  template <class Observer = NoObserver>
  void step(Real h, long long n = 1, Observer&& observer = {}) {
    ToldOnGrid<Real, std::remove_reference_t<Observer>> log(observer);
    run(h, n, log);
  }
  void run(Real h, long long n, Log<Real>& log) {
    while (n > 0) {
      const long long flown = log.looks_at_steps() ? 0 : scheme().many(h, n);
      if (flown == 0) scheme().advance(h, log);
      if (flown > 0) tell_contacts(log);
      n -= std::max(flown, 1LL);
    }
  }
  /// Up to n steps at once, whatever happens in them; 0 of a scheme that knows no faster way than one after the other.
  long long many(Real, long long) { return 0; }

  /// Lets go of the contacts that have ended.
  void forget() {
    for (auto& contact : contacts_) contact.forget();
  }

 protected:
  ChainOnGrid(typename E::Chain chain, const typename E::Options& options)
      : chain_(std::move(chain)),
        sums_(chain_),
        workers_(std::make_shared<typename E::Workers>(options.threads)),
        contacts_(static_cast<std::size_t>(chain_.links())) {
    chain_.start(here().q, here().p);
    limit_ = chain_.stable_step(here().q.data());
  }

  Node& here() { return node_.template of<Node>(); }
  const Node& here() const { return node_.template as<Node>(); }
  /// Room for the end of a flight; what flew ahead may have left anything there.
  Node& next() {
    Node& x = next_.template of<Node>();
    x.q.resize(here().q.size());
    x.p.resize(here().p.size());
    return x;
  }
  Real potential() const {
    return std::isnan(here().potential) ? sums_.potential(chain_, here().q.data()) : here().potential;
  }
  /// Flies over s; returns E_d of the interval. Ends are swapped, never copied.
  Real fly(Real s) {
    const Real before = potential();
    Node& to = next();
    const auto e = flight_.fly(chain_, sums_, here().q.data(), here().p.data(), to.q.data(), to.p.data(), s, *workers_);
    to.potential = e.potential;
    std::swap(node_, next_);
    return e.kinetic + (before + e.potential) / 2;
  }

  ChainState<Real> chain_state() const {
    ChainState<Real> s{clock_.state(), here().q, here().p, energy_, {}, {}};
    for (const auto& contact : contacts_) {
      s.impulses.push_back(contact.impulse());
      s.touching.push_back(contact.touching() ? 1 : 0);
    }
    return s;
  }
  /// Contacts that lasted then began at `begin[i]`.
  void restore_chain(const ChainState<Real>& s, std::span<const Real> begin) {
    here() = {s.q, s.p};
    clock_.restore(s.clock);
    energy_ = s.energy;
    for (std::size_t i = 0; i < contacts_.size(); ++i)
      contacts_[i].restore(s.touching[i] != 0, s.impulses[i], begin[i]);
  }

  /// Contacts that began or ended since this was last asked, in the order of time.
  void tell_contacts(Log<Real>& log) {
    changes_.clear();
    for (std::size_t i = 0; i < contacts_.size(); ++i)
      contacts_[i].tell_new([&](Real t, bool begins) { changes_.emplace_back(t, static_cast<int>(i), begins); });
    std::stable_sort(changes_.begin(), changes_.end(),
                     [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); });
    for (const auto& [t, gap, begins] : changes_) log.contact(gap, t, begins);
  }
  void tell_step(Log<Real>& log) {
    tell_contacts(log);
    if (!log.looks_at_steps()) return;
    node_.t = t();
    discrete::Interval<Real> interval;
    interval.energy = interval.start = interval.end = energy_;
    log.node(steps(), node_, interval);
  }

  [[noreturn]] void fail(ErrorKind kind, const std::string& what, Real at) const {
    throw Error(kind, what + " at t = " + std::to_string(static_cast<double>(at)));
  }
  [[noreturn]] void blew_up() const {
    fail(ErrorKind::not_finite, std::string(E::what) + " blew up: the state is no longer finite", t());
  }

  typename E::Chain chain_;
  typename E::Sums sums_;
  std::shared_ptr<typename E::Workers> workers_;
  typename E::Flight flight_;
  Clock<Real> clock_{Real(0)};
  motion::Node<Real> node_, next_;
  std::vector<ContactLog<Real>> contacts_;
  Real limit_{}, energy_{};

 private:
  Scheme& scheme() { return static_cast<Scheme&>(*this); }

  std::vector<std::tuple<Real, int, bool>> changes_;
};

}  // namespace ricochet::principle::grid
