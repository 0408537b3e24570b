// Any body and any closure, written as classes with static sizes inside, as the loop sees them.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ricochet/closure/variational.hpp"
#include "ricochet/mechanics/friction.hpp"
#include "ricochet/motion/flier.hpp"
#include "ricochet/motion/watch.hpp"

namespace ricochet::bodies {

/// Whether the kinetic energy of a body is a quadratic form of the momentum, whatever the state.
template <class B>
constexpr bool quadratic_energy() {
  if constexpr (requires(const B& body) { body.mechanics().system(); }) {
    using System = std::decay_t<decltype(std::declval<const B&>().mechanics().system())>;
    return mechanics::ConstantMass<System> || mechanics::MassOfConfiguration<System>;
  } else {
    return true;
  }
}

template <class B>
class ErasedBody final : public motion::Body<typename B::Real> {
 public:
  using R = typename B::Real;
  using Node = motion::Node<R>;
  using Own = typename B::Node;
  using Normal = typename B::Normal;
  using Trace = typename B::Trace;
  using typename motion::Body<R>::PointAt;

  explicit ErasedBody(const B& body) : body_(body) {
    // Flights of a rule that falls a step late do not show where a body at rest is about to go.
    if constexpr (watched) watches_ = lateness() < 1;
    if (watches_) return;
    all_.resize(static_cast<std::size_t>(gaps()));
    std::iota(all_.begin(), all_.end(), 0);
  }

  const B& own() const { return body_; }
  static const Own& own(const Node& x) { return x.template as<Own>(); }
  static Own& own(Node& x) { return x.template of<Own>(); }
  static Node node(const Own& x) {
    Node node;
    node.template of<Own>() = x;
    node.t = x.t;
    return node;
  }

  bool finite(const Node& x) const override { return body_.finite(own(x)); }
  ErrorState state(const Node& x) const override { return body_.state(own(x)); }
  R kinetic(const Node& x) const override { return body_.kinetic(own(x)); }
  R hamiltonian(const Node& x) const override { return body_.hamiltonian(own(x)); }
  void set_time(Node& x, R t) const override { x.t = own(x).t = t; }
  bool stop(Node& x) const override {
    if constexpr (requires { body_.stop(own(x)); }) {
      body_.stop(own(x));
      return true;
    } else {
      return false;
    }
  }
  void kick(Node& x, const motion::Covector& normal, R lambda) const override {
    body_.kick(own(x), normal.as<Normal>(), lambda);
  }
  void nudge(Node& x, const motion::Covector& normal, R a) const override {
    body_.nudge(own(x), normal.as<Normal>(), a);
  }
  R couple(const motion::Covector& a, const motion::Covector& b) const override {
    return body_.couple(a.as<Normal>(), b.as<Normal>());
  }
  void add(motion::Covector& normal, R a, const motion::Covector& other) const override {
    body_.add_normal(normal.of<Normal>(), a, other.as<Normal>());
  }

  bool quadratic() const override { return quadratic_energy<B>(); }
  int order() const override {
    if constexpr (requires { body_.rule().order(); })
      return body_.rule().order();
    else
      return 2;
  }
  R lateness() const override {
    if constexpr (requires { body_.rule().lateness(); })
      return body_.rule().lateness();
    else
      return 0;
  }

  int gaps() const override { return body_.gaps(); }
  int constraints() const override { return body_.constraints(); }
  std::string gap_name(int i) const override { return body_.gap_name(i); }
  R gap(int i, const Node& x) const override { return body_.gap(i, own(x)); }
  motion::Contact<R> contact(int i, const Node& x, R h, motion::Covector& normal) const override {
    return body_.contact(i, own(x), h, normal.of<Normal>(), work_);
  }
  bool may_be_closed(int i, const Node& x, R h) const override { return body_.may_be_closed(i, own(x), h); }
  double friction(int i) const override {
    if constexpr (requires { mechanics::friction(body_.mechanics().system(), i); })
      return mechanics::friction(body_.mechanics().system(), i);
    else
      return 0;
  }
  int slips(int i) const override {
    if constexpr (requires { mechanics::tangent_count(body_.mechanics().system(), i); })
      return friction(i) > 0 ? mechanics::tangent_count(body_.mechanics().system(), i) : 0;
    else
      return 0;
  }

