// How a body flies the pieces of a step: body and closure together.
#pragma once

#include <cstdint>
#include <optional>

#include "ricochet/motion/island.hpp"

namespace ricochet::motion {

/// Flights in the search of one event, or of one impulse, before it is given up: a hundred touches of zero take a
/// few thousand.
inline constexpr std::uint64_t most_flights_of_a_search = 20000;

/// How a closure's energy beyond H changes when μ times a kick is given: linear·μ + quadratic·μ², to leading order.
template <class Real>
struct KickExcess {
  Real linear, quadratic;
};

/// The curve of one flight, for the location of its first crossing.
template <class R>
class Path {
 public:
  virtual ~Path() = default;
  /// φ_i at the end of a piece of the flight.
  virtual R gap_along(const Island<R>& island, int i, const Node<R>& from, discrete::Step<R> step,
                      const Trace& trace) = 0;
  /// Makes a coarse enclosure of the flight sharp.
  virtual void refine(const Node<R>& from, discrete::Step<R> step, const Node<R>& end, Trace& trace) = 0;
  /// Between the two, flights from one point may start from each other's solutions, and have to suffice.
  virtual void begin_search() = 0;
  virtual void end_search() = 0;
};

/// Flies the curve of a closure over pieces of an impact step; over a whole step it is the rule's plain step.
template <class R>
class Flier : public Path<R> {
 public:
  using Step = discrete::Step<R>;
  using Interval = discrete::Interval<R>;

  virtual Interval fly(const Node<R>& from, Step step, Node<R>& out) = 0;
  /// The same, with an enclosure of the curve.
  virtual Interval fly(const Node<R>& from, Step step, Node<R>& out, Trace& trace) = 0;
  /// `fly`, if only the energy at the start is asked.
  virtual Interval leave(const Node<R>& from, Step step, Node<R>& scratch) = 0;
  /// What a kick does to the closure's energy beyond H, if it knows.
  virtual std::optional<KickExcess<R>> excess_of_kick(const Node<R>& before, const Node<R>& after, R h) = 0;
  /// Whether a conservative impulse is sized by E⁺ = E⁻ (Fetecau 2003 (75b)); otherwise by the law alone.
  virtual bool balances() const = 0;

  /// Whether the closure has the rule's own curve to offer in place of its own; from `fly_plainly` on it flies that,
  /// until `fly_as_usual`.
  virtual bool may_be_plain() const = 0;
  virtual void fly_plainly() = 0;
  virtual void fly_as_usual() = 0;

  /// Up to n whole steps at once, as long as no gap can close in them, where the body has a faster way than one after
  /// the other; returns how many were flown. The bits are those of single steps.
  virtual long long many(Node<R>& x, Node<R>& scratch, R h, long long n) = 0;
};

/// While one of these lives, flights from one point start from each other's solutions.
template <class R>
class Search {
 public:
  explicit Search(Path<R>& path) : path_(path) { path_.begin_search(); }
  ~Search() { path_.end_search(); }
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

 private:
  Path<R>& path_;
};

/// Curves of shadow closures and the momentum disagree about the slowest hops, and where one hop follows the other that
/// may not end. The rule's own curve starts as the momentum says: while one of these lives, it may take the place of
/// the closure's.
template <class R>
class PlainMeanwhile {
 public:
  explicit PlainMeanwhile(Flier<R>& flier) : flier_(flier) {}
  ~PlainMeanwhile() {
    if (plain_) flier_.fly_as_usual();
  }
  PlainMeanwhile(const PlainMeanwhile&) = delete;
  PlainMeanwhile& operator=(const PlainMeanwhile&) = delete;
  /// Returns whether that changed anything.
  bool make_plain() {
    if (!flier_.may_be_plain()) return false;
    flier_.fly_plainly();
    return plain_ = true;
  }

 private:
  Flier<R>& flier_;
  bool plain_ = false;
};

}  // namespace ricochet::motion
