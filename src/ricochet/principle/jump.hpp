// An impact: p⁻ → p⁺ of all gaps that act together, at one point.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "ricochet/contact/accumulation.hpp"
#include "ricochet/contact/active_set.hpp"
#include "ricochet/contact/energy_balance.hpp"
#include "ricochet/contact/energy_size.hpp"
#include "ricochet/contact/flight.hpp"
#include "ricochet/contact/rest.hpp"
#include "ricochet/contact/rough_impact.hpp"
#include "ricochet/principle/budget.hpp"
#include "ricochet/principle/log.hpp"
#include "ricochet/principle/refusals.hpp"

namespace ricochet::principle {

/// What a jump did, for the log and for the flight that follows.
template <class R>
struct Jumped {
  R mu = 1, dissipated = 0;
  const mechanics::Law<R>* law = nullptr;
  bool settled = false;  ///< the last trial, left in `ahead`, is the flight to come, and nothing happens in it
};

/// The law gives direction and size of the impulse; a conservative one is sized by E_d⁺ = E_d⁻
/// (contact/energy_balance.hpp).
template <class R>
class Jump {
 public:
  using Node = motion::Node<R>;
  using Step = discrete::Step<R>;

  Jump(const motion::Island<R>& island, motion::Flier<R>& flier, const Laws<R>& laws, Budget<R>& budget)
      : island_(island), flier_(flier), laws_(laws), budget_(budget) {}

  /// The gaps that act at the node, or a refusal where none does.
  const contact::ActiveSet<R>& gather(const Meeting<R>& meeting, const Node& node, R h) {
    if (!active_.gather(island_, node, h, restitution(), meeting.entering)) nothing_acts(meeting.gap, island_, node);
    return active_;
  }
  const contact::ActiveSet<R>& active() const { return active_; }
  contact::ActiveSet<R>& active() { return active_; }

  /// p⁻ → p⁺ at `node` for the gaps gathered before; `before` is the same node with p⁻. `arrived` and `arrived_held`
  /// speak of the flight that ended here; `ahead` is scratch that may hold the flight to come.
  Jumped<R> operator()(const discrete::Interval<R>& arrived, bool arrived_held, const Meeting<R>& meeting,
                       const Node& before, Node& node, Step rest, const motion::GapList& released,
                       contact::Flight<R>& ahead, Log<R>& log) {
    const auto& law = laws_.law_of(island_, active_, node);
    if (active_.at_corner_of_union()) budget_.count(Fallback::union_corner);
    if (rough_.acts(island_, active_)) return with_friction(law, before, node, rest, log);
    if (law.kind() == mechanics::LawKind::user) active_.describe(island_, node);
    auto outcome = law(active_.seen_by_law(), active_.impulse());
    judge(outcome, node);
    if (law.kind() == mechanics::LawKind::canonical && active_.different_restitutions())
      budget_.count(Fallback::smallest_restitution);
    if (outcome.cut) budget_.count(Fallback::cut_sequence);
    Jumped<R> jumped{.law = &law};
    std::optional<contact::ImpulseSize<R>> kinetic;  // where the law's parabola is not that of the energy
    if (!island_.quadratic() && outcome.conservative)
      kinetic = contact::EnergySize<R>(island_, active_, node, trial_)();
    if (kinetic) jumped.mu = kinetic->mu;
    const bool balanced = outcome.conservative ? flier_.balances() : laws_.dissipation == Dissipation::balance;
    if (balanced) {
      require_energy(arrived.energy, active_, island_, node);
      contact::EnergyBalance<R> balance{island_, flier_, active_, node, rest, released, trial_, ahead};
      const auto size = balance.impulse(arrived, outcome, arrived_held, kinetic);
      jumped.settled = balance.settled && outcome.conservative;
      if (size)
        jumped.mu = *size;
      else
        budget_.count(Fallback::reflection);
    }
    active_.apply(island_, node, jumped.mu);
    if (!island_.finite(node)) not_finite(island_, node);
    if (!balanced && !kinetic)
      require_quadratic(island_, before, node, active_.gain(jumped.mu) - jumped.mu * active_.wall_power(), law.name());
    if (!outcome.conservative) contact::stop_rounding(island_, active_, jumped.mu, island_.kinetic(before), node);
    if (!outcome.conservative && laws_.constant_restitution)
      outcome.dissipated +=
          contact::pass_accumulation<R>(island_, active_, law, outcome, jumped.mu, rest, meeting.entering, node,
                                        [&](const Accumulation<R>& a) { log.accumulation(a); });
    jumped.dissipated = outcome.dissipated;
    return jumped;
  }

 private:
  auto restitution() const {
    return [this](int gap, const Node& node) { return laws_.restitution_of(gap, node); };
  }

  /// With friction the law acts on the momentum, normal and slip together; nothing is left to balance.
  Jumped<R> with_friction(const mechanics::Law<R>& law, const Node& before, Node& node, Step rest, Log<R>& log) {
    const auto kind = rough_.restitution(law.kind());
    if (!kind)
      throw LawError("the law \"" + std::string(law.name()) + "\" has no meaning with friction (" +
                         active_.names(island_) + "); choose newton, poisson or stronge",
                     island_.state(node));
    rough_.gather(island_, active_, node, rest.h);
    auto outcome = rough_.solve(*kind);
    judge_rough(outcome, node);
    trial_ = node;
    rough_.apply(island_, trial_);
    if (laws_.constant_restitution && outcome.restitution < 1 &&
        contact::accumulates<R>(island_, active_, trial_, rest,
                                [&](const Accumulation<R>& a) { log.accumulation(a); })) {
      outcome = rough_.solve(*kind, true);
      judge_rough(outcome, node);
    }
    rough_.apply(island_, node);
    rough_.tell(active_);
    if (!island_.finite(node)) not_finite(island_, node);
    if (outcome.restitution < 1) contact::stop_rounding(island_, active_, R(1), island_.kinetic(before), node);
    return {R(1), outcome.dissipated, &law, false};
  }

  /// Ballard 2001 (4.6), (4.7) on the law's own impulse.
  void judge(const mechanics::Outcome<R>& outcome, const Node& node) {
    require_solved(outcome.status, active_, island_, node);
    act_on(mechanics::check_law(active_.seen_by_law(), active_.impulse(), outcome, speed(node)), node);
  }
  void judge_rough(const mechanics::FrictionOutcome<R>& outcome, const Node& node) {
    require_solved(outcome.status, active_, island_, node);
    act_on(rough_.check(outcome, speed(node)), node);
  }
  R speed(const Node& node) const { return std::sqrt(std::max(R(0), 2 * island_.kinetic(node))); }
  void act_on(const mechanics::LawCheck<R>& check, const Node& node) {
    if (check) return;
    if (check.verdict == mechanics::Verdict::energy_gain && laws_.allow_energy_gain)
      budget_.count(Fallback::energy_gain);
    else
      law_failed(check, active_, island_, node);
  }

  const motion::Island<R>& island_;
  motion::Flier<R>& flier_;
  const Laws<R>& laws_;
  Budget<R>& budget_;
  contact::ActiveSet<R> active_;
  contact::RoughImpact<R> rough_;
  Node trial_;
};

}  // namespace ricochet::principle
