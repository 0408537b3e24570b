// The loop of the weak principle: Hamilton's principle in inequality form on a fixed grid, with the impact law on
// velocities. What comes out is the scheme of Moreau and Jean (θ = ½).
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "ricochet/principle/budget.hpp"
#include "ricochet/principle/clock.hpp"
#include "ricochet/principle/law_error.hpp"
#include "ricochet/principle/laws.hpp"
#include "ricochet/principle/log.hpp"
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

/// It is compiled once for double: the body, its gaps and what a push does to it are behind motion::Island and
/// motion::WeakStep. `Weak<Body>` (weak.hpp) is its door for C++ users.
template <class R>
class WeakLoop {
 public:
  using Node = motion::Node<R>;
  using Interval = discrete::Interval<R>;

  WeakLoop(const motion::Island<R>& island, motion::WeakStep<R>& interval, Node start, Laws<R> laws,
           WeakOptions options);
  WeakLoop(const WeakLoop&) = delete;
  WeakLoop& operator=(const WeakLoop&) = delete;

  const Node& node() const { return node_; }
  const WeakContacts<R>& contacts() const { return contacts_; }
  long long steps() const { return clock_.steps(); }
  long long impacts() const { return impacts_; }
  const FallbackCounts& fallbacks() const { return budget_.counts(); }
  /// Whether the gap has had impulses in two steps or more, up to the last one.
  bool rests(int gap) const { return acted_[at(gap)].rests; }

  /// All that the next step depends on. `held` has the gaps in contact, and as −1 − gap those that acted once.
  struct State {
    typename Clock<R>::State clock;
    motion::GapList held;
    R way;
    long long impacts;
    FallbackCounts fallbacks;
  };
  State state() const;
  void restore(Node node, const State& s);

  /// One step of length h: to the node x_k, percussions there, and on to the middle of the next interval.
  void advance(R h, Log<R>& log) {
    clock_.begin(h);
    from_ = node_;
    interval_.begin(from_, h);
    activate(h);
    if (!contacts_.empty() || island_.constraints() > 0) percussions(h);
    interval_.end(h, node_);
    finish(h, log);
  }

 private:
  struct Acted {
    long long step = -2;  ///< in which the gap last had an impulse
    bool rests = false;   ///< also in the step before that
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  void activate(R h);
  void note_depths(R h);
  void percussions(R h);
  void finish(R h, Log<R>& log);
  void judge(R dissipated);
  bool note_contacts(R h, Log<R>& log);
  void tell_impact(R dissipated, Log<R>& log);
  void require_admissible();

  /// What the start may violate a gap by.
  R start_tolerance() { return R(1e-9) * (1 + interval_.size_of_position()); }
  static std::string number(R x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", static_cast<double>(x));
    return text;
  }

