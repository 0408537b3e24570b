// One spatial contact with Coulomb friction: the slip turns on its way, so it is an ordinary differential equation.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ricochet/mechanics/law.hpp"
#include "ricochet/mechanics/law_restitution.hpp"
#include "ricochet/mechanics/law_slip_series.hpp"

namespace ricochet::mechanics {

/// dp_T = −μ (u_T/|u_T|) dp_N. In the parameter τ with dp_N = |u_T| dτ the slip obeys
///   du_T/dτ = |u_T| w − μ S u_T,   w = W_TN, S = W_TT,
/// which is homogeneous and regular: slip dies exponentially in τ instead of at a singular point. Once it has died, it
/// sticks if |S⁻¹w| ≤ μ; else it goes on along the one direction s that keeps itself, w − μSs = κs with κ > 0.
///
/// The direction s of the slip obeys an equation of its own, ds/dτ = (1 − ssᵀ)(w − μSs), so it turns one way until it
/// reaches, exponentially too, a direction that keeps itself. Along that one all is linear in p_N, as in the plane. τ
/// would not do there: near the critical friction, |S⁻¹w| ≈ μ, κ is next to zero, and a slip that has become small on
/// its way needs τ of the order 1/|κ| to die or to grow.
template <class Real>
class SpatialImpact {
 public:
  using Matrix = Eigen::Matrix<Real, 3, 3>;
  using Vector = Eigen::Matrix<Real, 3, 1>;
  using Tangent = Eigen::Matrix<Real, 2, 1>;

  LawStatus run(const Matrix& W, const Vector& before, Real mu, Real e, Restitution kind, Vector& impulse) {
    impulse.setZero();
    events = {};
    W_ = W;
    before_ = before;
    mu_ = mu;
    State state;
    state << before[1], before[2], 0, 0, 0, 0;
    LawStatus status = LawStatus::no_convergence;
    // Unlike in the plane, slip may turn during restitution so that the gap closes again before Poisson's impulse is
    // spent: what follows is one more impact at the same instant.
    for (int round = 0; round < 16; ++round) {
      Phases<Real> phases(kind, e, progress(state));
      status = slip(phases, state);
      if (status == LawStatus::no_convergence && at_rest_) status = leave_rest(phases, state);
      if (status != LawStatus::solved || normal_rate(state) >= -64 * eps() * before.norm()) break;
      ++events.renewals;
      status = LawStatus::no_convergence;
    }
    impulse << state[2], state[3], state[4];
    return status;
  }

  SlipEvents events;

 private:
  using State = typename SlipSeries<Real>::State;
  static constexpr Real eps() { return std::numeric_limits<Real>::epsilon(); }
  static constexpr Real infinity() { return std::numeric_limits<Real>::infinity(); }

  Tangent w() const { return W_.template block<2, 1>(1, 0); }
  Eigen::Matrix<Real, 2, 2> S() const { return W_.template block<2, 2>(1, 1); }
  Real normal_rate(const State& y) const { return before_[0] + W_(0, 0) * y[2] + W_(0, 1) * y[3] + W_(0, 2) * y[4]; }
  Progress<Real> progress(const State& y) const { return {y[2], normal_rate(y), y[5]}; }

  /// Slips until the impact ends or the slip has died (no_convergence with at_rest_).
  LawStatus slip(Phases<Real>& phases, State& y) {
    at_rest_ = false;
    const Real tiny = 16 * eps() * before_.norm();
    bool jammed = false;
    for (int n = 0; n < 1000; ++n) {
      const Real speed = y.template head<2>().norm();
      if (!std::isfinite(speed)) return LawStatus::not_finite;
      if (!(speed > tiny)) {
        at_rest_ = true;
        return LawStatus::no_convergence;
      }
      if (!jammed && W_(0, 0) * speed <= mu_ * w().dot(y.template head<2>())) {
        jammed = true;
        ++events.jams;
      }
      if (const Tangent s = y.template head<2>() / speed; keeps_itself(s)) {
        const Real kappa = s.dot(w() - mu_ * (S() * s));
        const LawStatus status = go_straight(phases, y, -mu_ * s, kappa * s, kappa < 0 ? -speed / kappa : infinity());
        at_rest_ = status == LawStatus::no_convergence;
        return status;
      }
      series_.expand(W_, mu_, y, normal_rate(y));
      const Real length = series_.length(), end = end_of_phase(phases, length);
      y = series_.state(std::min(length, end));
      if (!(end < infinity())) continue;
      if (!phases.compressing()) return LawStatus::solved;
      phases.begin_restitution(progress(y));
    }
    return LawStatus::no_convergence;
  }

