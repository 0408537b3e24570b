// The log of a run: what happened, told while it happens, and who may watch it.
#pragma once

#include "ricochet/contact/accumulation.hpp"
#include "ricochet/contact/active_set.hpp"
#include "ricochet/mechanics/law.hpp"

namespace ricochet::principle {

using contact::Accumulation;

/// One impact.
template <class R, class Node>
struct Impact {
  long long number;  ///< from 1
  long long step;
  R t, alpha;  ///< t̃ = t_k + αh
  const Node& before;
  const Node& after;
  const contact::ActiveSet<R>& active;
  R mu;          ///< multipliers are μ λ_i
  R dissipated;  ///< D of the law
  const mechanics::Law<R>& law;
};

/// All contacts that act in a step of the weak principle.
template <class R>
struct WeakActing {
  struct Gap {
    int gap;
  };
  std::vector<Gap> gaps;
  std::vector<R> multipliers;
  R wall = 0;
  int size() const { return static_cast<int>(gaps.size()); }
  const Gap& contact(int i) const { return gaps[static_cast<std::size_t>(i)]; }
  R lambda(int i) const { return multipliers[static_cast<std::size_t>(i)]; }
  R wall_power() const { return wall; }
};

/// An impact of the weak principle: a contact acts that did not act in the step before. Its node is x_k = q_k + ½h v_k.
template <class R, class Node>
struct WeakImpact {
  long long number;  ///< from 1
  long long step;
  R t, alpha;
  const Node& before;
  const Node& after;
  const WeakActing<R>& active;
  R mu, dissipated;
  R energy_after;  ///< H(q_{k+1}, v_{k+1})
};

/// A stream of borrowed views: what they refer to is valid during the call only. A reader keeps what it needs.
template <class R>
class Log {
 public:
  using Node = motion::Node<R>;
  using GapAt = numerics::FunctionRef<R(int, R)>;

  virtual ~Log() = default;

  /// Whether the reader looks at every step: steps that nobody looks at may be made many at once.
  virtual bool looks_at_steps() const { return true; }
  /// A flight from a node over step.s, with the enclosure of its curve and a gap along it.
  virtual void flight(const Node&, discrete::Step<R>, const discrete::Interval<R>&, const motion::Trace&, GapAt) {}
  virtual void impact(const Impact<R, Node>&) {}
  virtual void accumulation(const Accumulation<R>&) {}
  /// A flight ends in step k without an impact; it only touched a gap.
  virtual void arrive(long long, const Node&) {}
  virtual void graze(long long, int, const Node&) {}
  /// A gap is held from here on, or let go.
  virtual void contact(int, R, bool) {}
  /// A step ends.
  virtual void node(long long, const Node&, const discrete::Interval<R>&) {}

  // ---- of the weak principle
  // -----------------------------------------------------------------------------------------

  /// A step from q_k over the node x_k to q_{k+1}.
  virtual void weak_step(const Node&, R, const Node&, const Node&, const discrete::Interval<R>&) {}
  virtual void impact(const WeakImpact<R, Node>&) {}
  /// What lasting contacts took from the energy in a step, and the power of walls in it.
  virtual void work(R, R) {}
};

/// Tells two readers, the first one first.
template <class R>
class Both final : public Log<R> {
 public:
  using Node = motion::Node<R>;

  Both(Log<R>& first, Log<R>& second) : first_(first), second_(second) {}

  bool looks_at_steps() const override { return first_.looks_at_steps() || second_.looks_at_steps(); }
  void flight(const Node& from, discrete::Step<R> step, const discrete::Interval<R>& interval,
              const motion::Trace& trace, typename Log<R>::GapAt gap_at) override {
    first_.flight(from, step, interval, trace, gap_at);
    second_.flight(from, step, interval, trace, gap_at);
  }
  void impact(const Impact<R, Node>& e) override { first_.impact(e), second_.impact(e); }
  void accumulation(const Accumulation<R>& a) override { first_.accumulation(a), second_.accumulation(a); }
  void arrive(long long k, const Node& node) override { first_.arrive(k, node), second_.arrive(k, node); }
  void graze(long long k, int gap, const Node& node) override {
    first_.graze(k, gap, node), second_.graze(k, gap, node);
  }
  void contact(int gap, R t, bool begins) override { first_.contact(gap, t, begins), second_.contact(gap, t, begins); }
  void node(long long k, const Node& node, const discrete::Interval<R>& interval) override {
    first_.node(k, node, interval), second_.node(k, node, interval);
  }
  void weak_step(const Node& from, R h, const Node& middle, const Node& end,
                 const discrete::Interval<R>& interval) override {
    first_.weak_step(from, h, middle, end, interval), second_.weak_step(from, h, middle, end, interval);
  }
  void impact(const WeakImpact<R, Node>& e) override { first_.impact(e), second_.impact(e); }
  void work(R dissipated, R wall) override { first_.work(dissipated, wall), second_.work(dissipated, wall); }

