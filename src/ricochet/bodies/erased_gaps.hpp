// The gaps that a body brings itself, as the loop sees them.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ricochet/bodies/erased.hpp"
#include "ricochet/mechanics/friction.hpp"
#include "ricochet/motion/watch.hpp"

namespace ricochet::bodies {

/// A family whose numbers are those of the body. It watches them where the body can enclose them over boxes of its
/// coordinates: those that certainly stay open are not looked at.
template <class B>
class ErasedGaps final : public motion::Gaps<typename B::Real> {
 public:
  using R = typename B::Real;
  using Node = motion::Node<R>;
  using Own = typename B::Node;
  using Normal = typename B::Normal;
  using Trace = typename B::Trace;

  explicit ErasedGaps(const ErasedBody<B>& body) : body_(body.own()) {
    // Flights of a rule that falls a step late do not show where a body at rest is about to go.
    if constexpr (watched) watches_ = body_.encloses_boxes() && body.lateness() < 1;
  }

  int count() const override { return body_.gaps(); }
  int constraints() const override {
    if constexpr (requires { body_.constraints(); })
      return body_.constraints();
    else
      return 0;
  }
  std::string name(int i) const override { return body_.gap_name(i); }
  int unions() const override {
    if constexpr (requires { body_.unions(); })
      return body_.unions();
    else
      return 0;
  }
  std::span<const int> branches(int u) const override {
    if constexpr (requires { body_.branches(u); })
      return body_.branches(u);
    else
      return {};
  }
  R value(int i, const Node& x) const override { return body_.gap(i, own(x)); }
  motion::Contact<R> at(int i, const Node& x, R h, motion::Covector& normal) const override {
    return body_.contact(i, own(x), h, normal.of<Normal>(), work_);
  }
  bool may_be_closed(int i, const Node& x, R h) const override {
    if constexpr (watched)
      if (watches_ && !watch_.empty()) return !(body_.gap(i, own(x)) > far * closed_at(i, own(x)));
    if constexpr (requires { body_.may_be_closed(i, own(x), h); })
      return body_.may_be_closed(i, own(x), h);
    else
      return true;
  }
  double friction(int i) const override {
    if constexpr (requires { body_.friction(i); })
      return body_.friction(i);
    else if constexpr (requires { mechanics::friction(body_.mechanics().system(), i); })
      return mechanics::friction(body_.mechanics().system(), i);
    else
      return 0;
  }
  int slips(int i) const override {
    if constexpr (requires { body_.slips(i); })
      return friction(i) > 0 ? body_.slips(i) : 0;
    else if constexpr (requires { mechanics::tangent_count(body_.mechanics().system(), i); })
      return friction(i) > 0 ? mechanics::tangent_count(body_.mechanics().system(), i) : 0;
    else
      return 0;
  }

  void candidates(motion::Trace& trace, motion::GapList& list) const override {
    if constexpr (watched)
      if (watches_) return watch(trace.of<Trace>(), list);
    body_.candidates(trace.as<Trace>(), list, work_);
  }
  const motion::GapList* closable() const override { return watches_ ? &watch_.awake() : nullptr; }
  numerics::Ball<R> range(int i, const motion::Trace& trace, R a, R b) const override {
    if constexpr (requires { body_.gap_range(i, trace.as<Trace>(), a, b); })
      return body_.gap_range(i, trace.as<Trace>(), a, b);
    else
      return bound(i, trace, a, b).value;
  }
  motion::Bound<R> bound(int i, const motion::Trace& trace, R a, R b) const override {
    return body_.gap_bound(i, trace.as<Trace>(), a, b);
  }
  R in_middle(int i, const motion::Trace& trace, R s) const override {
    if constexpr (requires { body_.gap_in_middle(i, trace.as<Trace>(), s, work_); })
      return body_.gap_in_middle(i, trace.as<Trace>(), s, work_);
    else
      return range(i, trace, s, s).mid;
  }

