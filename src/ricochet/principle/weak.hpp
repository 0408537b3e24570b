// The weak principle: Hamilton's principle in inequality form on a fixed grid, with the impact law on velocities. What
// comes out is the scheme of Moreau and Jean (θ = ½).
#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "ricochet/bodies/erased_gaps.hpp"
#include "ricochet/bodies/weak_interval.hpp"
#include "ricochet/contact/delassus.hpp"
#include "ricochet/principle/law_error.hpp"
#include "ricochet/principle/laws.hpp"
#include "ricochet/principle/weak_contacts.hpp"

namespace ricochet::principle {

/// Where a step looks for contacts: φ(q_k + γ h v_k) ≤ 0.
enum class Activation {
  start,   ///< γ = 0: one step later
  middle,  ///< γ = ½: at the node x_k itself, as (115) has it
  end,     ///< γ = 1: half a step earlier; a gap may close on air
};

struct WeakOptions {
  Activation activation = Activation::middle;
};

/// An impact as observers see it: a contact acts that did not act in the step before. Its node is x_k = q_k + ½h v_k.
template <class Real, class Node>
struct WeakImpactEvent {
  struct Acting {
    struct Gap {
      int gap;
    };
    std::vector<Gap> gaps;
    std::vector<Real> multipliers;
    Real wall = 0;
    int size() const { return static_cast<int>(gaps.size()); }
    const Gap& contact(int i) const { return gaps[static_cast<std::size_t>(i)]; }
    Real lambda(int i) const { return multipliers[static_cast<std::size_t>(i)]; }
    Real wall_power() const { return wall; }
  };
  long long number;  ///< from 1
  long long step;
  Real t, alpha;
  const Node& before;
  const Node& after;
  const Acting& active;  ///< all contacts that act in this step
  Real mu, dissipated;
  Real energy_after;  ///< H(q_{k+1}, v_{k+1})
};

/// Observers may define any of: step(from, h, middle, end, interval), impact(event), work(dissipated, wall),
/// node(k, node, interval), contact(gap, t, begins).
template <class Body>
class Weak {
 public:
  using Real = typename Body::Real;
  using Node = typename Body::Node;
  using Laws = ImpactLaws<Body>;
  using Interval = bodies::WeakInterval<Body>;
  using Energies = discrete::Interval<Real>;
  using Event = WeakImpactEvent<Real, Node>;

  Weak(const Body& body, Node start, Laws laws = {}, WeakOptions options = {})
      : body_(body),
        interval_(body),
        laws_(std::move(laws)),
        options_(options),
        node_(std::move(start)),
        from_(node_),
        before_(node_),
        after_(node_),
        t_start_(node_.t),
        acted_(at(body.gaps())) {
    require_admissible();
  }

  const Body& body() const { return body_; }
  const Node& node() const { return node_; }
  const WeakContacts<Interval>& contacts() const { return contacts_; }
  long long steps() const { return k_; }
  long long impacts() const { return impacts_; }
  long long fallbacks(Fallback f) const { return fallbacks_[static_cast<std::size_t>(f)]; }
  /// Whether the gap has had impulses in two steps or more, up to the last one.
  bool rests(int gap) const { return acted_[at(gap)].rests; }

  /// All that the next step depends on. `held` has the gaps in contact, and as −1 − gap those that acted once.
  struct State {
    Node node;
    motion::GapList held;
    Real t_start, t_grid, h, way;
    long long steps, steps_grid, impacts;
    std::array<long long, static_cast<std::size_t>(Fallback::count_)> fallbacks;
  };
  State state() const {
    State s{node_, {}, t_start_, t_grid_, h_, way_, k_, k_grid_, impacts_, fallbacks_};
    for (const int i : acting_) s.held.push_back(rests(i) ? i : -1 - i);
    return s;
  }
  void restore(const State& s) {
    node_ = s.node;
    std::fill(acted_.begin(), acted_.end(), Acted{});
    acting_.clear();
    for (const int i : s.held) {
      acting_.push_back(i < 0 ? -1 - i : i);
      acted_[at(acting_.back())] = {s.steps - 1, i >= 0};
    }
    t_start_ = s.t_start, t_grid_ = s.t_grid, h_ = s.h, way_ = s.way;
    k_ = s.steps, k_grid_ = s.steps_grid, impacts_ = s.impacts;
    fallbacks_ = s.fallbacks;
  }

