// Every number of contact: what counts as closed, as resting, as the same instant. docs/contact.md quotes this page.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "ricochet/motion/island.hpp"

namespace ricochet::contact {

/// Numbers without a unit, each with the reason for its size. A tolerance is one of them times a magnitude of the gap
/// that is judged, as motion::Contact has it: never of the system, so that nothing that moves elsewhere matters.
namespace tolerances {

/// Part of a step within which events are one: gaps that close within it act together. Roots are found to a few
/// roundings of the step, 1e-15 of it; flights that are solved for are solved to about 1e-12. Between these and the
/// thousandth of a step at which two events are truly two, a billionth is far from both.
inline constexpr double same_instant = 1e-9;

/// Roundings of ε in a value φ(q): the terms of φ, and of the sums behind q, some dozen of each.
inline constexpr double value_roundings = 64;

/// Relative error of a rate or an acceleration in units of the size of its terms: some thousand roundings, for a
/// velocity is solved from M(q)v = p, whose condition may be of that size, and so is M⁻¹ of the forces.
inline constexpr double rate_noise = 1e-12;

/// The same of an acceleration where several contacts are solved together: ten times the above.
inline constexpr double acceleration_noise = 1e-11;

/// Where friction has just been solved, accelerations come out of two solves one after the other.
inline constexpr double after_friction = 100;

/// Speeds whose square vanishes beside any other number have no energy an impact could be judged by: √(smallest
/// normal number), with room for masses.
inline constexpr double no_energy = 1e-146;

/// Part of a step shorter than which a held flight takes nothing out of φ: to take rounding out in no time would be a
/// speed. It is the shortest that `same_instant` tells from none.
inline constexpr double brief = same_instant;

/// Part of a step after which a gap that let go and closes again may be held again. Sooner it would only flicker: after
/// a release φ grows as s³, and is larger than its rounding, 1e-16, from s = 1e-5 on at the latest.
inline constexpr double came_back = 1e-6;

/// Step of a difference quotient of φ along a curve whose enclosure does not tell the sign of φ̇, and at which a change
/// of friction is looked at behind its root: √ε rounded up to where the flights' own rounding is small beside it.
inline constexpr double just_after = 1e-6;

/// Part of a step by which an accumulation may end after it and still be passed: far longer than events are told apart,
/// far shorter than anything else in a step.
inline constexpr double accumulates_beyond = 1e-7;

/// Accumulations of several gaps end together if their lengths agree to this: they are quotients of rates.
inline constexpr double ends_together = 1e-9;

/// Part of its scale by which a start may miss a constraint, or its velocity the tangent: what numbers given with ten
/// digits do.
inline constexpr double start_digits = 1e-9;

/// Part of ∇c that has to be independent of the constraints before it, in squares: 1e-5 of its length.
inline constexpr double independent = 1e-10;

/// Part of the energy by which H and the law's parabola may differ and count as one, and of the law's own impulse in
/// the judgement of its energy: differences of two energies, with ten digits each.
inline constexpr double same_energy = 1e-9;
inline constexpr double law_energy = 1e-6;

/// The largest multiple of the law's impulse that the balance of energy looks for. A law misses by the order of h² what
/// the balance finds; beyond this the search has lost its way.
inline constexpr double most_impulse = 1e6;

/// Roundings of ε·energy that a balanced energy may keep: a search in μ ends a few thousand of them beside the root
/// where the energies of flights jitter, and ten orders above that where the root is a jump.
inline constexpr double balance_roundings = 1e4;

/// Multiple of what counts as closed by which no gap is violated where a run went well, and of the way of a step for
/// the weak principle, which resolves no less. No bundled scene is told to penetrate, and no random system of
/// bench/against; a missed impact is millions of it.
inline constexpr double penetrates = 1000;
inline constexpr double sinks = 2;

/// Turning of a slip in space, relative to the slip at the start of a piece: below `slip_rests` nothing of it is left,
/// `slip_brief` is a time too short to turn in, in which it may be followed in one piece.
inline constexpr double slip_rests = 1e-13;
inline constexpr double slip_brief = 1e-6;

}  // namespace tolerances

/// What |φ| may be where a gap is closed: the way of the gap itself within one instant, and its rounding after a flight
/// of one step.
template <class Real>
Real tolerance(const motion::Contact<Real>& c) {
  const Real h = c.step;
  return Real(tolerances::same_instant) * h * (std::abs(c.rate) + h * std::abs(c.acceleration)) +
         Real(tolerances::rate_noise) * h * (c.rate_scale + h * c.acceleration_scale) +
         Real(tolerances::value_roundings) * std::numeric_limits<Real>::epsilon() * c.value_scale;
}

/// What |φ̇| may be where a gap rests: its rounding, what its acceleration makes of it within one instant, and the speed
/// of a bounce that rises less than φ is rounded by.
template <class Real>
Real rate_tolerance(const motion::Contact<Real>& c) {
  const Real h = c.step;
  Real rests = Real(tolerances::rate_noise) * (c.rate_scale + h * c.acceleration_scale) +
               Real(tolerances::same_instant) * h * std::abs(c.acceleration);
  if (c.acceleration < 0)
    rests += std::sqrt(-2 * Real(tolerances::value_roundings) * std::numeric_limits<Real>::epsilon() * c.value_scale *
                       c.acceleration);
  return rests + Real(tolerances::no_energy);
}

/// What |φ̈| may be where a gap neither opens nor closes.
template <class Real>
Real acceleration_tolerance(const motion::Contact<Real>& c) {
  return Real(tolerances::acceleration_noise) * c.acceleration_scale;
}

/// What a slip rate may be where the slip rests: what a located end of sliding leaves.
template <class Real>
Real slip_tolerance(const motion::Contact<Real>& c) {
  return Real(tolerances::rate_noise) * (c.rate_scale + c.step * c.acceleration_scale);
}

template <class Real>
bool closed(const motion::Contact<Real>& c) {
  return std::abs(c.value) <= tolerance(c);
}
template <class Real>
bool approaching(const motion::Contact<Real>& c) {
  return c.rate < -rate_tolerance(c);
}
template <class Real>
bool resting(const motion::Contact<Real>& c) {
  return std::abs(c.rate) <= rate_tolerance(c);
}

/// What a gap may be violated by and count as closed all the same. Where nothing of the gap moves, its numbers are
/// still only as exact as the way of what else does: two balls that touch at the origin, −1e-16 apart, wait for a
/// third.
template <class Real>
bool touches(const motion::Contact<Real>& c, const motion::Covector& normal, const motion::Island<Real>& island,
             const motion::Node<Real>& node) {
  if (closed(c)) return true;
  if (!(c.value < 0)) return false;
  const Real fastest = std::sqrt(2 * std::max(Real(0), island.kinetic(node)) * island.couple(normal, normal));
  return -c.value <= Real(tolerances::same_instant) * c.step * fastest;
}

}  // namespace ricochet::contact
