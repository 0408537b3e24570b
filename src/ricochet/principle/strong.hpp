// The strong principle for a body and a closure of one's own types.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ricochet/bodies/body.hpp"
#include "ricochet/bodies/erased_gaps.hpp"
#include "ricochet/closure/variational.hpp"
#include "ricochet/principle/strong_loop.hpp"
#include "ricochet/principle/strong_state.hpp"

namespace ricochet::principle {

/// A run. The loop itself (strong_loop.hpp) knows neither type: it sees the body and the closure through
/// bodies/erased.hpp, and what it tells is handed to observers with the nodes of the body.
template <bodies::Body Body, class Closure = closure::Variational>
class Strong {
 public:
  using Real = typename Body::Real;
  using Node = typename Body::Node;
  using Step = typename Body::Step;
  using Interval = typename Body::Interval;
  using Trace = typename Body::Trace;
  using Laws = ImpactLaws<Body>;

  using Families = std::vector<motion::GapsMaker<Real>>;

  /// `families` are gaps beside those that the body brings itself; their numbers follow behind.
  Strong(const Body& body, Node start, Closure closure = {}, Laws laws = {}, StrongOptions options = {},
         const Families& families = {})
      : body_(body), run_(std::make_unique<Run>(body, start, std::move(closure), laws, options, families)) {}

  const Body& body() const { return body_; }
  const Closure& closure() const { return run_->flier.closure(); }
  const Node& node() const { return Erased::own(loop().node()); }
  long long steps() const { return loop().steps(); }
  long long impacts() const { return loop().impacts(); }
  const motion::GapList& held() const { return loop().held(); }
  int gaps() const { return run_->island.gaps(); }
  std::string gap_name(int i) const { return run_->island.gap_name(i); }
  long long fallbacks(Fallback f) const { return loop().fallbacks()[static_cast<std::size_t>(f)]; }
  long long fallbacks() const {
    long long sum = 0;
    for (const long long n : loop().fallbacks()) sum += n;
    return sum;
  }

  using State = StrongState<Real, Node>;
  State state() const {
    const auto s = loop().state();
    return {node(),    s.held,     s.clock.start, s.clock.grid, s.clock.h, s.clock.steps, s.clock.grid_steps,
            s.impacts, s.fallbacks};
  }
  void restore(const State& s) {
    loop().restore(Erased::node(s.node),
                   {{s.t_start, s.t_grid, s.h, s.steps, s.steps_grid}, s.held, s.impacts, s.fallbacks});
  }

  /// One step of length h: flights and impacts, earliest first, any number of them.
  template <class Observer = NoObserver>
  void step(Real h, Observer&& observer = {}) {
    tell(observer, [&](Log<Real>& log) { loop().advance(h, log); });
  }
  /// n steps of length h; grid times are t0 + k h, not a running sum.
  template <class Observer = NoObserver>
  void run(Real h, long long n, Observer&& observer = {}) {
    tell(observer, [&](Log<Real>& log) { loop().run(h, n, log); });
  }
  /// From now on this reader is told of every step too, after the observer; nullptr for none.
  void also_tell(Log<Real>* reader) { reader_ = reader; }
  /// Up to n steps at once that nobody looks at, where the body has a faster way than one after the other.
  long long glide(Real h, long long n) {
    return reader_ != nullptr && reader_->looks_at_steps() ? 0 : loop().many(h, n);
  }

 private:
  using Erased = bodies::ErasedBody<Body>;
  struct Run {
    Run(const Body& own_body, const Node& start, Closure closure, const Laws& laws, StrongOptions options,
        const Families& families)
        : body(own_body),
          own(bodies::own_gaps(body)),
          others(bodies::made(families, body)),
          island(body, own.get(), others),
          flier(body, std::move(closure)),
          loop(island, flier, Erased::node(start), principle::Laws<Real>(laws), options) {}
    Erased body;
    std::unique_ptr<motion::Gaps<Real>> own;
    std::vector<std::unique_ptr<motion::Gaps<Real>>> others;
    motion::Island<Real> island;
    bodies::ErasedFlier<Body, Closure> flier;
    StrongLoop<Real> loop;
  };
  template <class Observer, class Fly>
  void tell(Observer& observer, const Fly& fly) {
    Told<Body, Observer> log(observer);
    if (reader_ == nullptr) return fly(log);
    Both<Real> both(log, *reader_);
    fly(both);
  }
  StrongLoop<Real>& loop() { return run_->loop; }
  const StrongLoop<Real>& loop() const { return run_->loop; }

  const Body& body_;
  std::unique_ptr<Run> run_;
  Log<Real>* reader_ = nullptr;
};

}  // namespace ricochet::principle