  /// One step of length h: to the node x_k, percussions there, and on to the middle of the next interval.
  template <class Observer = int>
  void step(Real h, Observer&& observer = {}) {
    from_ = node_;
    interval_.begin(from_, h);
    activate(h);
    if (!contacts_.empty() || body_.constraints() > 0) percussions(h);
    interval_.end(h, node_);
    finish_step(h, observer);
  }

  /// n steps of length h; grid times are t0 + k h, not a running sum.
  template <class Observer = int>
  void run(Real h, long long n, Observer&& observer = {}) {
    for (long long i = 0; i < n; ++i) step(h, observer);
  }

 private:
  struct Acted {
    long long step = -2;  ///< in which the gap last had an impulse
    bool rests = false;   ///< also in the step before that
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  void activate(Real h) {
    const Real gamma = options_.activation == Activation::start ? Real(0)
                       : options_.activation == Activation::end ? Real(1)
                                                                : Real(0.5);
    contacts_.clear();
    depths_.clear();
    interval_.for_each_gap(from_, h, [&](int i) {
      const auto value = interval_.gap(i, from_, gamma, h);
      if (value.phi > value.rounding) return;
      if (std::isnan(value.phi))
        throw Error(ErrorKind::not_finite,
                    "the gap \"" + body_.gap_name(i) + "\" is not a number at t = " + number(from_.t),
                    body_.state(from_));
      const Real e = laws_.restitution_of(i, from_);
      if (!(e >= 0 && e <= 1))
        throw LawError(std::string(mechanics::sentence(mechanics::LawStatus::restitution_out_of_range)) + " (" +
                           body_.gap_name(i) + ")",
                       body_.state(from_));
      contacts_.add(i, e, interval_);
      depths_.push_back(-value.phi);
    });
    if (!contacts_.empty()) note_depths(h);
  }

  /// A contact that closes overlaps by the way of a step at most, and by half a step more where it is seen one step
  /// after it was still open and percussions act half a step later. One that lasts has its rate held to zero and not
  /// its gap, and sinks on where the surface curves towards it. All in the kinetic metric, which knows no units of
  /// gaps.
  void note_depths(Real h) {
    const Real speed = interval_.speed(), late = options_.activation == Activation::start ? Real(1.5) : Real(1);
    const Real tolerance = start_tolerance();  // looks at every coordinate
    const auto size = [&](int i) { return std::sqrt(interval_.couple(contacts_.row(i, 0), contacts_.row(i, 0))); };
    for (int i = 0; i < contacts_.size(); ++i)
      if (const Real gradient = size(i); gradient > 0)
        way_ = std::max(way_, h * (speed + std::abs(contacts_.row(i, 0).wall) / gradient));
    bool sunk = false;
    for (int i = 0; i < contacts_.size(); ++i) sunk |= depths_[at(i)] > size(i) * late * way_ + tolerance;
    if (sunk) ++fallbacks_[static_cast<std::size_t>(Fallback::sunk)];
  }
  /// What the start may violate a gap by.
  Real start_tolerance() { return Real(1e-9) * (1 + interval_.size_of_position()); }

