// What a body owes the principle, and what one owes that brings gaps. Nothing of it says whether Q is a vector space,
// SO(3)×R³ or a million nodes.
#pragma once

#include <concepts>
#include <string>

#include "ricochet/discrete/flight.hpp"
#include "ricochet/error.hpp"
#include "ricochet/motion/contact.hpp"
#include "ricochet/numerics/function_ref.hpp"

namespace ricochet::bodies {

/// A continuous system with a discretisation rule: const, its workspace apart. Nodes, normals, traces and workspaces
/// are types of its own that can be copied; a node has its time `t`, a trace `t` and `length`.
///
/// It may offer more: stop(node) sets it to rest; rule(), with order() and lateness(), says what its flights are worth
/// (order 2 and no lateness otherwise); scalars() and what belongs to it shows coordinates to gaps of other families
/// (motion/body.hpp); glide() takes many steps at once. conformance/conformance.hpp checks what it promises.
template <class B>
concept Body = requires(const B& body, typename B::Node& node, const typename B::Node& at, typename B::Step step,
                        typename B::Trace& trace, typename B::Work& work, typename B::Normal& normal,
                        typename B::Real s, numerics::FunctionRef<void(typename B::Real, typename B::Node&)> point) {
  // p = −D1 L_d(q, ·, s) solved; energies of the interval; `out` may alias; s = 0 returns H
  { body.fly(at, step, node, work) } -> std::same_as<discrete::Interval<typename B::Real>>;
  // the same, with an enclosure of the curve for s ∈ [0, step.s]
  { body.fly(at, step, node, trace, work) } -> std::same_as<discrete::Interval<typename B::Real>>;
  { trace.exact } -> std::convertible_to<bool>;
  { trace.refined } -> std::convertible_to<bool>;
  // the trace of a curve from `at` to `node` that is not one of fly's own, as of a flight held to a gap; sharpened
  // by points of the curve, after the lengths asked for
  body.begin_trace(at, step, at, trace);
  body.refine_trace(trace, at, point, work);

  { body.couple(normal, normal) } -> std::convertible_to<typename B::Real>;  // n M⁻¹ n'
  body.kick(node, normal, s);                                                // p += λn
  body.nudge(node, normal, s);                                               // q += a M⁻¹n, of the size of rounding
  body.add_normal(normal, s, normal);                                        // n += a n', of two that couple

  { body.hamiltonian(at) } -> std::convertible_to<typename B::Real>;
  { body.kinetic(at) } -> std::convertible_to<typename B::Real>;
  { body.finite(at) } -> std::convertible_to<bool>;
  { body.state(at) } -> std::same_as<ErrorState>;
};

/// A body that brings gaps of its own: they read its nodes and curves as they are. It may also say how many bilateral
/// constraints follow behind them (constraints()), bound φ alone (gap_range) or give it on the middle of a trace
/// (gap_in_middle), and tell cheaply that a gap is not closed (may_be_closed).
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
  // φ, φ̇, φ̈ at a node with what rounds them, and the covector ∇φ_i
  { body.contact(i, at, s, normal, work) } -> std::same_as<motion::Contact<typename B::Real>>;
};

}  // namespace ricochet::bodies
