// Any body and any closure, written as classes with static sizes inside, as the loop sees them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "ricochet/bodies/body.hpp"
#include "ricochet/closure/variational.hpp"
#include "ricochet/mechanics/system.hpp"
#include "ricochet/motion/flier.hpp"
#include "ricochet/numerics/poll.hpp"

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

  explicit ErasedBody(const B& body) : body_(body) {}

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
  motion::Stretch<R> stretch(const motion::Trace& trace) const override {
    const auto& own = trace.as<Trace>();
    return {own.t, own.length};
  }

  int scalars() const override {
    if constexpr (has_scalars)
      return body_.scalars();
    else
      return 0;
  }
  motion::Coordinate<R> scalar(int k, const Node& x) const override {
    if constexpr (has_scalars)
      return body_.scalar(k, own(x), work_);
    else
      shows_no_coordinates();
  }
  motion::Bound<R> scalar(int k, const motion::Trace& trace, R a, R b) const override {
    if constexpr (has_scalars)
      return body_.scalar(k, trace.as<Trace>(), a, b);
    else
      shows_no_coordinates();
  }
  void covector(const Node& x, std::span<const int> which, std::span<const R> values,
                motion::Covector& out) const override {
    if constexpr (has_scalars)
      body_.covector(own(x), which, values, out.of<Normal>(), work_);
    else
      shows_no_coordinates();
  }

  /// What the loop reads of a trace, which is of another curve than before.
  static void note(motion::Trace& trace) {
    auto& own = trace.of<Trace>();
    if constexpr (requires { own.least; }) own.least.clear();
    trace.exact = own.exact;
    trace.refined = own.refined;
  }

 private:
  static constexpr bool has_scalars = requires(const B& body) { body.scalars(); };
  [[noreturn]] static void shows_no_coordinates() {
    throw Error(ErrorKind::invalid_model, "this kind of body shows no coordinates to gaps that are not its own");
  }

  const B& body_;
  mutable typename B::Work work_;
  mutable Node sample_;
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
    spend(from);
    const Interval interval = closure_.fly(body_, own(from), step, own(out), work_);
    out.t = own(out).t;
    return interval;
  }
  Interval fly(const Node& from, Step step, Node& out, motion::Trace& trace) override {
    spend(from);
    const Interval interval = closure_.fly(body_, own(from), step, own(out), trace.of<Trace>(), work_);
    out.t = own(out).t;
    Body::note(trace);
    return interval;
  }
  Interval leave(const Node& from, Step step, Node& scratch) override {
    spend(from);
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

  R gap_along(const motion::Island<R>& island, int i, const Node& from, Step step,
              const motion::Trace& trace) override {
    if constexpr (BringsGaps<B>)
      if (island.is_own(i)) {
        if (!trace.exact) spend(from);
        return closure_.gap_along(body_, i, own(from), step, trace.as<Trace>(), work_);
      }
    if (trace.exact) return island.gap_in_middle(i, trace, step.s);
    fly(from, step, there_);
    return island.gap(i, there_);
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
    if (searches_++ == 0) began_ = flights_;
    if constexpr (requires { work_.closure.guess; })
      if (work_.closure.guess.scopes++ == 0) work_.closure.guess.known = false;
  }
  void end_search() override {
    --searches_;
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

  /// A flight: now and then asks whether the user has lost patience, or the search its budget.
  void spend(const Node& from) {
    if ((++flights_ & 15) == 0) [[unlikely]]
      look_up(from);
  }
  [[gnu::noinline]] void look_up(const Node& from) {
    numerics::poll();
    if (searches_ == 0 || flights_ - began_ <= motion::most_flights_of_a_search) return;
    throw Error(ErrorKind::impact_not_found,
                "what happens next was not found with " + std::to_string(motion::most_flights_of_a_search) +
                    " trial flights: the step does not resolve the motion; a smaller one may go on",
                body_.state(own(from)));
  }

  const B& body_;
  int searches_ = 0;
  std::uint64_t flights_ = 0, began_ = 0;  ///< all, and those before the present search
  Closure closure_;
  std::optional<Closure> usual_;
  typename B::Work work_;
  Node there_;
};

}  // namespace ricochet::bodies