  /// −λ ∈ N_T(x)((v_{k+1} + e v_k)/(1 + e)) (Leine 2009 (115), (120)); c(x_{k+1}) = 0 for bilateral constraints. One
  /// round if velocities are linear in impulses and there are no constraints, otherwise until nothing changes.
  void percussions(Real h) {
    contacts_.set_constraints(body_.constraints(), body_.gaps(), interval_);
    contacts_.assemble(interval_);
    const Real eps = std::numeric_limits<Real>::epsilon();
    Real last = std::numeric_limits<Real>::infinity();
    for (int round = 0; round < 100; ++round) {
      const Real constraints = contacts_.hold_constraints(h, interval_);
      auto status = complementarity::Status::solved;
      const Real change = std::max(constraints, contacts_.solve(interval_, status));
      if (status != complementarity::Status::solved)
        throw Error(ErrorKind::no_convergence,
                    std::string(complementarity::sentence(status)) + " (t = " + number(from_.t) + ")",
                    body_.state(from_));
      if (interval_.linear() && body_.constraints() == 0) return;
      interval_.fly(h);
      const Real rounding = eps * (16 * interval_.speed() + 4 * interval_.size_of_position() / h);
      if (!(change > rounding)) return;
      if (change >= last / 2 && change <= 1000 * rounding) return;  // it no longer shrinks: rounding
      last = change;
    }
    throw Error(ErrorKind::no_convergence,
                "the percussions of a step were not found at t = " + number(from_.t) + "; a smaller step may help",
                body_.state(from_));
  }

  template <class Observer>
  void finish_step(Real h, Observer& observer) {
    const Real dissipated = contacts_.dissipated(interval_), wall = contacts_.wall_power();
    judge(dissipated);
    const bool impact = note_contacts(h, observer);
    ++k_;
    if (h != h_) {  // a new step length: count grid times from here
      t_grid_ = t_start_;
      k_grid_ = k_ - 1;
      h_ = h;
    }
    node_.t = t_start_ = t_grid_ + static_cast<Real>(k_ - k_grid_) * h;
    if (!body_.finite(node_))
      throw Error(ErrorKind::not_finite, "the state is no longer finite at t = " + number(node_.t), body_.state(node_));
    if constexpr (requires(Energies e) { observer.step(from_, h, interval_.middle(), node_, e); }) {
      Energies energies;
      energies.energy = energies.start = energies.end = body_.hamiltonian(node_);
      energies.supplied = interval_.supplied(h);
      observer.step(from_, h, interval_.middle(), node_, energies);
    }
    if (impact) {
      ++impacts_;
      tell_impact(dissipated, observer);
    } else if constexpr (requires { observer.work(dissipated, wall); }) {
      if (!contacts_.empty()) observer.work(dissipated, wall);
    }
    if constexpr (requires(Energies e) { observer.node(k_, node_, e); }) {
      Energies energies;
      energies.energy = energies.start = energies.end = body_.hamiltonian(node_);
      observer.node(k_, node_, energies);
    }
  }

  /// Newton's law with friction can gain energy (errata B3). What forces do within the step is no gain of the law: a
  /// block that stops on an incline turns in the middle of its step. Nor is what (120) asks of a contact that
  /// separates, φ̇_k > 0, and is pressed back by more than −eφ̇_k: its impulse works with (1 − e)φ̇_k/2.
  void judge(Real dissipated) {
    if (dissipated >= 0 || contacts_.empty()) return;
    Real allowed = 0;
    bool rough = false;
    for (int i = 0; i < contacts_.size(); ++i) {
      const auto& c = contacts_[i];
      rough = rough || c.rows > 1;
      if (c.before[0] > 0) allowed += c.impulse[0] * (1 - c.e) * c.before[0] / 2;
      for (int a = 0; a < c.rows; ++a) {
        const Real r = std::abs(c.impulse[at(a)]), w = interval_.couple(contacts_.row(i, a), contacts_.row(i, a));
        const Real rounding = 4096 * std::numeric_limits<Real>::epsilon() * (std::abs(c.before[at(a)]) + w * r);
        allowed += r * (std::abs(c.free[at(a)] - c.before[at(a)]) + rounding);
      }
    }
    if (-dissipated <= allowed) return;
    ++fallbacks_[static_cast<std::size_t>(Fallback::energy_gain)];
    if (laws_.allow_energy_gain) return;
    throw Error(ErrorKind::bad_law,
                std::string("Newton's law ") + (rough ? "with friction " : "") + "gained the energy " +
                    number(-dissipated) + " at t = " + number(from_.t) +
                    " (allow_energy_gain = true counts it and goes on; principle = \"strong\" has Poisson's and "
                    "Stronge's laws, which never gain)",
                body_.state(from_));
  }