  void begin_trace(const Node& from, discrete::Step<R> step, const Node& end, motion::Trace& trace) const override {
    body_.begin_trace(own(from), step, own(end), trace.of<Trace>());
    note(trace);
  }
  void refine_trace(motion::Trace& trace, const Node& end, PointAt point) const override {
    body_.refine_trace(
        trace.of<Trace>(), own(end),
        [&](R s, Own& x) {
          point(s, sample_);
          x = own(sample_);
        },
        work_);
    note(trace);
  }
  void candidates(motion::Trace& trace, motion::GapList& list) const override {
    if constexpr (watched)
      if (watches_) return watch(trace.of<Trace>(), list);
    body_.candidates(trace.as<Trace>(), list, work_);
  }
  const motion::GapList& closable() const override { return watches_ ? watch_.awake() : all_; }
  numerics::Ball<R> gap_range(int i, const motion::Trace& trace, R a, R b) const override {
    return body_.gap_range(i, trace.as<Trace>(), a, b);
  }
  motion::Bound<R> gap_bound(int i, const motion::Trace& trace, R a, R b) const override {
    return body_.gap_bound(i, trace.as<Trace>(), a, b);
  }
  R gap_in_middle(int i, const motion::Trace& trace, R s) const override {
    if constexpr (requires { body_.gap_in_middle(i, trace.as<Trace>(), s, work_); })
      return body_.gap_in_middle(i, trace.as<Trace>(), s, work_);
    else
      return gap_range(i, trace, s, s).mid;
  }

  /// What the loop reads of a trace, which is of another curve than before.
  static void note(motion::Trace& trace) {
    auto& own = trace.of<Trace>();
    if constexpr (requires { own.least; }) own.least.clear();
    trace.exact = own.exact;
    trace.refined = own.refined;
  }

 private:
  static constexpr bool watched = requires { requires B::encloses_boxes; };

  void watch(Trace& trace, motion::GapList& list) const {
    const int n = body_.dimension() + 1;  // the last one is time
    if (watch_.empty()) {
      const Own at = start_of(trace);
      for (int i = 0; i < gaps(); ++i) reads_.push_back(body_.reads(i, at));
      watch_.begin(gaps(), n, [&](int i) { return std::span<const int>(reads_[static_cast<std::size_t>(i)]); });
      point_.resize(static_cast<std::size_t>(n));
      reach_.resize(static_cast<std::size_t>(n));
    }
    std::copy(trace.c0.begin(), trace.c0.end(), point_.begin());
    point_.back() = trace.t;
    body_.reach(trace, reach_);
    longest_ = std::max(longest_, trace.length);
    gap_asked_ = -1;
    watch_.depart(
        point_, reach_,
        [&](const motion::GapList& awake, std::span<R> least) { body_.bound_gaps(trace, awake, least, work_); },
        [&](int i, R m) { return least_beyond_closed(i, trace, m); }, list);
    trace.least.assign(watch_.least().begin(), watch_.least().end());
  }
  /// A lower bound of φ_i within ±m units of where a trace starts, less what counts as closed there and may count as
  /// closed while the gap sleeps: speeds enter that, and may grow meanwhile.
  R least_beyond_closed(int i, const Trace& trace, R m) const {
    const R least = body_.least_within(i, trace, reads_[static_cast<std::size_t>(i)], watch_.units(), m, work_);
    if (!(least > 0)) return least;
    if (gap_asked_ != i) {
      normal_.resize(1);
      const Own start = start_of(trace);
      const auto contact = body_.contact(i, start, longest_, normal_.front(), work_);
      const R W = body_.couple(normal_.front(), normal_.front());
      closed_asked_ = motion::far_from_closed(contact, std::sqrt(2 * W * std::max(R(0), body_.kinetic(start))));
      gap_asked_ = i;
    }
    return least - closed_asked_;
  }
  Own start_of(const Trace& trace) const { return body_.node(trace.c0, trace.c1, trace.t); }

