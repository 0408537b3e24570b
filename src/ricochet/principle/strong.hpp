// The strong principle: Hamilton's principle, discretised, with the impact point and the impact time among the variables.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <utility>

#include "ricochet/bodies/body.hpp"
#include "ricochet/impact/active_set.hpp"
#include "ricochet/impact/closure.hpp"
#include "ricochet/impact/jump.hpp"
#include "ricochet/impact/locate.hpp"

namespace ricochet::principle {

/// Everything that is not the plain algorithm has a name, is counted and ends up in the summary.
enum class Fallback {
  reflection,  ///< the energy balance has no admissible root (grazing, errata F7): the law's own impulse was used
  count_
};
constexpr std::string_view name(Fallback fallback) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(Fallback::count_)> names{"reflection"};
  return names[static_cast<std::size_t>(fallback)];
}

template <class Body>
struct ImpactLaws {
  using Real = typename Body::Real;
  mechanics::Law<Real> law = mechanics::Law<Real>::elastic();
  /// e of one gap at a node; empty means 1.
  std::function<Real(int, const typename Body::Node&)> restitution;
};

struct StrongOptions {
  int max_impacts_per_step = 100000;
};

/// One impact, as observers see it.
template <class Body>
struct ImpactEvent {
  using Real = typename Body::Real;
  long long number;  ///< from 1
  long long step;
  Real t, alpha;     ///< t̃ = t_k + αh
  const typename Body::Node& before;
  const typename Body::Node& after;
  const impact::ActiveSet<Body>& active;
  Real mu;           ///< multipliers are μ λ_i
};