 private:
  Log<R>&first_, &second_;
};

/// An impact as an observer sees it, which knows the body.
template <class Body>
using ImpactEvent = Impact<typename Body::Real, typename Body::Node>;

/// Observers of the strong principle may define any of: flight(from, step, interval, trace, gap_at), impact(event),
/// node(k, node, interval), contact(gap, t, begins), accumulation(a), arrive(k, node) where a flight ends without an
/// impact, graze(gap, node) in place of it where it only touched.
struct NoObserver {};

/// Whether an observer wants to see every step.
template <class Observer, class Body>
concept LooksAtSteps = requires(Observer& o, const typename Body::Node& node,
                                const typename Body::Interval& interval) { o.node(0LL, node, interval); } ||
                       requires(Observer& o, const typename Body::Node& node, const typename Body::Interval& interval) {
                         o.step(node, typename Body::Real(), node, node, interval);
                       } ||
                       requires(Observer& o, const typename Body::Node& node, typename Body::Step step,
                                const typename Body::Interval& interval, const typename Body::Trace& trace,
                                numerics::FunctionRef<typename Body::Real(int, typename Body::Real)> gap_at) {
                         o.flight(node, step, interval, trace, gap_at);
                       };

/// Reads the log for an observer, with the nodes of its body.
template <class Body, class Observer>
class Told final : public Log<typename Body::Real> {
 public:
  using R = typename Body::Real;
  using Node = motion::Node<R>;
  using Own = typename Body::Node;

  explicit Told(Observer& observer) : observer_(observer) {}

  bool looks_at_steps() const override { return LooksAtSteps<Observer, Body>; }
  void flight(const Node& from, discrete::Step<R> step, const discrete::Interval<R>& interval,
              const motion::Trace& trace, typename Log<R>::GapAt gap_at) override {
    if constexpr (requires { observer_.flight(own(from), step, interval, own_trace(trace), gap_at); })
      observer_.flight(own(from), step, interval, own_trace(trace), gap_at);
  }
  using Log<R>::impact;
  void impact(const Impact<R, Node>& e) override {
    if constexpr (requires(ImpactEvent<Body> event) { observer_.impact(event); })
      observer_.impact(ImpactEvent<Body>{e.number, e.step, e.t, e.alpha, own(e.before), own(e.after), e.active, e.mu,
                                         e.dissipated, e.law});
  }
  void accumulation(const Accumulation<R>& a) override {
    if constexpr (requires { observer_.accumulation(a); }) observer_.accumulation(a);
  }
  void arrive(long long k, const Node& node) override {
    if constexpr (requires { observer_.arrive(k, own(node)); }) observer_.arrive(k, own(node));
  }
  void graze(long long k, int gap, const Node& node) override {
    if constexpr (requires { observer_.graze(gap, own(node)); })
      observer_.graze(gap, own(node));
    else
      arrive(k, node);
  }
  void contact(int gap, R t, bool begins) override {
    if constexpr (requires { observer_.contact(gap, t, begins); }) observer_.contact(gap, t, begins);
  }
  void node(long long k, const Node& node, const discrete::Interval<R>& interval) override {
    if constexpr (requires { observer_.node(k, own(node), interval); }) observer_.node(k, own(node), interval);
  }

 private:
  static const Own& own(const Node& node) { return node.template as<Own>(); }
  static const typename Body::Trace& own_trace(const motion::Trace& trace) {
    return trace.template as<typename Body::Trace>();
  }

  Observer& observer_;
};

}  // namespace ricochet::principle