  const B& body_;
  mutable typename B::Work work_;
  mutable Node sample_;
  bool watches_ = false;  ///< gaps are watched; otherwise all of them may be closed
  motion::GapList all_;
  mutable motion::Watch<R> watch_;
  mutable std::vector<std::vector<int>> reads_;
  mutable std::vector<R> point_, reach_;
  mutable R longest_ = 0;  ///< of the flights so far
  mutable int gap_asked_ = -1;
  mutable R closed_asked_ = 0;  ///< of the gap asked last
  mutable std::vector<Normal> normal_;
};

/// A body flown by a closure. `plain` of a closure, if it has one, is what it flies where its curve has no answer.
template <class B, class Closure>
class ErasedFlier final : public motion::Flier<typename B::Real> {
 public:
  using R = typename B::Real;
  using Body = ErasedBody<B>;
  using Node = motion::Node<R>;
  using Own = typename B::Node;
  using Trace = typename B::Trace;
  using Step = discrete::Step<R>;
  using Interval = discrete::Interval<R>;

  ErasedFlier(const Body& body, Closure closure) : body_(body.own()), closure_(std::move(closure)) {}

  const Closure& closure() const { return closure_; }

  Interval fly(const Node& from, Step step, Node& out) override {
    const Interval interval = closure_.fly(body_, own(from), step, own(out), work_);
    out.t = own(out).t;
    return interval;
  }
  Interval fly(const Node& from, Step step, Node& out, motion::Trace& trace) override {
    const Interval interval = closure_.fly(body_, own(from), step, own(out), trace.of<Trace>(), work_);
    out.t = own(out).t;
    Body::note(trace);
    return interval;
  }
  Interval leave(const Node& from, Step step, Node& scratch) override {
    if constexpr (requires { closure_.leave(body_, own(from), step, own(scratch), work_); })
      return closure_.leave(body_, own(from), step, own(scratch), work_);
    else
      return fly(from, step, scratch);
  }
  std::optional<motion::KickExcess<R>> excess_of_kick(const Node& before, const Node& after, R h) override {
    if constexpr (requires { closure_.excess_of_kick(body_, own(before), own(after), h, work_); })
      return closure_.excess_of_kick(body_, own(before), own(after), h, work_);
    else
      return std::nullopt;
  }
  bool balances() const override { return closure_.balances(); }

  R gap_along(int i, const Node& from, Step step, const motion::Trace& trace) override {
    return closure_.gap_along(body_, i, own(from), step, trace.as<Trace>(), work_);
  }
  void refine(const Node& from, Step step, const Node& end, motion::Trace& trace) override {
    if constexpr (requires { closure_.refine_trace(body_, own(from), step, own(end), trace.of<Trace>(), work_); })
      closure_.refine_trace(body_, own(from), step, own(end), trace.of<Trace>(), work_);
    else
      body_.refine_trace(
          trace.of<Trace>(), own(end),
          [&](R s, Own& x) {
            closure_.fly(body_, own(from), Step{s, step.h}, x, work_);
          },
          work_);
    Body::note(trace);
  }

  bool may_be_plain() const override {
    if constexpr (requires { closure_.plain(); })
      return !closure_.is_plain();
    else
      return false;
  }
  void fly_plainly() override {
    if constexpr (requires { closure_.plain(); }) {
      usual_ = closure_;
      closure_ = closure_.plain();
    }
  }
  void fly_as_usual() override {
    if (usual_) closure_ = *usual_;
    usual_.reset();
  }

  void begin_search() override {
    if constexpr (requires { work_.closure.guess; })
      if (work_.closure.guess.scopes++ == 0) work_.closure.guess.known = false;
  }
  void end_search() override {
    if constexpr (requires { work_.closure.guess; }) --work_.closure.guess.scopes;
  }

  long long many(Node& x, Node& scratch, R h, long long n) override {
    if constexpr (requires { body_.glide(own(x), own(scratch), h, n, work_); }) {
      if (!body_.glides()) return -1;
      const long long flown = body_.glide(own(x), own(scratch), h, n, work_);
      x.t = own(x).t;
      return flown;
    } else {
      return -1;
    }
  }

 private:
  static const Own& own(const Node& x) { return Body::own(x); }
  static Own& own(Node& x) { return Body::own(x); }

  const B& body_;
  Closure closure_;
  std::optional<Closure> usual_;
  typename B::Work work_;
};

}  // namespace ricochet::bodies