/// Observers may define any of: flight(from, step, interval, trace), impact(event), node(k, node, interval).
struct NoObserver {};

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
        end_(node_),
        before_(node_),
        trial_(node_),
        trial_end_(node_),
        t_start_(node_.t) {
    require_admissible();
  }

  const Body& body() const { return body_; }
  const Closure& closure() const { return closure_; }
  const Node& node() const { return node_; }
  long long steps() const { return k_; }
  long long impacts() const { return impacts_; }
  long long fallbacks(Fallback f) const { return fallbacks_[static_cast<std::size_t>(f)]; }
  long long fallbacks() const {
    long long sum = 0;
    for (const long long n : fallbacks_) sum += n;
    return sum;
  }

  /// One step of length h: flights and impacts, earliest first, any number of them (Fetecau 2003 (74)–(79)).
  ///
  ///   fly the closure's curve over what is left of the step
  ///   no crossing → accept;   otherwise arrive at the first one (q̃, t̃), jump, and go on with the rest of the step
  template <class Observer = NoObserver>
  void step(Real h, Observer&& observer = {}) {
    Real elapsed = 0;
    Interval interval;
    for (int events = 0;; ++events) {
      const Step rest{h - elapsed, h};
      interval = closure_.fly(body_, node_, rest, end_, trace_, work_);
      const auto crossing = first_impact(rest);
      if (!crossing) {
        notify_flight(observer, node_, rest, interval, trace_);
        break;
      }
      if (events >= options_.max_impacts_per_step) too_many_impacts();
      before_ = node_;
      const Step piece{crossing->s, h};
      interval = closure_.fly(body_, before_, piece, node_, work_);
      elapsed += crossing->s;
      node_.t = t_start_ + elapsed;
      notify_flight(observer, before_, piece, interval, trace_);
      before_ = node_;
      const Real mu = jump(interval, Step{h - elapsed, h});
      ++impacts_;
      if constexpr (requires(ImpactEvent<Body> e) { observer.impact(e); })
        observer.impact(ImpactEvent<Body>{impacts_, k_, node_.t, elapsed / h, before_, node_, active_, mu});
    }
    std::swap(node_, end_);
    finish_step(h, interval, observer);
  }

  /// n steps of length h; grid times are t0 + k h, not a running sum.
  template <class Observer = NoObserver>
  void run(Real h, long long n, Observer&& observer = {}) {
    for (long long i = 0; i < n; ++i) step(h, observer);
  }

 private:
  /// The next crossing that is an impact. One that only grazes (no closed gap approaches, and it is opening again)
  /// leaves the flight as it is.
  std::optional<impact::Crossing<Real>> first_impact(Step rest) {
    Real from = 0;
    for (;;) {
      auto crossing = impact::locate(body_, closure_, node_, rest, end_, trace_, from, work_, list_,
                                     [](int) { return false; });
      if (!crossing) return crossing;
      closure_.fly(body_, node_, {crossing->s, rest.h}, trial_, work_);
      if (active_.gather(body_, trial_, rest.h, work_, restitution())) return crossing;
      from = crossing->s;
    }
  }

  /// p⁻ → p⁺ at node_. The law gives direction and size; a conservative one is sized by E_d⁺ = E_d⁻ (Fetecau 2003
  /// (75b), with the terms of errata F13), where the interval after the jump ends at the next impact or with the step.
  Real jump(const Interval& arrived, Step rest) {
    active_.gather(body_, node_, rest.h, work_, restitution());
    const auto outcome = laws_.law(active_.seen_by_law(), active_.impulse());
    if (outcome.status != mechanics::LawStatus::solved)
      throw Error(ErrorKind::bad_law, std::string(mechanics::sentence(outcome.status)) + " (" + active_.names(body_) + ")",
                  body_.state(node_));
    Real mu = 1;
    if (outcome.conservative && Closure::balances) {
      const Real wall = active_.wall_power();
      auto surplus = [&](Real m, bool to_next_impact) {
        trial_ = node_;
        active_.apply(body_, trial_, m);
        const Interval leaving = departing(rest, to_next_impact);
        if (arrived.has_excess && leaving.has_excess)
          return active_.gain(m) + (leaving.excess_start - arrived.excess_end);
        return leaving.start - arrived.end + m * wall;
      };
      const Real scale = std::abs(arrived.energy) + kinetic_scale();
      auto size = impact::impulse_size<Real>([&](Real m) { return surplus(m, false); }, scale);
      if (!size || meets_again(rest, *size))
        size = impact::impulse_size<Real>([&](Real m) { return surplus(m, true); }, scale);
      if (size)
        mu = *size;
      else
        ++fallbacks_[static_cast<std::size_t>(Fallback::reflection)];
    }
    active_.apply(body_, node_, mu);
    if (!body_.finite(node_)) not_finite();
    return mu;
  }

  /// The interval after a trial jump from trial_: to the end of the step, or to the next crossing.
  Interval departing(Step rest, bool to_next_impact) {
    Interval interval = closure_.fly(body_, trial_, rest, trial_end_, trial_trace_, work_);
    if (!to_next_impact) return interval;
    const auto next = impact::locate(body_, closure_, trial_, rest, trial_end_, trial_trace_, Real(0), work_, list_,
                                     [](int) { return false; });
    if (next) interval = closure_.fly(body_, trial_, {next->s, rest.h}, trial_end_, work_);
    return interval;
  }
  bool meets_again(Step rest, Real mu) {
    trial_ = node_;
    active_.apply(body_, trial_, mu);
    closure_.fly(body_, trial_, rest, trial_end_, trial_trace_, work_);
    return impact::locate(body_, closure_, trial_, rest, trial_end_, trial_trace_, Real(0), work_, list_,
                          [](int) { return false; })
        .has_value();
  }
  /// Size of the kinetic energy at the impact, for tolerances relative to it.
  Real kinetic_scale() const { return std::abs(body_.kinetic(node_)); }

  auto restitution() const {
    return [this](int gap, const Node& node) { return laws_.restitution ? laws_.restitution(gap, node) : Real(1); };
  }

  template <class Observer>
  void notify_flight(Observer& observer, const Node& from, Step step, const Interval& interval, const Trace& trace) {
    if constexpr (requires { observer.flight(from, step, interval, trace); })
      observer.flight(from, step, interval, trace);
  }
  template <class Observer>
  void finish_step(Real h, const Interval& interval, Observer& observer) {
    ++k_;
    if (h != h_) {  // a new step length: count grid times from here
      t_grid_ = t_start_;
      k_grid_ = k_ - 1;
      h_ = h;
    }
    node_.t = t_start_ = t_grid_ + static_cast<Real>(k_ - k_grid_) * h;
    if (!body_.finite(node_)) not_finite();
    if constexpr (requires { observer.node(k_, node_, interval); }) observer.node(k_, node_, interval);
  }

  void require_admissible() {
    typename Body::Normal normal;
    for (int i = 0; i < body_.gaps(); ++i) {
      const auto contact = body_.contact(i, node_, Real(0), normal, work_);
      if (!(contact.value >= -contact.tolerance))
        throw Error(ErrorKind::inadmissible_start,
                    "the start violates the gap \"" + body_.gap_name(i) + "\" by " +
                        std::to_string(static_cast<double>(-contact.value)),
                    body_.state(node_));
    }
  }
  [[noreturn]] void too_many_impacts() const {
    throw Error(ErrorKind::too_many_impacts,
                "more than " + std::to_string(options_.max_impacts_per_step) + " impacts in one step at t = " +
                    std::to_string(static_cast<double>(node_.t)),
                body_.state(node_));
  }
  [[noreturn]] void not_finite() const {
    throw Error(ErrorKind::not_finite,
                "the state is no longer finite at t = " + std::to_string(static_cast<double>(node_.t)),
                body_.state(node_));
  }

  const Body& body_;
  Closure closure_;
  Laws laws_;
  StrongOptions options_;
  Node node_, end_, before_, trial_, trial_end_;
  Trace trace_, trial_trace_;
  typename Body::Work work_;
  impact::GapList list_;
  impact::ActiveSet<Body> active_;
  Real t_start_;  ///< time at the start of the current step
  Real t_grid_{}, h_{};
  long long k_ = 0, k_grid_ = 0, impacts_ = 0;
  std::array<long long, static_cast<std::size_t>(Fallback::count_)> fallbacks_{};
};

}  // namespace ricochet::principle
