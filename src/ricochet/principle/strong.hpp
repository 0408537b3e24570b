// The strong principle: Hamilton's principle, discretised, with the impact point and the impact time among the
// variables.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "ricochet/bodies/body.hpp"
#include "ricochet/impact/accumulation.hpp"
#include "ricochet/impact/active_set.hpp"
#include "ricochet/impact/closure.hpp"
#include "ricochet/impact/energy_balance.hpp"
#include "ricochet/impact/energy_size.hpp"
#include "ricochet/impact/flight.hpp"
#include "ricochet/impact/hold.hpp"
#include "ricochet/impact/push_off.hpp"
#include "ricochet/impact/rest.hpp"
#include "ricochet/impact/rough_impact.hpp"
#include "ricochet/principle/laws.hpp"
#include "ricochet/principle/next_event.hpp"
#include "ricochet/principle/observer.hpp"
#include "ricochet/principle/refusals.hpp"

namespace ricochet::principle {

struct StrongOptions {
  int max_impacts_per_step = 200000;  ///< e = 0.999 needs thousands before its accumulation is passed (errata F14)
  double step = 0;                    ///< length of the steps to come, if known: what counts as closed at the start
};

template <bodies::Body Body, class Closure = impact::Variational>
class Strong {
 public:
  using Real = typename Body::Real;
  using Node = typename Body::Node;
  using Step = typename Body::Step;
  using Interval = typename Body::Interval;
  using Trace = typename Body::Trace;
  using Laws = ImpactLaws<Body>;

  Strong(const Body& body, Node start, Closure closure = {}, Laws laws = {}, StrongOptions options = {})
      : body_(body),
        closure_(std::move(closure)),
        laws_(std::move(laws)),
        options_(options),
        node_(std::move(start)),
        before_(node_),
        trial_(node_),
        t_start_(node_.t) {
    flight_.end = trial_flight_.end = node_;
    require_admissible(body_, node_, Real(options_.step), work_);
  }

  const Body& body() const { return body_; }
  const Closure& closure() const { return closure_; }
  const Node& node() const { return node_; }
  long long steps() const { return k_; }
  long long impacts() const { return impacts_; }
  const impact::GapList& held() const { return held_; }
  long long fallbacks(Fallback f) const { return fallbacks_[static_cast<std::size_t>(f)]; }
  long long fallbacks() const {
    long long sum = 0;
    for (const long long n : fallbacks_) sum += n;
    return sum;
  }

  /// All that the next step depends on: restored into a run of the same body, it goes on bit for bit.
  struct State {
    Node node;
    impact::GapList held;
    Real t_start, t_grid, h;
    long long steps, steps_grid, impacts;
    std::array<long long, static_cast<std::size_t>(Fallback::count_)> fallbacks;
  };
  State state() const { return {node_, held_, t_start_, t_grid_, h_, k_, k_grid_, impacts_, fallbacks_}; }
  void restore(const State& s) {
    node_ = s.node;
    held_ = s.held;
    t_start_ = s.t_start, t_grid_ = s.t_grid, h_ = s.h;
    k_ = s.steps, k_grid_ = s.steps_grid, impacts_ = s.impacts;
    fallbacks_ = s.fallbacks;
  }

  /// One step of length h: flights and impacts, earliest first, any number of them (Fetecau 2003 (74)–(79)).
  ///
  ///   depart: fly the closure's curve over what is left of the step, held to the gaps that rest
  ///   no event → accept;   otherwise arrive at the first one: an impact jumps, a touch-down or release only changes
  ///   what is held, a graze nothing; go on with the rest of the step
  template <class Observer = NoObserver>
  void step(Real h, Observer&& observer = {}) {
    advance(h, observer);
  }

  /// n steps of length h; grid times are t0 + k h, not a running sum.
  template <class Observer = NoObserver>
  void run(Real h, long long n, Observer&& observer = {}) {
    while (n > 0) {
      if constexpr (!LooksAtSteps<Observer, Body>)
        if (const long long flown = glide(h, n); flown > 0) {
          n -= flown;
          continue;
        }
      advance(h, observer);
      --n;
    }
  }

  /// Up to n steps at once that nobody looks at, as long as nothing happens in them and where the body has a faster way
  /// than one after the other (bars: many steps per sweep over memory). Returns how many; the bits are those of step().
  long long glide(Real h, long long n) {
    if constexpr (requires(Node& x) { body_.glide(x, x, h, n, work_); }) {
      if (!held_.empty() || !body_.glides()) return 0;
      const long long flown = body_.glide(node_, before_, h, n, work_);
      if (flown > 0) count_steps(h, flown);
      if (!body_.finite(node_)) not_finite(body_, node_);
      return flown;
    } else {
      return 0;
    }
  }

