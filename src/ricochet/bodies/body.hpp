// What a body owes the principle, and what one owes that brings gaps. Nothing of it says whether Q is a vector space,
// SO(3)×R³ or a million nodes.
#pragma once

#include <concepts>
#include <string>

#include "ricochet/discrete/flight.hpp"
#include "ricochet/error.hpp"
#include "ricochet/motion/contact.hpp"

namespace ricochet::bodies {

/// A continuous system with a discretisation rule: const, its workspace apart.
template <class B>
concept Body =
    requires(const B& body, typename B::Node& node, const typename B::Node& at, typename B::Step step,
             typename B::Trace& trace, typename B::Work& work, typename B::Normal& normal, typename B::Real s) {
      // p = −D1 L_d(q, ·, s) solved; energies of the interval; `out` may alias; s = 0 returns H
      { body.fly(at, step, node, work) } -> std::same_as<discrete::Interval<typename B::Real>>;
      // the same, with an enclosure of the curve for s ∈ [0, step.s]
      { body.fly(at, step, node, trace, work) } -> std::same_as<discrete::Interval<typename B::Real>>;
      { trace.exact } -> std::convertible_to<bool>;
      { trace.refined } -> std::convertible_to<bool>;

      { body.couple(normal, normal) } -> std::convertible_to<typename B::Real>;  // n M⁻¹ n'
      body.kick(node, normal, s);                                                // p += λn

      { body.hamiltonian(at) } -> std::convertible_to<typename B::Real>;
      { body.kinetic(at) } -> std::convertible_to<typename B::Real>;
      { body.finite(at) } -> std::convertible_to<bool>;
      { body.state(at) } -> std::same_as<ErrorState>;
    };

/// A body that brings gaps of its own: they read its nodes and curves as they are.
template <class B>
concept BringsGaps = Body<B> && requires(const B& body, const typename B::Node& at, typename B::Step step,
                                         typename B::Trace& trace, typename B::Work& work, typename B::Normal& normal,
                                         motion::GapList& list, typename B::Real s, int i) {
  { body.gaps() } -> std::convertible_to<int>;
  { body.gap_name(i) } -> std::convertible_to<std::string>;
  { body.gap(i, at) } -> std::convertible_to<typename B::Real>;
  // φ_i at the end of a flight: local, never O(system)
  { body.gap_along(i, at, step, trace, work) } -> std::convertible_to<typename B::Real>;
  // gaps that may close along the trace; φ, φ', φ'' over a piece of it
  body.candidates(trace, list, work);
  { body.gap_bound(i, trace, s, s) } -> std::same_as<motion::Bound<typename B::Real>>;
  { body.may_be_closed(i, at, s) } -> std::convertible_to<bool>;
  // φ, φ̇, φ̈ at a node with what rounds them, and the covector ∇φ_i
  { body.contact(i, at, s, normal, work) } -> std::same_as<motion::Contact<typename B::Real>>;
};

}  // namespace ricochet::bodies