  /// A contact that acts for the first time is an impact; one that acts again in the next step rests from its impact
  /// on.
  template <class Observer>
  bool note_contacts(Real h, Observer& observer) {
    bool impact = false;
    const Real t = interval_.middle().t;
    next_.clear();
    for (int i = 0; i < contacts_.size(); ++i) {
      if (!contacts_[i].acts()) continue;
      next_.push_back(contacts_[i].gap);
      Acted& gap = acted_[at(contacts_[i].gap)];
      const bool again = gap.step == k_ - 1;
      impact = impact || !again;
      if constexpr (requires { observer.contact(0, t, true); })
        if (again && !gap.rests) observer.contact(contacts_[i].gap, t - h, true);
      gap = {k_, again};
    }
    for (const int i : acting_) {
      Acted& gap = acted_[at(i)];
      if (gap.step == k_ || !gap.rests) continue;
      gap.rests = false;
      if constexpr (requires { observer.contact(0, t, false); }) observer.contact(i, t, false);
    }
    std::swap(acting_, next_);
    return impact;
  }

  template <class Observer>
  void tell_impact(Real dissipated, Observer& observer) {
    if constexpr (requires(const Event& e) { observer.impact(e); }) {
      event_.gaps.clear();
      event_.multipliers.clear();
      for (int i = 0; i < contacts_.size(); ++i)
        if (contacts_[i].acts()) {
          event_.gaps.push_back({contacts_[i].gap});
          event_.multipliers.push_back(contacts_[i].impulse[0]);
        }
      event_.wall = contacts_.wall_power();
      interval_.at_middle(interval_.before(), before_);
      interval_.at_middle(interval_.after(), after_);
      observer.impact(Event{impacts_, k_ - 1, interval_.middle().t, Real(0.5), before_, after_, event_, Real(1),
                            dissipated, body_.hamiltonian(node_)});
    }
  }

  void require_admissible() {
    if (!body_.finite(node_))
      throw Error(ErrorKind::not_finite, "the state is not finite at the start", body_.state(node_));
    interval_.begin(node_, Real(0));
    for (int i = 0; i < body_.gaps(); ++i) {
      if (const auto why = mechanics::refuse_friction(static_cast<double>(interval_.friction(i))); !why.empty())
        throw Error(ErrorKind::invalid_model, why + " (\"" + body_.gap_name(i) + "\")", body_.state(node_));
      const Real phi = body_.gap(i, node_);
      if (!std::isfinite(phi))
        throw Error(ErrorKind::inadmissible_start,
                    "the gap \"" + body_.gap_name(i) + "\" is not a finite number at the start", body_.state(node_));
      if (!(phi >= -start_tolerance()))
        throw Error(ErrorKind::inadmissible_start,
                    "the start violates the gap \"" + body_.gap_name(i) + "\" by " + number(-phi), body_.state(node_));
    }
    if constexpr (requires {
                    body_.add_normal(std::declval<typename Body::Normal&>(), Real(0),
                                     std::declval<const typename Body::Normal&>());
                  }) {
      const bodies::ErasedBody<Body> body(body_);
      const auto gaps = bodies::own_gaps(body);
      contact::require_constraints<Real>(motion::Island<Real>(body, gaps.get()), body.node(node_));
    }
  }
  static std::string number(Real x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", static_cast<double>(x));
    return text;
  }

  const Body& body_;
  Interval interval_;
  WeakContacts<Interval> contacts_;
  Laws laws_;
  WeakOptions options_;
  Node node_, from_, before_, after_;
  Real t_start_;
  Real t_grid_{}, h_{};
  std::vector<Real> depths_;        // of the contacts
  Real way_{};                      // of a step, the longest of a contact so far, in the kinetic metric
  std::vector<Acted> acted_;        // of each gap
  std::vector<int> acting_, next_;  // gaps with an impulse, in the last step and in this one
  typename Event::Acting event_;
  long long k_ = 0, k_grid_ = 0, impacts_ = 0;
  std::array<long long, static_cast<std::size_t>(Fallback::count_)> fallbacks_{};
};

}  // namespace ricochet::principle
