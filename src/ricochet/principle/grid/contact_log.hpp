// Contacts of a run on a fixed grid: impulse, and when each one begins and ends.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

namespace ricochet::principle::grid {

template <class Real>
struct ContactPhase {
  Real begin, end;  ///< end is NaN while the contact lasts
};

/// The contacts of one gap, in the order of time.
template <class Real>
class ContactLog {
 public:
  Real impulse() const { return impulse_; }
  bool touching() const { return open_; }
  const std::vector<ContactPhase<Real>>& phases() const { return phases_; }

  void push(Real impulse) { impulse_ += impulse; }
  void begin(Real t) {
    phases_.push_back({t, open_end});
    open_ = true;
  }
  void end(Real t) {
    phases_.back().end = t;
    open_ = false;
  }

  /// Calls tell(t, begins) for every beginning and end that has not been told yet.
  template <class Tell>
  void tell_new(Tell&& tell) {
    const std::size_t changes = 2 * phases_.size() - (open_ ? 1 : 0);
    for (; told_ < changes; ++told_) {
      const auto& phase = phases_[told_ / 2];
      const bool begins = told_ % 2 == 0;
      tell(begins ? phase.begin : phase.end, begins);
    }
  }
  /// Lets go of the contacts that have ended: memory is constant in the length of a run.
  void forget() {
    const std::size_t ended = phases_.size() - (open_ ? 1 : 0);
    phases_.erase(phases_.begin(), phases_.begin() + static_cast<std::ptrdiff_t>(ended));
    told_ -= std::min(told_, 2 * ended);
  }
  /// Continues a run: a contact that lasted then, if any, began at `begin`, and that has been told.
  void restore(bool touching, Real impulse, Real begin) {
    phases_.clear();
    if (touching) phases_.push_back({begin, open_end});
    open_ = touching;
    impulse_ = impulse;
    told_ = phases_.size();
  }

 private:
  static constexpr Real open_end = std::numeric_limits<Real>::quiet_NaN();

  Real impulse_ = 0;
  bool open_ = false;
  std::size_t told_ = 0;  ///< beginnings and ends
  std::vector<ContactPhase<Real>> phases_;
};

/// Follows one gap from level to level. Begin and end are where the line between two levels crosses zero.
template <class Real>
class GapFollower {
 public:
  GapFollower(Real gap, ContactLog<Real>& log) : gap_(gap) {
    if (gap < 0) log.begin(0);
  }

  void at(Real t, Real gap, Real impulse, ContactLog<Real>& log) {
    log.push(impulse);
    if (gap < 0 && !(gap_ < 0)) log.begin(crossing(t, gap));
    if (!(gap < 0) && gap_ < 0) log.end(crossing(t, gap));
    t_ = t, gap_ = gap;
  }

  /// What the rest of a run depends on.
  struct State {
    Real t, gap;
  };
  State state() const { return {t_, gap_}; }
  void restore(const State& s) { t_ = s.t, gap_ = s.gap; }

 private:
  Real crossing(Real t, Real gap) const { return t_ + (t - t_) * (gap_ / (gap_ - gap)); }

  Real t_ = 0, gap_;
};

}  // namespace ricochet::principle::grid
