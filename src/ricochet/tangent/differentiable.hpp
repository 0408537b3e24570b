// What a body owes its tangent, beyond what it owes the principle.
#pragma once

#include <concepts>

#include "ricochet/bodies/body.hpp"
#include "ricochet/discrete/rule.hpp"

namespace ricochet::tangent {

/// A refinement of bodies::Body: coordinates in a vector space, second derivatives of L and of the forces, and the rule
/// whose discrete Euler–Lagrange equations its flights solve. bodies::Generalized is one for every system; what varies
/// with parameters besides is a family (tangent/family.hpp).
template <class B>
concept Differentiable = bodies::Body<B> && requires(const B& body, const typename B::Node& node,
                                                     const typename B::Vec& x, typename B::Mechanics::Point1& at,
                                                     typename B::Mechanics::Point2& second, typename B::Real t) {
  { body.dimension() } -> std::convertible_to<int>;
  { body.constraints() } -> std::convertible_to<int>;
  { body.rule() } -> std::convertible_to<const discrete::Rule<typename B::Real>&>;
  { node.q } -> std::convertible_to<const typename B::Vec&>;
  { node.p } -> std::convertible_to<const typename B::Vec&>;
  body.mechanics().evaluate(x, x, t, at, second);
  { body.mechanics().autonomous() } -> std::convertible_to<bool>;
};

}  // namespace ricochet::tangent