 private:
  using Event = principle::Event<Body>;
  /// Gaps with friction: their bodies say so (mechanics/rough.hpp), all others are without a trace of it.
  static constexpr bool rough = impact::Frictional<Body>;
  struct Smooth {};
  using Flight = impact::Flight<Body>;
  using Rough = std::conditional_t<rough, impact::RoughImpact<Body>, Smooth>;

  /// Defined outside of the class, where `extern template` can say that another file compiles it.
  template <class Observer>
  void advance(Real h, Observer& observer);

  // ---- flying ------------------------------------------------------------------------------------------------------

  Interval fly_piece(const Node& from, Step piece, Node& out) {
    return flight_.piece(body_, closure_, from, piece, out, work_);
  }

  Event next_event(Step rest) {
    return NextEvent<Body, Closure>{body_, closure_, laws_, node_, rest, flight_, trial_, active_, work_}();
  }

  /// Where a rule of first order lets go of a surface, or touches it as the motion leaves.
  void push_off(const Event& event, Real h) {
    if constexpr (impact::Holdable<Body>) {
      if (!push_off_.needed(body_)) return;
      if (event.kind == Event::graze && !(body_.contact(event.gap, node_, h, normal_, work_).acceleration > 0)) return;
      if (push_off_.give(body_, closure_, node_, h, held_, event.gap, work_)) count(Fallback::push_off);
    }
  }

  // ---- jumping -----------------------------------------------------------------------------------------------------

  /// p⁻ → p⁺ at node_. The law gives direction and size; a conservative one is sized by E_d⁺ = E_d⁻
  /// (impact/energy_balance.hpp).
  /// Returns whether the last trial, left in trial_flight_, is the flight to come.
  template <class Observer>
  bool jump(const Interval& arrived, const Event& event, Real elapsed, Real h, Observer& observer) {
    before_ = node_;
    const auto& entering = event.entering;
    if (!active_.gather(body_, node_, h, work_, restitution(), entering)) nothing_acts(event.gap, body_, node_);
    if (came_back(event, h))
      for (int i = 0; i < active_.size(); ++i) std::erase(released_, active_.contact(i).gap);
    const auto& law = laws_.law_of(body_, active_, node_);
    if constexpr (rough)
      if (rough_.acts(body_, active_)) return rough_jump(law, elapsed, h, observer), false;
    auto outcome = law(active_.seen_by_law(), active_.impulse());
    judge(outcome);
    if (law.kind() == mechanics::LawKind::canonical && active_.different_restitutions())
      count(Fallback::smallest_restitution);
    if (outcome.cut) count(Fallback::cut_sequence);
    const Step rest{h - elapsed, h};
    Real mu = 1;
    bool settled = false;
    std::optional<impact::ImpulseSize<Real>> kinetic;  // where the law's parabola is not that of the energy
    if constexpr (impact::any_kinetic_energy<Body>())
      if (outcome.conservative) kinetic = impact::EnergySize<Body>(body_, active_, node_, trial_)();
    if (kinetic) mu = kinetic->mu;
    const bool balanced = outcome.conservative ? closure_.balances() : laws_.dissipation == Dissipation::balance;
    if (balanced) {
      require_energy(arrived.energy, active_, body_, node_);
      impact::EnergyBalance<Body, Closure> balance{body_,     closure_, active_,       node_, rest,
                                                   released_, trial_,   trial_flight_, work_};
      const auto size = balance.impulse(arrived, outcome, flight_.hold.any(), kinetic);
      settled = balance.settled;
      if (size)
        mu = *size;
      else
        count(Fallback::reflection);
    }
    active_.apply(body_, node_, mu);
    if (!body_.finite(node_)) not_finite(body_, node_);
    if (!balanced && !kinetic)
      require_quadratic(body_, before_, node_, active_.gain(mu) - mu * active_.wall_power(), law.name());
    if (!outcome.conservative) impact::stop_rounding(body_, active_, mu, body_.kinetic(before_), node_);
    ++impacts_;
    if (!outcome.conservative && laws_.constant_restitution)
      outcome.dissipated += impact::pass_accumulation(body_, active_, law, outcome, mu, rest, entering, node_, work_,
                                                      [&](const Accumulation<Real>& a) {
                                                        if constexpr (requires { observer.accumulation(a); })
                                                          observer.accumulation(a);
                                                      });
    if constexpr (requires(ImpactEvent<Body> e) { observer.impact(e); })
      observer.impact(
          ImpactEvent<Body>{impacts_, k_, node_.t, elapsed / h, before_, node_, active_, mu, outcome.dissipated});
    return settled && outcome.conservative;
  }

