// Which gaps may close soon: those that certainly do not are left asleep.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "ricochet/motion/contact.hpp"
#include "ricochet/numerics/function_ref.hpp"

namespace ricochet::motion {

/// Watches the gaps of one body over a run, so that a flight and an impact look at those near zero only.
///
/// A gap is put to sleep with a box around the coordinates, ±m·w_k, on which an enclosure proves φ > 0: `m` steps'
/// worth of motion, where the unit w_k is about the way of coordinate k in one step. The odometer G sums the largest
/// way of any coordinate in such units from one departure to the next, so that |q_k − q_k(then)| ≤ w_k (G − G(then)),
/// and the gap need not be looked at before G and the flight ahead together have used up m. Time is one more
/// coordinate, for gaps that move.
///
/// Flights that are flown to be looked at only (trials of an impulse) leave from where the last one did and cost no
/// way. A unit that has become too short for its coordinate is lengthened, which wakes the gaps that read it;
/// shortening it wakes nobody, for the boxes of the sleepers are larger than what they are then taken for.
template <class R>
class Watch {
 public:
  /// A lower bound of φ_i within ±m·unit of the point; zero or less proves nothing.
  using Least = numerics::FunctionRef<R(int i, R m)>;

  /// `reads(i)` lists the coordinates of gap i; the last coordinate, number n − 1, is time.
  void begin(int gaps, int coordinates, numerics::FunctionRef<std::span<const int>(int)> reads) {
    units_.assign(at(coordinates), R(0));
    last_.assign(at(coordinates), R(0));
    readers_.assign(at(coordinates), {});
    until_.assign(at(gaps), never);
    least_.assign(at(gaps), -std::numeric_limits<R>::infinity());
    awake_.clear();
    heap_.clear();
    heap_.reserve(2 * at(gaps) + 2);  // twice what can sleep: nothing is allocated from here on
    for (int i = 0; i < gaps; ++i) {
      for (const int k : reads(i)) readers_[at(k)].push_back(i);
      wake(i);
    }
    odometer_ = 0;
    begun_ = false;
  }
  bool empty() const { return units_.empty(); }
  std::span<const R> units() const { return units_; }
  /// Gaps that may be closed, or close along the flight last looked at; ascending.
  const GapList& awake() const { return awake_; }
  /// Lower bounds of all gaps along the flight last looked at.
  std::span<const R> least() const { return least_; }

  /// A flight departs from `point` and stays within ±reach of it: lists the gaps that may close along it. `along(awake,
  /// least)` bounds those that are awake along the flight itself. Every gap that is not awake afterwards certainly
  /// stays open along it.
  void depart(std::span<const R> point, std::span<const R> reach,
              numerics::FunctionRef<void(const GapList&, std::span<R>)> along, Least open, GapList& list) {
    R moved = 0, ahead = 0;
    bool known = true;
    for (std::size_t k = 0; k < units_.size(); ++k) {
      known = known && reach[k] < std::numeric_limits<R>::max();
      const R least = std::max(reach[k], rest * std::abs(point[k]));
      if (!(least <= most_units * units_[k])) lengthen(k, least);
      if (begun_) moved = std::max(moved, ratio(std::abs(point[k] - last_[k]), units_[k]));
      ahead = std::max(ahead, ratio(reach[k], units_[k]));
      last_[k] = point[k];
    }
    begun_ = true;
    odometer_ += moved;
    if (++departures_ % shorten_every == 0) shorten(reach);
    known = known && odometer_ + ahead < std::numeric_limits<R>::max();
    while (!heap_.empty() && (!known || heap_.front().first < odometer_ + ahead)) {
      std::pop_heap(heap_.begin(), heap_.end(), later);
      const auto [until, i] = heap_.back();
      heap_.pop_back();
      if (until == until_[at(i)]) wake(i);  // otherwise an entry that a later sleep has replaced
    }
    if (std::exchange(woken_, false)) std::sort(awake_.begin(), awake_.end());
    if (!known) odometer_ = 0, begun_ = false;
    list.clear();
    along(awake_, least_);
    const R shortest = 2 * std::max(ahead, R(1));
    std::erase_if(awake_, [&](int i) {
      if (!(least_[at(i)] > 0)) return list.push_back(i), false;
      if (!known) return false;
      R m = shortest, least = open(i, m);
      if (!(least > 0)) return false;
      for (int longer = 0; longer < 4; ++longer) {
        const R of_longer = open(i, 4 * m);
        if (!(of_longer > 0)) {
          // Most gaps shrink evenly with m: where they would vanish, but for a tenth of the way there.
          const R between = m + R(0.9) * (3 * m) * (least / (least - of_longer));
          if (between > m)
            if (const R of_between = open(i, between); of_between > 0) m = between, least = of_between;
          break;
        }
        m *= 4, least = of_longer;
      }
      until_[at(i)] = odometer_ + m;
      least_[at(i)] = least;
      add_sleeper(i);
      return true;
    });
  }

 private:
  static constexpr R never = -std::numeric_limits<R>::infinity();
  /// A coordinate at rest has a unit all the same: this part of its value, far above what counts as closed.
  static constexpr R rest = R(1e-9);
  static constexpr R most_units = 4;
  static constexpr long long shorten_every = 256;

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static R ratio(R way, R unit) { return way > 0 ? way / unit : R(0); }
  static bool later(const std::pair<R, int>& a, const std::pair<R, int>& b) { return a.first > b.first; }

  void wake(int i) {
    until_[at(i)] = never;
    awake_.push_back(i);
    woken_ = true;
  }
  /// Entries that later ones have replaced stay until their time comes, or until they are in the way.
  void add_sleeper(int i) {
    if (heap_.size() == heap_.capacity()) {
      std::erase_if(heap_, [&](const auto& entry) { return entry.first != until_[at(entry.second)]; });
      std::make_heap(heap_.begin(), heap_.end(), later);
    }
    heap_.emplace_back(until_[at(i)], i);
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  void lengthen(std::size_t k, R way) {
    units_[k] = way > 0 && way < std::numeric_limits<R>::max() ? way : R(1);
    for (const int i : readers_[k])
      if (until_[at(i)] != never) wake(i);
  }
  void shorten(std::span<const R> reach) {
    for (std::size_t k = 0; k < units_.size(); ++k) {
      const R way = std::max(reach[k], rest * std::abs(last_[k]));
      if (way > 0 && units_[k] > 4 * way) units_[k] /= 2;
    }
  }

  std::vector<R> units_, last_;
  std::vector<std::vector<int>> readers_;  ///< of each coordinate
  std::vector<R> until_;                   ///< odometer up to which a gap sleeps
  std::vector<R> least_;                   ///< of a gap along the flight, or all over the box on which it sleeps
  std::vector<std::pair<R, int>> heap_;    ///< sleepers, the first to wake on top
  GapList awake_;
  R odometer_ = 0;
  long long departures_ = 0;
  bool begun_ = false, woken_ = false;
};

}  // namespace ricochet::motion
