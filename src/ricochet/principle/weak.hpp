// The weak principle for a body of one's own type.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "ricochet/bodies/erased_gaps.hpp"
#include "ricochet/bodies/erased_weak.hpp"
#include "ricochet/principle/weak_loop.hpp"

namespace ricochet::principle {

/// An impact as an observer sees it, which knows the body.
template <class Real, class Node>
using WeakImpactEvent = WeakImpact<Real, Node>;

/// Reads the log of a run of the weak principle for an observer, with the nodes of its body.
template <class Body, class Observer>
class ToldWeakly final : public Log<typename Body::Real> {
 public:
  using R = typename Body::Real;
  using Node = motion::Node<R>;
  using Own = typename Body::Node;
  using Interval = discrete::Interval<R>;

  explicit ToldWeakly(Observer& observer) : observer_(observer) {}

  bool looks_at_steps() const override {
    return requires(const Own& x, const Interval& i) { observer_.step(x, R(), x, x, i); } ||
           requires(const Own& x, const Interval& i) { observer_.node(0LL, x, i); };
  }
  void weak_step(const Node& from, R h, const Node& middle, const Node& end,
                 const discrete::Interval<R>& interval) override {
    if constexpr (requires { observer_.step(own(from), h, own(middle), own(end), interval); })
      observer_.step(own(from), h, own(middle), own(end), interval);
  }
  using Log<R>::impact;
  void impact(const WeakImpact<R, Node>& e) override {
    if constexpr (requires(WeakImpact<R, Own> event) { observer_.impact(event); })
      observer_.impact(WeakImpact<R, Own>{e.number, e.step, e.t, e.alpha, own(e.before), own(e.after), e.active, e.mu,
                                          e.dissipated, e.energy_after});
  }
  void work(R dissipated, R wall) override {
    if constexpr (requires { observer_.work(dissipated, wall); }) observer_.work(dissipated, wall);
  }
  void contact(int gap, R t, bool begins) override {
    if constexpr (requires { observer_.contact(gap, t, begins); }) observer_.contact(gap, t, begins);
  }
  void node(long long k, const Node& node, const Interval& interval) override {
    if constexpr (requires { observer_.node(k, own(node), interval); }) observer_.node(k, own(node), interval);
  }

 private:
  static const Own& own(const Node& node) { return node.template as<Own>(); }

  Observer& observer_;
};

/// A run. The loop itself (weak_loop.hpp) knows no type of a body. Observers may define any of: step(from, h, middle,
/// end, interval), impact(event), work(dissipated, wall), node(k, node, interval), contact(gap, t, begins).
template <class Body>
class Weak {
 public:
  using Real = typename Body::Real;
  using Node = typename Body::Node;
  using Laws = ImpactLaws<Body>;
  using Families = std::vector<motion::GapsMaker<Real>>;

  /// `families` are gaps beside those that the body brings itself; their numbers follow behind.
  Weak(const Body& body, const Node& start, const Laws& laws = {}, WeakOptions options = {},
       const Families& families = {})
      : body_(body), run_(std::make_unique<Run>(body, start, laws, options, families)) {}

  const Body& body() const { return body_; }
  const Node& node() const { return Erased::own(loop().node()); }
  const WeakContacts<Real>& contacts() const { return loop().contacts(); }
  long long steps() const { return loop().steps(); }
  long long impacts() const { return loop().impacts(); }
  int gaps() const { return run_->island.gaps(); }
  std::string gap_name(int i) const { return run_->island.gap_name(i); }
  long long fallbacks(Fallback f) const { return loop().fallbacks()[static_cast<std::size_t>(f)]; }
  /// Whether the gap has had impulses in two steps or more, up to the last one.
  bool rests(int gap) const { return loop().rests(gap); }

  /// All that the next step depends on. `held` has the gaps in contact, and as −1 − gap those that acted once.
  struct State {
    Node node;
    motion::GapList held;
    Real t_start, t_grid, h, way;
    long long steps, steps_grid, impacts;
    FallbackCounts fallbacks;
  };
  State state() const {
    const auto s = loop().state();
    return {node(), s.held,        s.clock.start,      s.clock.grid, s.clock.h,
            s.way,  s.clock.steps, s.clock.grid_steps, s.impacts,    s.fallbacks};
  }
  void restore(const State& s) {
    loop().restore(Erased::node(s.node),
                   {{s.t_start, s.t_grid, s.h, s.steps, s.steps_grid}, s.held, s.way, s.impacts, s.fallbacks});
  }

  /// One step of length h.
  template <class Observer = NoObserver>
  void step(Real h, Observer&& observer = {}) {
    ToldWeakly<Body, Observer> log(observer);
    loop().advance(h, log);
  }
  /// n steps of length h; grid times are t0 + k h, not a running sum.
  template <class Observer = NoObserver>
  void run(Real h, long long n, Observer&& observer = {}) {
    ToldWeakly<Body, Observer> log(observer);
    for (long long i = 0; i < n; ++i) loop().advance(h, log);
  }

 private:
  using Erased = bodies::ErasedBody<Body>;
  struct Run {
    Run(const Body& own_body, const Node& start, const Laws& laws, WeakOptions options, const Families& families)
        : body(own_body),
          own(bodies::own_gaps(body)),
          others(bodies::made(families, body)),
          island(body, own.get(), others),
          interval(body),
          loop(island, interval, Erased::node(start), principle::Laws<Real>(laws), options) {}
    Erased body;
    std::unique_ptr<motion::Gaps<Real>> own;
    std::vector<std::unique_ptr<motion::Gaps<Real>>> others;
    motion::Island<Real> island;
    bodies::ErasedWeakStep<Body> interval;
    WeakLoop<Real> loop;
  };
  WeakLoop<Real>& loop() { return run_->loop; }
  const WeakLoop<Real>& loop() const { return run_->loop; }

  const Body& body_;
  std::unique_ptr<Run> run_;
};

}  // namespace ricochet::principle