 private:
  static constexpr bool watched = requires(const B& body) { body.encloses_boxes(); };
  /// What counted as closed when a gap was last asked (motion::far_from_closed), with the energy, the step and the
  /// departure of then. It costs the more the larger the body is, and has a thousandfold margin: a gap that is another
  /// thousand times larger need not ask again, as long as neither speeds nor steps have doubled.
  struct Closed {
    R size = 0, energy = -1, step = 0;
    long long departure = -1;
  };
  static constexpr R far = 1000;

  void watch(Trace& trace, motion::GapList& list) const {
    const int n = body_.dimension() + 1;  // the last one is time
    if (watch_.empty()) {
      const Own at = body_.node(trace.c0, trace.c1, trace.t);
      for (int i = 0; i < count(); ++i) reads_.push_back(body_.reads(i, at));
      closed_.resize(reads_.size());
      watch_.begin(count(), n, [&](int i) { return std::span<const int>(reads_[static_cast<std::size_t>(i)]); });
      point_.resize(static_cast<std::size_t>(n));
      reach_.resize(static_cast<std::size_t>(n));
    }
    std::copy(trace.c0.begin(), trace.c0.end(), point_.begin());
    point_.back() = trace.t;
    body_.reach(trace, reach_);
    longest_ = std::max(longest_, trace.length);
    energy_ = -1;
    start_known_ = false;
    ++departures_;
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
    if (!start_known_) {
      body_.set_node(trace.c0, trace.c1, trace.t, start_);
      start_known_ = true;
    }
    const R closed = closed_at(i, start_);
    return least > far * closed ? least - closed : least - closed_now(i, start_);
  }
  /// What counted as closed for gap i when it was last asked, where that still tells anything; `x` is on the flight.
  R closed_at(int i, const Own& x) const {
    const Closed& closed = closed_[static_cast<std::size_t>(i)];
    if (closed.departure == departures_) return closed.size;
    if (energy_ < 0) energy_ = std::max(R(0), body_.kinetic(x));
    const bool holds = energy_ <= 4 * closed.energy && longest_ <= 2 * closed.step && !body_.moving(i);
    return holds ? closed.size : closed_now(i, x);
  }
  R closed_now(int i, const Own& x) const {
    Closed& closed = closed_[static_cast<std::size_t>(i)];
    if (closed.departure == departures_) return closed.size;
    if (energy_ < 0) energy_ = std::max(R(0), body_.kinetic(x));
    const auto contact = body_.contact(i, x, longest_, normal_, work_);
    const R speed = std::sqrt(2 * body_.couple(normal_, normal_) * energy_);
    closed = {motion::far_from_closed(contact, speed), energy_, longest_, departures_};
    return closed.size;
  }

  static const Own& own(const Node& x) { return ErasedBody<B>::own(x); }

  const B& body_;
  mutable typename B::Work work_;
  bool watches_ = false;  ///< gaps are watched; otherwise all of them may be closed
  mutable motion::Watch<R> watch_;
  mutable std::vector<std::vector<int>> reads_;
  mutable std::vector<R> point_, reach_;
  mutable R longest_ = 0;               ///< of the flights so far
  mutable std::vector<Closed> closed_;  ///< of every gap
  mutable long long departures_ = 0;
  mutable Own start_;  ///< of the flight that is looked at, once a gap has asked for it
  mutable bool start_known_ = false;
  mutable R energy_ = -1;  ///< kinetic, of the flight that is looked at; negative before a gap has asked for it
  mutable Normal normal_;
};

/// The gaps that a body brings itself, if it brings any.
template <class B>
std::unique_ptr<motion::Gaps<typename B::Real>> own_gaps(const ErasedBody<B>& body) {
  if constexpr (BringsGaps<B>)
    return std::make_unique<ErasedGaps<B>>(body);
  else
    return nullptr;
}

/// The families that a user brings beside them.
template <class R>
std::vector<std::unique_ptr<motion::Gaps<R>>> made(const std::vector<motion::GapsMaker<R>>& families,
                                                   const motion::Body<R>& body) {
  std::vector<std::unique_ptr<motion::Gaps<R>>> gaps;
  for (const auto& make : families) gaps.push_back(make(body));
  return gaps;
}

}  // namespace ricochet::bodies