  /// With friction the law acts on the momentum, normal and slip together; nothing is left to balance.
  template <class Observer>
  void rough_jump(const mechanics::Law<Real>& law, Real elapsed, Real h, Observer& observer) {
    const auto kind = rough_.restitution(law.kind());
    if (!kind)
      throw LawError("the law \"" + std::string(law.name()) + "\" has no meaning with friction (" +
                         active_.names(body_) + "); choose newton, poisson or stronge",
                     body_.state(node_));
    rough_.gather(body_, active_, node_, h, work_);
    auto outcome = rough_.solve(*kind);
    judge_rough(outcome);
    trial_ = node_;
    rough_.apply(body_, trial_);
    if (laws_.constant_restitution && outcome.restitution < 1 &&
        impact::accumulates(body_, active_, trial_, {h - elapsed, h}, work_, [&](const Accumulation<Real>& a) {
          if constexpr (requires { observer.accumulation(a); }) observer.accumulation(a);
        })) {
      outcome = rough_.solve(*kind, true);
      judge_rough(outcome);
    }
    rough_.apply(body_, node_);
    rough_.tell(active_);
    if (!body_.finite(node_)) not_finite(body_, node_);
    if (outcome.restitution < 1) impact::stop_rounding(body_, active_, Real(1), body_.kinetic(before_), node_);
    ++impacts_;
    if constexpr (requires(ImpactEvent<Body> e) { observer.impact(e); })
      observer.impact(
          ImpactEvent<Body>{impacts_, k_, node_.t, elapsed / h, before_, node_, active_, Real(1), outcome.dissipated});
  }

  /// Ballard 2001 (4.6), (4.7) on the law's own impulse.
  void judge(const mechanics::Outcome<Real>& outcome) {
    require_solved(outcome.status, active_, body_, node_);
    act_on(mechanics::check_law(active_.seen_by_law(), active_.impulse(), outcome, speed()));
  }
  template <class Outcome>
  void judge_rough(const Outcome& outcome) {
    require_solved(outcome.status, active_, body_, node_);
    act_on(rough_.check(outcome, speed()));
  }
  Real speed() const { return std::sqrt(std::max(Real(0), 2 * body_.kinetic(node_))); }
  void act_on(const mechanics::LawCheck<Real>& check) {
    if (check) return;
    if (check.verdict == mechanics::Verdict::energy_gain && laws_.allow_energy_gain)
      count(Fallback::energy_gain);
    else
      law_failed(check, active_, body_, node_);
  }

  auto restitution() const {
    return [this](int gap, const Node& node) { return laws_.restitution_of(gap, node); };
  }
  /// A gap that let go and closes again later in the step may be held again; sooner it would only flicker.
  static bool came_back(const Event& event, Real h) { return event.s > Real(1e-6) * h; }
  void count(Fallback f) { ++fallbacks_[static_cast<std::size_t>(f)]; }

  // ---- telling -----------------------------------------------------------------------------------------------------

  template <class Observer>
  void notify_flight(Observer& observer, const Node& from, Step step, const Interval& interval) {
    auto gap_at = [&](int i, Real s) {
      if (!flight_.hold.any()) return closure_.gap_along(body_, i, from, {s, step.h}, flight_.trace, work_);
      fly_piece(from, {s, step.h}, trial_);
      return body_.gap(i, trial_);
    };
    if constexpr (requires { observer.flight(from, step, interval, flight_.trace, gap_at); })
      observer.flight(from, step, interval, flight_.trace, gap_at);
  }
  template <class Observer>
  void notify_arrival(Observer& observer, const Event& event) {
    if constexpr (requires { observer.graze(event.gap, node_); })
      if (event.kind == Event::graze) return observer.graze(event.gap, node_);
    if constexpr (requires { observer.arrive(k_, node_); }) observer.arrive(k_, node_);
  }
  template <class Observer>
  void notify_contacts(Observer& observer) {
    const auto& now = flight_.hold.gaps();
    if (now == held_) return;
    if constexpr (requires { observer.contact(0, Real(0), true); }) {
      for (const int i : held_)
        if (!flight_.hold.holds(i) && i < body_.gaps()) observer.contact(i, node_.t, false);
      for (const int i : now)
        if (std::find(held_.begin(), held_.end(), i) == held_.end() && i < body_.gaps())
          observer.contact(i, node_.t, true);
    }
    held_ = now;
  }
  template <class Observer>
  void finish_step(Real h, const Interval& interval, Observer& observer) {
    count_steps(h, 1);
    if constexpr (requires { observer.node(k_, node_, interval); }) observer.node(k_, node_, interval);
  }

