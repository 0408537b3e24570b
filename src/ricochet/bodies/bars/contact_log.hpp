// Contacts of a run on a fixed grid: impulse, and when each one begins and ends.
#pragma once

#include <algorithm>
#include <vector>

namespace ricochet::bodies {

template <class Real>
struct ContactPhase {
  Real begin, end;  ///< end is NaN while the contact lasts
};

/// Follows one gap from level to level. Begin and end are where the line between two levels crosses zero.
template <class Real>
class ContactLog {
 public:
  explicit ContactLog(Real t = 0, Real gap = 0) : t_(t), gap_(gap) {
    if (gap < 0) phases_.push_back({t, open_end});
  }

  void at(Real t, Real gap, Real impulse) {
    impulse_ += impulse;
    if (gap < 0 && !(gap_ < 0)) phases_.push_back({crossing(t, gap), open_end});
    if (!(gap < 0) && gap_ < 0) phases_.back().end = crossing(t, gap);
    t_ = t, gap_ = gap;
  }

  /// What the rest of a run depends on.
  struct State {
    Real t, gap, impulse;
  };
  State state() const { return {t_, gap_, impulse_}; }
  /// Continues from a state; a contact that lasted then began at `begin`.
  void restore(const State& s, Real begin) {
    t_ = s.t, gap_ = s.gap, impulse_ = s.impulse;
    phases_.clear();
    if (gap_ < 0) phases_.push_back({begin, open_end});
  }
  /// Lets go of the contacts that have ended: memory is constant in the length of a run.
  void forget() {
    if (!phases_.empty()) phases_.erase(phases_.begin(), phases_.end() - (touching() ? 1 : 0));
  }

  Real impulse() const { return impulse_; }
  bool touching() const { return gap_ < 0; }
  const std::vector<ContactPhase<Real>>& phases() const { return phases_; }

 private:
  static constexpr Real open_end = std::numeric_limits<Real>::quiet_NaN();
  Real crossing(Real t, Real gap) const { return t_ + (t - t_) * (gap_ / (gap_ - gap)); }

  Real t_, gap_;
  Real impulse_ = 0;
  std::vector<ContactPhase<Real>> phases_;
};

}  // namespace ricochet::bodies
