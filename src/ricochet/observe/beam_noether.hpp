// The discrete Noether theorem on any part of a beam: what its nodes gain is what passes through its two cuts.
#pragma once

#include "ricochet/bodies/beam.hpp"
#include "ricochet/principle/strong.hpp"

namespace ricochet::observe {

/// Demoures 2016 (3.15) on a subdomain: the nodes first … last of one beam over any stretch of time, impacts included.
/// The momentum maps of SE(3) on both time levels, the stresses through the cut elements, gravity and the impulses of
/// obstacles at those nodes add up to zero, each a wrench (moment about the origin, force).
///
/// An observer of the strong principle: flight(…) and impact(…) are called by the run; `finish` closes the balance.
template <class Real>
class SubdomainNoether {
 public:
  using Body = bodies::Beams<Real>;
  using Node = typename Body::Node;
  using Wrench = lie::Vec6<Real>;
  using Index = typename Body::Index;

  SubdomainNoether(const Body& body, int beam, Index first, Index last)
      : body_(body),
        beam_(beam),
        first_(body.chain().segment(beam).first + first),
        last_(body.chain().segment(beam).first + last) {}

  void flight(const Node& from, typename Body::Step step, const typename Body::Interval&, const typename Body::Trace&,
              const auto&) {
    if (!started_) start_ = momentum(from), started_ = true;
    supply(from, step.s);
  }
  void impact(const principle::ImpactEvent<Body>& e) {
    for (int i = 0; i < e.active.size(); ++i) {
      const auto& n = e.active.normal(i).template as<typename Body::Normal>();
      if (n.node < first_ || n.node > last_) continue;
      const auto impulse = (e.mu * e.active.lambda(i)) * n.n;
      supplied_ += wrench(bodies::beams::cross(e.after.x(n.node), impulse), impulse);
    }
  }
  /// Momentum gained since the start, less what was supplied: zero by the theorem. `at` is the node the run stands at.
  Wrench finish(const Node& at) {
    supply(at, Real(0));
    return momentum(at) - start_ - supplied_;
  }
  const Wrench& supplied() const { return supplied_; }

  /// Σ (x × P + ΛΠ, P) over the nodes of the part.
  Wrench momentum(const Node& x) const {
    Wrench sum = Wrench::Zero();
    for (Index a = first_; a <= last_; ++a)
      sum += wrench(bodies::beams::cross(x.x(a), x.p(a)) + bodies::beams::rotate(x.q(a), x.spin(a)), x.p(a));
    return sum;
  }
  /// What element a does to its left node; to its right node it does the opposite, in space and about the same point.
  Wrench stress(const Node& x, Index a) const {
    const auto& b = body_.chain().segment(beam_);
    const auto e = bodies::beams::element_load(x.q(a), x.q(a + 1), x.x(a + 1) - x.x(a), b.element());
    return wrench(bodies::beams::cross(x.x(a), e.force) + bodies::beams::rotate(x.q(a), e.left), e.force);
  }

 private:
  static Wrench wrench(const bodies::beams::Triple<Real>& moment, const bodies::beams::Triple<Real>& force) {
    return lie::join<Real>(bodies::beams::eigen(moment), bodies::beams::eigen(force));
  }
  /// Half of the interval that ends at x, half of the one of length s that starts there.
  void supply(const Node& x, Real s) {
    const auto& b = body_.chain().segment(beam_);
    Wrench flux = Wrench::Zero();
    if (last_ < b.last) flux += stress(x, last_);
    if (first_ > b.first) flux -= stress(x, first_ - 1);
    for (Index a = first_; a <= last_; ++a) {
      const auto weight = b.weight(a) * b.gravity;
      flux += wrench(bodies::beams::cross(x.x(a), weight), weight);
    }
    supplied_ += (pending_ + s) / 2 * flux;
    pending_ = s;
  }

  const Body& body_;
  int beam_;
  Index first_, last_;
  bool started_ = false;
  Real pending_ = 0;
  Wrench start_ = Wrench::Zero(), supplied_ = Wrench::Zero();
};

}  // namespace ricochet::observe
