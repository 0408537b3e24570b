// How a run of the strong principle ends before its time: one sentence each, with the state.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

#include "ricochet/contact/active_set.hpp"
#include "ricochet/contact/delassus.hpp"
#include "ricochet/error.hpp"
#include "ricochet/mechanics/friction.hpp"
#include "ricochet/principle/law_error.hpp"
#include "ricochet/principle/laws.hpp"

namespace ricochet::principle {

template <class Real>
std::string six_digits(Real x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", static_cast<double>(x));
  return text;
}

template <class Real>
[[noreturn]] void not_finite(const motion::Island<Real>& island, const motion::Node<Real>& node) {
  throw Error(ErrorKind::not_finite, "the state is no longer finite at t = " + six_digits(node.t), island.state(node));
}

/// The start: finite, no gap violated, constraints kept, and friction that has a meaning.
template <class Real>
void require_admissible(const motion::Island<Real>& island, const motion::Node<Real>& node, Real step) {
  if (!island.finite(node)) not_finite(island, node);
  motion::Covector normal;
  for (int i = 0; i < island.gaps(); ++i) {
    const auto contact = island.contact(i, node, step, normal);
    if (contact.value >= -contact::tolerance(contact) || contact::touches(contact, normal, island, node)) continue;
    const auto admits = [&](int k) {
      const auto branch = island.contact(k, node, step, normal);
      return branch.value > 0 || contact::touches(branch, normal, island, node);
    };
    if (contact.value < 0 && island.covered(i, admits)) continue;
    const std::string gap = "the gap \"" + island.gap_name(i) + "\"";
    const char* what =
        std::isfinite(contact.value) ? std::isfinite(contact.rate) ? "the acceleration of " : "the rate of " : "";
    throw Error(ErrorKind::inadmissible_start,
                contact.value < 0  // where φ has no derivative its sign can still be told
                    ? "the start violates " + gap + " by " + six_digits(-contact.value)
                    : what + gap + " is not a finite number at the start",
                island.state(node));
  }
  for (int i = 0; i < island.gaps(); ++i)
    if (const auto why = mechanics::refuse_friction(island.friction(i)); !why.empty())
      throw Error(ErrorKind::invalid_model, why + " (\"" + island.gap_name(i) + "\")", island.state(node));
  contact::require_constraints(island, node);
}

/// A law sizes its impulse in the kinetic metric of p⁻ and expects the energy to change by `expected`. So it does where
/// the kinetic energy is quadratic in v, and only there; elsewhere the size has to come from a balance of the energy.
template <class Real>
void require_quadratic(const motion::Island<Real>& island, const motion::Node<Real>& before,
                       const motion::Node<Real>& after, Real expected, std::string_view law) {
  if (!island.quadratic()) {
    const Real was = island.hamiltonian(before), is = island.hamiltonian(after);
    const Real scale =
        std::abs(island.kinetic(before)) + Real(contact::tolerances::same_energy) * (std::abs(was) + std::abs(is));
    if (std::abs(is - was - expected) > Real(contact::tolerances::law_energy) * scale)
      throw Error(ErrorKind::invalid_model,
                  "the impulse of the law \"" + std::string(law) +
                      "\" supposes a kinetic energy quadratic in the velocities, which this Lagrangian has not; the "
                      "elastic law does not",
                  island.state(before));
  }
}

/// Pair after pair, accumulations of one gap nest in those of another.
template <class Real>
std::string advice(const Laws<Real>& laws) {
  bool sequential = laws.law.kind() == mechanics::LawKind::sequential;
  for (const auto& law : laws.per_gap) sequential |= law.kind() == mechanics::LawKind::sequential;
  return sequential ? "; the laws newton, poisson and canonical treat gaps that act together at once" : "";
}

template <class Real>
[[noreturn]] void too_many_impacts(int most, const Laws<Real>& laws, const motion::Island<Real>& island,
                                   const motion::Node<Real>& node) {
  throw Error(ErrorKind::too_many_impacts,
              "more than " + std::to_string(most) +
                  " impacts, touch-downs and releases in one step at t = " + six_digits(node.t) +
                  "; where they are true, a smaller step has fewer of them, and principle = \"weak\" resolves none" +
                  advice(laws),
              island.state(node));
}

/// Event after event takes no time: what lies between two gaps cannot move.
template <class Real>
[[noreturn]] void no_room(int before, int gap, const Laws<Real>& laws, const motion::Island<Real>& island,
                          const motion::Node<Real>& node) {
  const bool two = before >= 0 && before != gap;
  throw Error(ErrorKind::too_many_impacts,
              std::string(two ? "the gaps " : "the gap ") + "\"" + island.gap_name(gap) + "\"" +
                  (two ? " and \"" + island.gap_name(before) + "\" leave no room" : " leaves no room") +
                  " at t = " + six_digits(node.t) +
                  ": impacts follow one another in no time; a motion without room is a " + "constraint" + advice(laws),
              island.state(node));
}

/// An impact was announced, and no closed gap approaches.
template <class Real>
[[noreturn]] void nothing_acts(int gap, const motion::Island<Real>& island, const motion::Node<Real>& node) {
  throw Error(ErrorKind::impact_not_found,
              "the gap \"" + island.gap_name(gap) + "\" is not closed where an impact of it was found, at t = " +
                  six_digits(node.t) + " (it is " + six_digits(island.gap(gap, node)) +
                  " there); a gap must be continuous, and the step short enough for the motion",
              island.state(node));
}

template <class Real>
void require_energy(Real energy, const contact::ActiveSet<Real>& active, const motion::Island<Real>& island,
                    const motion::Node<Real>& node) {
  if (std::isfinite(energy)) return;
  throw Error(
      ErrorKind::not_finite,
      "the energy is no longer finite at an impact with '" + active.names(island) + "' at t = " + six_digits(node.t),
      island.state(node));
}

/// No flight comes nearer to zero than this on either side.
template <class Real>
[[noreturn]] void jumps_through_zero(int gap, Real nearest, const motion::Island<Real>& island,
                                     const motion::Node<Real>& node) {
  throw Error(ErrorKind::invalid_model,
              "the gap \"" + island.gap_name(gap) + "\" jumps through zero near t = " + six_digits(node.t) +
                  " (it is " + six_digits(nearest) +
                  " there); a gap must be continuous, and the step short enough for the motion",
              island.state(node));
}

template <class Real>
[[noreturn]] void grazes_without_end(int gap, const Laws<Real>& laws, const motion::Island<Real>& island,
                                     const motion::Node<Real>& node) {
  throw Error(ErrorKind::impact_not_found,
              "the gap \"" + island.gap_name(gap) + "\" grazes zero without end at t = " + six_digits(node.t) +
                  "; a smaller step may go on" + advice(laws),
              island.state(node));
}

template <class Real>
[[noreturn]] void undecided(int gap, const motion::Island<Real>& island, const motion::Node<Real>& node) {
  throw Error(ErrorKind::no_convergence,
              "the contact \"" + island.gap_name(gap) + "\" changes between sticking and sliding without end at t = " +
                  six_digits(node.t) + "; another step or principle = \"weak\" may go on",
              island.state(node));
}

template <class Real>
void require_solved(mechanics::LawStatus status, const contact::ActiveSet<Real>& active,
                    const motion::Island<Real>& island, const motion::Node<Real>& node) {
  if (status == mechanics::LawStatus::solved) return;
  const std::string why = std::string(mechanics::sentence(status)) + " (" + active.names(island) + ")";
  if (status == mechanics::LawStatus::restitution_out_of_range || status == mechanics::LawStatus::one_contact_only)
    throw LawError(why, island.state(node));
  throw Error(ErrorKind::bad_law, why, island.state(node));
}

template <class Real>
[[noreturn]] void law_failed(const mechanics::LawCheck<Real>& check, const contact::ActiveSet<Real>& active,
                             const motion::Island<Real>& island, const motion::Node<Real>& node) {
  throw Error(ErrorKind::bad_law,
              "the impact law failed at " + active.names(island) +
                  ", t = " + std::to_string(static_cast<double>(node.t)) + ": " + check.sentence(),
              island.state(node));
}

}  // namespace ricochet::principle
