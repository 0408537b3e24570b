// When a run stops waiting for an impact.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "ricochet/error.hpp"
#include "ricochet/scene/bytes.hpp"
#include "ricochet/scene/model.hpp"

namespace ricochet::scene {

/// A run that is to end after a number of impacts, and at no time, would go on for ever where nothing is hit any more:
/// it fails after a million steps without an impact. Where that is depends on the steps alone, and is the same after a
/// resumption.
class Patience {
 public:
  explicit Patience(const Model& model) : needed_(model.impacts && !model.end) {}

  /// After a step, with the counts of all steps and all impacts.
  void note(std::int64_t steps, std::int64_t impacts) {
    if (!needed_) return;
    if (impacts != impacts_) {
      impacts_ = impacts;
      last_hit_ = steps;
    } else if (steps - last_hit_ > most) {
      throw Error(ErrorKind::nothing_hit, "nothing was hit for " + std::to_string(most) + " steps, after " +
                                              std::to_string(impacts_) +
                                              " impacts: without an 'end' in [time] this run would not end");
    }
  }
  /// How many steps may be taken before the next note.
  std::int64_t left(std::int64_t steps) const { return needed_ ? last_hit_ + most + 1 - steps : std::int64_t{1} << 40; }

  void save(ByteWriter& out) const { out.put(last_hit_), out.put(impacts_); }
  /// Throws std::out_of_range where the bytes are of no run that has taken so many steps.
  void restore(ByteReader& in, std::int64_t steps) {
    in.get(last_hit_), in.get(impacts_);
    if (last_hit_ < 0 || last_hit_ > steps) throw std::out_of_range("other");
  }

 private:
  static constexpr std::int64_t most = 1000000;
  bool needed_;
  std::int64_t last_hit_ = 0, impacts_ = 0;
};

}  // namespace ricochet::scene
