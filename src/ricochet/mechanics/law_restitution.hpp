// When an impact with friction turns from compression to restitution, and when it ends: Newton, Poisson, Stronge.
#pragma once

#include <cmath>
#include <limits>

namespace ricochet::mechanics {

enum class Restitution {
  newton,   ///< ends at u_N = −e u_N⁻: with friction this can gain energy (errata B3)
  poisson,  ///< ends at (1 + e) times the impulse of compression
  stronge,  ///< ends when 1 − e² of the normal work of compression is left
};

/// The process of an impact in one contact, its normal impulse p_N playing the part of time (Routh).
template <class Real>
struct Progress {
  Real normal_impulse = 0;
  Real normal_rate = 0;  ///< u_N
  Real normal_work = 0;  ///< ∫ u_N dp_N
};

/// The two phases of an impact. `lacking` is negative before a phase ends and zero at its end; along a segment with
/// constant du_N/dp_N the end is known in closed form.
template <class Real>
class Phases {
 public:
  Phases(Restitution kind, Real e, const Progress<Real>& start) : kind_(kind), e_(e), start_(start) {}

  bool compressing() const { return compressing_; }

  Real lacking(const Progress<Real>& at) const {
    if (compressing_) return at.normal_rate;
    switch (kind_) {
      case Restitution::newton:
        return at.normal_rate + e_ * start_.normal_rate;
      case Restitution::poisson:
        return at.normal_impulse - target_;
      default:
        return at.normal_work - target_;
    }
  }

  /// d(lacking)/dp_N where du_N/dp_N = stiffness.
  Real slope(const Progress<Real>& at, Real stiffness) const {
    if (compressing_ || kind_ == Restitution::newton) return stiffness;
    return kind_ == Restitution::poisson ? Real(1) : at.normal_rate;
  }

  /// Normal impulse until the phase ends if du_N/dp_N = stiffness all the way; infinite if it never does.
  Real remaining(const Progress<Real>& at, Real stiffness) const {
    const Real never = std::numeric_limits<Real>::infinity(), left = -lacking(at);
    if (!(left > 0)) return 0;
    if (!compressing_ && kind_ == Restitution::poisson) return left;
    if (!compressing_ && kind_ == Restitution::stronge) {
      const Real discriminant = at.normal_rate * at.normal_rate + 2 * stiffness * left;
      const Real denominator = at.normal_rate + std::sqrt(discriminant);
      return discriminant >= 0 && denominator > 0 ? 2 * left / denominator : never;
    }
    return stiffness > 0 ? left / stiffness : never;
  }

  void begin_restitution(const Progress<Real>& at) {
    compressing_ = false;
    target_ = kind_ == Restitution::poisson
                  ? start_.normal_impulse + (1 + e_) * (at.normal_impulse - start_.normal_impulse)
                  : start_.normal_work + (1 - e_ * e_) * (at.normal_work - start_.normal_work);
  }

 private:
  Restitution kind_;
  Real e_, target_ = 0;
  Progress<Real> start_;
  bool compressing_ = true;
};

/// What happened on the way.
struct SlipEvents {
  int sticks = 0;     ///< slip came to rest and stayed
  int reversals = 0;  ///< slip came to rest and went on in another direction
  int renewals = 0;   ///< slip that turned in restitution closed the gap again: compressed once more (space only)
  int jams = 0;       ///< the gap closed faster and faster while it slipped: W_NN < μ|W_NT|, Painlevé's situation
};

}  // namespace ricochet::mechanics