  void count_steps(Real h, long long n) {
    if (h != h_) {  // a new step length: count grid times from here
      t_grid_ = t_start_;
      k_grid_ = k_;
      h_ = h;
    }
    k_ += n;
    node_.t = t_start_ = t_grid_ + static_cast<Real>(k_ - k_grid_) * h;
  }

  const Body& body_;
  Closure closure_;
  Laws laws_;
  StrongOptions options_;
  Node node_, before_, trial_;
  Flight flight_, trial_flight_;
  typename Body::Work work_;
  typename Body::Normal normal_;
  impact::ActiveSet<Body> active_;
  [[no_unique_address]] Rough rough_;
  impact::PushOff<Body> push_off_;
  impact::GapList held_, released_;  ///< released in this step: not held again before they have come back
  Real t_start_;                     ///< time at the start of the current step
  Real t_grid_{}, h_{};
  long long k_ = 0, k_grid_ = 0, impacts_ = 0;
  int stalls_ = 0;  ///< changes of friction in no time, one after the other
  std::array<long long, static_cast<std::size_t>(Fallback::count_)> fallbacks_{};
};

template <bodies::Body Body, class Closure>
template <class Observer>
void Strong<Body, Closure>::advance(Real h, Observer& observer) {
  Real elapsed = 0;
  released_.clear();
  stalls_ = 0;
  if constexpr (rough) flight_.hold.forget();
  int grazes = 0;
  impact::PlainMeanwhile<Closure> usual(closure_);
  bool settled = false;  // the jump has flown the rest of the step, and nothing happens in it
  for (int events = 0;; ++events) {
    const Step rest{h - elapsed, h};
    if (settled)
      std::swap(flight_, trial_flight_);
    else
      flight_.depart(body_, closure_, node_, rest, released_, work_);
    if constexpr (rough)
      if (flight_.hold.ambiguous()) count(Fallback::ambiguous);
    notify_contacts(observer);
    const Event event = settled ? Event{} : next_event(rest);
    if (event.kind == Event::none) {
      notify_flight(observer, node_, rest, flight_.interval);
      break;
    }
    if (events >= options_.max_impacts_per_step) too_many_impacts(options_.max_impacts_per_step, laws_, body_, node_);
    if (event.grazes()) count(Fallback::graze), ++grazes;
    if (grazes > 1000) grazes_without_end(event.gap, laws_, body_, node_);
    before_ = node_;
    const Step piece{event.s, h};
    const Interval arrived = fly_piece(before_, piece, node_);
    notify_flight(observer, before_, piece, arrived);
    elapsed += event.s;
    node_.t = t_start_ + elapsed;
    if (event.kind == Event::release) released_.push_back(event.gap);
    if (event.kind == Event::touchdown && came_back(event, h)) std::erase(released_, event.gap);
    if constexpr (rough) {
      if (event.kind == Event::friction) flight_.hold.note(event.change);
      stalls_ = event.kind == Event::friction && event.s == 0 ? stalls_ + 1 : 0;
      if (stalls_ > 100) undecided(event.gap, body_, node_);
      if (event.kind == Event::impact) flight_.hold.forget();
    }
    settled = false;
    if (event.kind == Event::impact)
      settled = jump(arrived, event, elapsed, h, observer);
    else
      notify_arrival(observer, event);
    if (event.kind == Event::release || event.kind == Event::graze) push_off(event, h);
    // Elastic hops are left to the closure, which keeps their energy, as long as there is hope; others are to end.
    const bool plainly = grazes > 20 || (event.kind == Event::graze && laws_.restitution_of(event.gap, node_) < 1);
    if (plainly && !settled && usual.make_plain()) count(Fallback::plain_flight);
  }
  if (!body_.finite(flight_.end)) not_finite(body_, flight_.end);
  std::swap(node_, flight_.end);
  finish_step(h, flight_.interval, observer);
}

}  // namespace ricochet::principle