  /// Where the phase ends in the piece of slip [0, length] of the series; infinite if it goes on. What a phase lacks
  /// may vanish and come back within the piece: then it has a largest value in between.
  Real end_of_phase(const Phases<Real>& phases, Real length) const {
    const auto at = [&](Real x) -> Progress<Real> {
      return {series_.normal_impulse(x), series_.normal_rate(x), series_.normal_work(x)};
    };
    const auto lacking = [&](Real x) { return phases.lacking(at(x)); };
    const auto slope = [&](Real x) { return phases.slope(at(x), series_.stiffness(W_, mu_, x)); };
    Real low = 0, high = length, f_low = lacking(low), f_high = lacking(high);
    if (f_low >= 0) return 0;
    if (f_high < 0) {
      Real slope_low = slope(low), slope_high = slope(high);
      if (!(slope_low > 0 && slope_high < 0)) return infinity();
      high = root(slope, low, -slope_low, high, -slope_high, -1);
      f_high = lacking(high);
      if (f_high < 0) return infinity();
    }
    return root(lacking, low, f_low, high, f_high, 1);
  }
  /// Root of sign·f between low and high, where it is negative and not; regula falsi with bisections.
  template <class F>
  static Real root(const F& f, Real low, Real f_low, Real high, Real f_high, int sign) {
    int side = 0;
    const Real narrow = 4 * eps() * high;
    for (int n = 0; n < 100 && high - low > narrow; ++n) {
      Real middle = n % 4 == 3 ? (low + high) / 2 : low + (high - low) * (f_low / (f_low - f_high));
      if (!(middle > low && middle < high)) middle = (low + high) / 2;
      const Real value = Real(sign) * f(middle);
      if (value == 0) return middle;
      if (value < 0) {
        low = middle;
        f_low = value;
        if (side < 0) f_high /= 2;
        side = -1;
      } else {
        high = middle;
        f_high = value;
        if (side > 0) f_low /= 2;
        side = 1;
      }
    }
    return high;
  }

  /// Whether the slip direction s turns no more than rounding does: w − μSs along s.
  bool keeps_itself(const Tangent& s) const {
    const Tangent friction = mu_ * (S() * s), rate = w() - friction;
    return std::abs(s[0] * rate[1] - s[1] * rate[0]) <= 16 * eps() * (w().norm() + friction.norm());
  }

  /// dp_T = ratio dp_N and du_T = slip_rate dp_N, all of it linear, for a normal impulse of at most `until_rest`; there
  /// the slip rests (no_convergence). A direction that keeps itself and grows, and sticking, open the gap: W
  /// semidefinite gives W_NN − μw·s ≥ κ(κ + μσ)/σ with σ = sᵀSs.
  LawStatus go_straight(Phases<Real>& phases, State& y, const Tangent& ratio, const Tangent& slip_rate,
                        Real until_rest) const {
    const Real stiffness = W_(0, 0) + W_(0, 1) * ratio[0] + W_(0, 2) * ratio[1];
    const auto advance = [&](Real length, Real rate) {
      y[2] += length;
      y.template segment<2>(3) += length * ratio;
      y.template head<2>() += length * slip_rate;
      y[5] += length * (rate + stiffness * length / 2);
    };
    for (;;) {
      Progress<Real> at = progress(y);
      const Real length = phases.remaining(at, stiffness);
      if (until_rest < length) {
        advance(until_rest, at.normal_rate);
        y.template head<2>().setZero();
        return LawStatus::no_convergence;
      }
      if (!(length < infinity())) return LawStatus::infeasible;
      advance(length, at.normal_rate);
      until_rest -= length;
      if (!phases.compressing()) return LawStatus::solved;
      at = progress(y);
      at.normal_rate = 0;
      phases.begin_restitution(at);
    }
  }

  /// Without slip: it sticks, or slips along the direction that keeps itself.
  LawStatus leave_rest(Phases<Real>& phases, State& y) {
    const Tangent stick = stick_ratio();
    if (stick.norm() <= mu_) {
      ++events.sticks;
      return go_straight(phases, y, stick, Tangent::Zero(), infinity());
    }
    ++events.reversals;
    const Tangent s = persistent_direction();
    return go_straight(phases, y, -mu_ * s, s * s.dot(w() - mu_ * (S() * s)), infinity());
  }

  /// −S⁺w; W semidefinite keeps w in the range of S.
  Tangent stick_ratio() const {
    const auto [s1, s2, e1, e2] = principal();
    Tangent ratio = Tangent::Zero();
    const Real floor = 64 * eps() * std::max(s1, W_(0, 0));
    if (s1 > floor) ratio -= e1 * (e1.dot(w()) / s1);
    if (s2 > floor) ratio -= e2 * (e2.dot(w()) / s2);
    return ratio;
  }

  /// s = (μS + κ)⁻¹w with |s| = 1: the length falls with κ, from more than one at κ = 0.
  Tangent persistent_direction() const {
    const auto [s1, s2, e1, e2] = principal();
    const Real w1 = e1.dot(w()), w2 = e2.dot(w());
    const auto at = [&](Real kappa) -> Tangent {
      return e1 * (w1 / (mu_ * s1 + kappa)) + e2 * (w2 / (mu_ * s2 + kappa));
    };
    Real low = 0, high = w().norm();
    for (int n = 0; n < 200 && high - low > eps() * high; ++n) {
      const Real middle = (low + high) / 2;
      (at(middle).norm() > 1 ? low : high) = middle;
    }
    return at(high).normalized();
  }

  struct Principal {
    Real s1, s2;
    Tangent e1, e2;
  };
  Principal principal() const {
    const Real mean = (W_(1, 1) + W_(2, 2)) / 2, half = (W_(1, 1) - W_(2, 2)) / 2, b = W_(1, 2);
    const Real radius = std::hypot(half, b), angle = std::atan2(b, half) / 2;
    const Tangent e1(std::cos(angle), std::sin(angle));
    return {mean + radius, std::max(mean - radius, Real(0)), e1, Tangent(-e1[1], e1[0])};
  }

  SlipSeries<Real> series_;
  Matrix W_;
  Vector before_;
  Real mu_ = 0;
  bool at_rest_ = false;
};

}  // namespace ricochet::mechanics
