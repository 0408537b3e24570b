// The conformance suite for a body, a closure and families of gaps of one's own types.
#pragma once

#include <memory>
#include <vector>

#include "ricochet/bodies/erased_gaps.hpp"
#include "ricochet/closure/variational.hpp"
#include "ricochet/conformance/suite.hpp"

namespace ricochet::conformance {

/// Canonical coordinates written for the nodes of a body's own type (Chart); `write` gets the centre as x.
template <class Body>
Chart<typename Body::Real> chart(
    int n,
    std::function<void(const typename Body::Node& centre, const typename Body::Node& x,
                       typename Chart<typename Body::Real>::Vector& q, typename Chart<typename Body::Real>::Vector& p)>
        read,
    std::function<void(const typename Chart<typename Body::Real>::Vector& q,
                       const typename Chart<typename Body::Real>::Vector& p, typename Body::Node& x)>
        write) {
  using R = typename Body::Real;
  using Node = motion::Node<R>;
  using Vector = typename Chart<R>::Vector;
  Chart<R> chart;
  chart.n = n;
  chart.read = [read](const Node& centre, const Node& x, Vector& q, Vector& p) {
    read(centre.template as<typename Body::Node>(), x.template as<typename Body::Node>(), q, p);
  };
  chart.write = [write](const Node&, const Vector& q, const Vector& p, Node& x) {
    write(q, p, x.template of<typename Body::Node>());
  };
  return chart;
}

/// What a run of principle::Strong with the same arguments relies on. Whether the rule is symmetric and how a node is
/// reversed is read off the body where it says so.
template <bodies::Body Body, class Closure = closure::Variational>
Report check(const Body& body, const std::vector<typename Body::Node>& starts, Closure closure = {},
             Options<typename Body::Real> options = {},
             const std::vector<motion::GapsMaker<typename Body::Real>>& families = {}) {
  using R = typename Body::Real;
  using Own = typename Body::Node;
  if constexpr (requires { body.rule().symmetric(); })
    if (!options.symmetric) options.symmetric = body.rule().symmetric();
  if constexpr (requires(const Own& x) { Own(x.reversed()); })
    if (!options.reverse)
      options.reverse = [](motion::Node<R>& x) { x.template of<Own>() = x.template as<Own>().reversed(); };

  const bodies::ErasedBody<Body> erased(body);
  const auto own = bodies::own_gaps(erased);
  std::vector<std::unique_ptr<motion::Gaps<R>>> others;
  for (const auto& make : families) others.push_back(make(erased));
  const motion::Island<R> island(erased, own.get(), others);
  bodies::ErasedFlier<Body, Closure> flier(erased, std::move(closure));
  std::vector<motion::Node<R>> nodes;
  for (const Own& x : starts) nodes.push_back(bodies::ErasedBody<Body>::node(x));
  return check(island, flier, nodes, options);
}

}  // namespace ricochet::conformance