  const motion::Island<R>& island_;
  motion::WeakStep<R>& interval_;
  WeakGaps<R> gaps_;
  WeakContacts<R> contacts_;
  const Laws<R> laws_;
  const WeakOptions options_;
  Budget<R> budget_;
  Clock<R> clock_;
  Node node_, from_, middle_, before_, after_;
  std::vector<R> depths_;          // of the contacts
  R way_{};                        // of a step, the longest of a contact so far, in the kinetic metric
  std::vector<Acted> acted_;       // of each gap
  motion::GapList acting_, next_;  // gaps with an impulse, in the last step and in this one
  WeakActing<R> event_;
  long long impacts_ = 0;
};

template <class R>
WeakLoop<R>::WeakLoop(const motion::Island<R>& island, motion::WeakStep<R>& interval, Node start, Laws<R> laws,
                      WeakOptions options)
    : island_(island),
      interval_(interval),
      gaps_(island_, interval_),
      contacts_(island_, interval_, gaps_),
      laws_(std::move(laws)),
      options_(options),
      budget_(island_, laws_, 0),
      clock_(start.t),
      node_(std::move(start)),
      from_(node_),
      before_(node_),
      after_(node_),
      acted_(at(island_.gaps())) {
  require_admissible();
}

template <class R>
typename WeakLoop<R>::State WeakLoop<R>::state() const {
  State s{clock_.state(), {}, way_, impacts_, budget_.counts()};
  for (const int i : acting_) s.held.push_back(rests(i) ? i : -1 - i);
  return s;
}

template <class R>
void WeakLoop<R>::restore(Node node, const State& s) {
  node_ = std::move(node);
  clock_.restore(s.clock);
  std::fill(acted_.begin(), acted_.end(), Acted{});
  acting_.clear();
  for (const int i : s.held) {
    acting_.push_back(i < 0 ? -1 - i : i);
    acted_[at(acting_.back())] = {s.clock.steps - 1, i >= 0};
  }
  way_ = s.way;
  impacts_ = s.impacts;
  budget_.restore(s.fallbacks);
}

template <class R>
void WeakLoop<R>::activate(R h) {
  const R gamma = options_.activation == Activation::start ? R(0)
                  : options_.activation == Activation::end ? R(1)
                                                           : R(0.5);
  contacts_.clear();
  depths_.clear();
  for (int i = 0; i < island_.gaps(); ++i) {
    const auto value = gaps_.value(i, from_, gamma, h);
    if (value.phi > value.rounding) continue;
    if (std::isnan(value.phi))
      throw Error(ErrorKind::not_finite,
                  "the gap \"" + island_.gap_name(i) + "\" is not a number at t = " + number(from_.t),
                  island_.state(from_));
    const R e = laws_.restitution_of(i, from_);
    if (!(e >= 0 && e <= 1))
      throw LawError(std::string(mechanics::sentence(mechanics::LawStatus::restitution_out_of_range)) + " (" +
                         island_.gap_name(i) + ")",
                     island_.state(from_));
    contacts_.add(i, e);
    depths_.push_back(-value.phi);
  }
  if (!contacts_.empty()) note_depths(h);
}

/// A contact that closes overlaps by the way of a step at most, and by half a step more where it is seen one step
/// after it was still open and percussions act half a step later. One that lasts has its rate held to zero and not
/// its gap, and sinks on where the surface curves towards it. All in the kinetic metric, which knows no units of
/// gaps.
template <class R>
void WeakLoop<R>::note_depths(R h) {
  const R speed = interval_.speed(), late = options_.activation == Activation::start ? R(1.5) : R(1);
  const R tolerance = start_tolerance();  // looks at every coordinate
  const auto size = [&](int i) { return std::sqrt(contacts_.couple(contacts_.row(i, 0), contacts_.row(i, 0))); };
  for (int i = 0; i < contacts_.size(); ++i)
    if (const R gradient = size(i); gradient > 0)
      way_ = std::max(way_, h * (speed + std::abs(contacts_.row(i, 0).wall) / gradient));
  bool sunk = false;
  for (int i = 0; i < contacts_.size(); ++i) sunk |= depths_[at(i)] > size(i) * late * way_ + tolerance;
  if (sunk) budget_.count(Fallback::sunk);
}

/// −λ ∈ N_T(x)((v_{k+1} + e v_k)/(1 + e)) (Leine 2009 (115), (120)); c(x_{k+1}) = 0 for bilateral constraints. One
/// round if velocities are linear in impulses and there are no constraints, otherwise until nothing changes.
template <class R>
void WeakLoop<R>::percussions(R h) {
  contacts_.set_constraints();
  contacts_.assemble();
  const R eps = std::numeric_limits<R>::epsilon();
  R last = std::numeric_limits<R>::infinity();
  for (int round = 0; round < 100; ++round) {
    const R constraints = contacts_.hold_constraints(h);
    auto status = complementarity::Status::solved;
    const R change = std::max(constraints, contacts_.solve(status));
    if (status != complementarity::Status::solved)
      throw Error(ErrorKind::no_convergence,
                  std::string(complementarity::sentence(status)) + " (t = " + number(from_.t) + ")",
                  island_.state(from_));
    if (interval_.linear() && island_.constraints() == 0) return;
    interval_.fly(h);
    const R rounding = eps * (16 * interval_.speed() + 4 * interval_.size_of_position() / h);
    if (!(change > rounding)) return;
    if (change >= last / 2 && change <= 1000 * rounding) return;  // it no longer shrinks: rounding
    last = change;
  }
  throw Error(ErrorKind::no_convergence,
              "the percussions of a step were not found at t = " + number(from_.t) + "; a smaller step may help",
              island_.state(from_));
}

/// Newton's law with friction can gain energy (errata B3). What forces do within the step is no gain of the law: a
/// block that stops on an incline turns in the middle of its step. Nor is what (120) asks of a contact that
/// separates, φ̇_k > 0, and is pressed back by more than −eφ̇_k: its impulse works with (1 − e)φ̇_k/2.
template <class R>
void WeakLoop<R>::judge(R dissipated) {
  if (dissipated >= 0 || contacts_.empty()) return;
  R allowed = 0;
  bool rough = false;
  for (int i = 0; i < contacts_.size(); ++i) {
    const auto& c = contacts_[i];
    rough = rough || c.rows > 1;
    if (c.before[0] > 0) allowed += c.impulse[0] * (1 - c.e) * c.before[0] / 2;
    for (int a = 0; a < c.rows; ++a) {
      const R r = std::abs(c.impulse[at(a)]), w = contacts_.couple(contacts_.row(i, a), contacts_.row(i, a));
      const R rounding = 4096 * std::numeric_limits<R>::epsilon() * (std::abs(c.before[at(a)]) + w * r);
      allowed += r * (std::abs(c.free[at(a)] - c.before[at(a)]) + rounding);
    }
  }
  if (-dissipated <= allowed) return;
  budget_.count(Fallback::energy_gain);
  if (laws_.allow_energy_gain) return;
  throw Error(ErrorKind::bad_law,
              std::string("Newton's law ") + (rough ? "with friction " : "") + "gained the energy " +
                  number(-dissipated) + " at t = " + number(from_.t) +
                  " (allow_energy_gain = true counts it and goes on; principle = \"strong\" has Poisson's and "
                  "Stronge's laws, which never gain)",
              island_.state(from_));
}

template <class R>
void WeakLoop<R>::require_admissible() {
  if (!island_.finite(node_))
    throw Error(ErrorKind::not_finite, "the state is not finite at the start", island_.state(node_));
  interval_.begin(node_, R(0));
  for (int i = 0; i < island_.gaps(); ++i) {
    if (const auto why = mechanics::refuse_friction(island_.friction(i)); !why.empty())
      throw Error(ErrorKind::invalid_model, why + " (\"" + island_.gap_name(i) + "\")", island_.state(node_));
    const R phi = island_.gap(i, node_);
    if (!std::isfinite(phi))
      throw Error(ErrorKind::inadmissible_start,
                  "the gap \"" + island_.gap_name(i) + "\" is not a finite number at the start", island_.state(node_));
    if (!(phi >= -start_tolerance()))
      throw Error(ErrorKind::inadmissible_start,
                  "the start violates the gap \"" + island_.gap_name(i) + "\" by " + number(-phi),
                  island_.state(node_));
  }
  contact::require_constraints<R>(island_, node_);
}

template <class R>
void WeakLoop<R>::finish(R h, Log<R>& log) {
  const R dissipated = contacts_.dissipated(), wall = contacts_.wall_power();
  judge(dissipated);
  interval_.middle(middle_);
  const bool impact = note_contacts(h, log);
  island_.set_time(node_, clock_.end(h, 1));
  if (!island_.finite(node_))
    throw Error(ErrorKind::not_finite, "the state is no longer finite at t = " + number(node_.t), island_.state(node_));
  const bool looked_at = log.looks_at_steps();
  Interval energies;
  if (looked_at || impact) energies.energy = energies.start = energies.end = island_.hamiltonian(node_);
  if (looked_at) {
    energies.supplied = interval_.supplied(h);
    log.weak_step(from_, h, middle_, node_, energies);
    energies.supplied = 0;
  }
  if (impact) {
    ++impacts_;
    tell_impact(dissipated, log);
  } else if (!contacts_.empty()) {
    log.work(dissipated, wall);
  }
  if (looked_at) log.node(steps(), node_, energies);
}

/// A contact that acts for the first time is an impact; one that acts again in the next step rests from its impact on.
template <class R>
bool WeakLoop<R>::note_contacts(R h, Log<R>& log) {
  bool impact = false;
  const long long k = steps();
  const R t = middle_.t;
  next_.clear();
  for (int i = 0; i < contacts_.size(); ++i) {
    if (!contacts_[i].acts()) continue;
    next_.push_back(contacts_[i].gap);
    Acted& gap = acted_[at(contacts_[i].gap)];
    const bool again = gap.step == k - 1;
    impact = impact || !again;
    if (again && !gap.rests) log.contact(contacts_[i].gap, t - h, true);
    gap = {k, again};
  }
  for (const int i : acting_) {
    Acted& gap = acted_[at(i)];
    if (gap.step == k || !gap.rests) continue;
    gap.rests = false;
    log.contact(i, t, false);
  }
  std::swap(acting_, next_);
  return impact;
}

template <class R>
void WeakLoop<R>::tell_impact(R dissipated, Log<R>& log) {
  event_.gaps.clear();
  event_.multipliers.clear();
  for (int i = 0; i < contacts_.size(); ++i)
    if (contacts_[i].acts()) {
      event_.gaps.push_back({contacts_[i].gap});
      event_.multipliers.push_back(contacts_[i].impulse[0]);
    }
  event_.wall = contacts_.wall_power();
  interval_.at_middle(motion::Side::before, before_);
  interval_.at_middle(motion::Side::after, after_);
  log.impact(WeakImpact<R, Node>{impacts_, steps() - 1, middle_.t, R(0.5), before_, after_, event_, R(1), dissipated,
                                 island_.hamiltonian(node_)});
}

#ifdef RICOCHET_COMPILED_LOOP  // set by linking ricochet::principle, which has it (instances.cpp)
extern template class WeakLoop<double>;
#endif

}  // namespace ricochet::principle
