// Leaving a surface with a rule of first order.
#pragma once

#include <algorithm>

#include "ricochet/contact/held.hpp"

namespace ricochet::contact {

/// The push with which a gap lets go of a body whose rule is of first order.
///
/// The curve of such a rule does not bend as the body accelerates: rectangle γ falls at 2γ times the force. Where
/// motion and surface just part, its free curve for γ > ½ still enters, however short it is, and goes on doing so for a
/// time of O(√h). But its flights can follow the surface: those that do arrive with φ̇ = O(h) > 0, not with zero, and a
/// held flight takes that away at its end (RATTLE). The impulse of a node is what ends one held flight and what begins
/// the next, and only the sum has to push. Where a gap lets go nothing begins, and what is taken away would be a pull
/// alone: the body is given it back, as much as a whole held step from here would take. An impulse of O(h), energy
/// O(h²); a step that follows ends above the surface.
template <class Real>
class PushOff {
 public:
  using Node = motion::Node<Real>;

  /// Rules of second order bend as they should.
  static bool needed(const motion::Island<Real>& island) { return island.order() == 1; }

  /// Raises φ̇ of `gap` at `node` to what a held step would arrive with, if that opens more; the gaps of `held` that
  /// rest stay at rest. Returns whether it did.
  bool give(const motion::Island<Real>& island, motion::Flier<Real>& closure, Node& node, Real h,
            const motion::GapList& held, int gap) {
    others_.clear();
    for (const int i : held)
      if (i != gap && (i >= island.gaps() || rests(island, node, h, i))) others_.push_back(i);
    others_.push_back(gap);
    hold_.keep(others_);
    others_.pop_back();
    hold_.fly(island, closure, node, {h, h}, end_);
    const auto contact = island.contact(gap, node, h, normal_);
    const Real W = island.couple(normal_, normal_), lacking = -hold_.given(gap) - contact.rate / W;
    if (!(lacking * W > rate_tolerance(contact))) return false;
    island.kick(node, normal_, lacking);
    if (others_.empty()) return true;
    hold_.keep(others_);
    discrete::Interval<Real> interval;
    hold_.make_tangent(island, node, h, interval);
    return true;
  }

 private:
  bool rests(const motion::Island<Real>& island, const Node& node, Real h, int i) {
    const auto contact = island.contact(i, node, h, normal_);
    return closed(contact) && resting(contact);
  }

  Held<Real> hold_;
  motion::GapList others_;
  Node end_;
  motion::Covector normal_;
};

}  // namespace ricochet::contact
