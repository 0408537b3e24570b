// One spatial contact with Coulomb friction: the slip turns on its way, so it is an ordinary differential equation.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <limits>

#include "ricochet/mechanics/law.hpp"
#include "ricochet/mechanics/law_restitution.hpp"

namespace ricochet::mechanics {

/// dp_T = −μ (u_T/|u_T|) dp_N. In the parameter τ with dp_N = |u_T| dτ the slip obeys
///   du_T/dτ = |u_T| w − μ S u_T,   w = W_TN, S = W_TT,
/// which is homogeneous and regular: slip dies exponentially in τ instead of at a singular point. Once it has died, it
/// sticks if |S⁻¹w| ≤ μ; else it goes on along the one direction s that keeps itself, w − μSs = κs with κ > 0.
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
      if (status == LawStatus::no_convergence && at_rest_) status = go_straight(phases, state);
      if (status != LawStatus::solved || normal_rate(state) >= -64 * eps() * before.norm()) break;
      ++events.renewals;
      status = LawStatus::no_convergence;
    }
    impulse << state[2], state[3], state[4];
    return status;
  }

  SlipEvents events;

 private:
  using State = Eigen::Matrix<Real, 6, 1>;  // u_T, p_N, p_T, normal work
  static constexpr Real eps() { return std::numeric_limits<Real>::epsilon(); }

  Tangent w() const { return W_.template block<2, 1>(1, 0); }
  Eigen::Matrix<Real, 2, 2> S() const { return W_.template block<2, 2>(1, 1); }
  Real normal_rate(const State& y) const { return before_[0] + W_(0, 0) * y[2] + W_(0, 1) * y[3] + W_(0, 2) * y[4]; }
  Progress<Real> progress(const State& y) const { return {y[2], normal_rate(y), y[5]}; }

  State derivative(const State& y) const {
    const Tangent u = y.template head<2>();
    const Real speed = u.norm();
    State d;
    d.template head<2>() = speed * w() - mu_ * (S() * u);
    d[2] = speed;
    d.template segment<2>(3) = -mu_ * u;
    d[5] = normal_rate(y) * speed;
    return d;
  }

  /// Dormand & Prince 5(4); returns the step and the error estimate.
  State step(const State& y, const State& k1, Real h, State& k7, State& error) const {
    const State k2 = derivative(y + h * (k1 / 5));
    const State k3 = derivative(y + h * (k1 * Real(3) / 40 + k2 * Real(9) / 40));
    const State k4 = derivative(y + h * (k1 * Real(44) / 45 - k2 * Real(56) / 15 + k3 * Real(32) / 9));
    const State k5 = derivative(
        y + h * (k1 * Real(19372) / 6561 - k2 * Real(25360) / 2187 + k3 * Real(64448) / 6561 - k4 * Real(212) / 729));
    const State k6 = derivative(y + h * (k1 * Real(9017) / 3168 - k2 * Real(355) / 33 + k3 * Real(46732) / 5247 +
                                         k4 * Real(49) / 176 - k5 * Real(5103) / 18656));
    const State next = y + h * (k1 * Real(35) / 384 + k3 * Real(500) / 1113 + k4 * Real(125) / 192 -
                                k5 * Real(2187) / 6784 + k6 * Real(11) / 84);
    k7 = derivative(next);
    error = h * (k1 * Real(71) / 57600 - k3 * Real(71) / 16695 + k4 * Real(71) / 1920 - k5 * Real(17253) / 339200 +
                 k6 * Real(22) / 525 - k7 / 40);
    return next;
  }

  /// Slips until the impact ends or the slip has died (no_convergence with at_rest_).
  LawStatus slip(Phases<Real>& phases, State& y) {
    at_rest_ = false;
    const Real size = before_.norm(), stiffness = W_.trace(), tiny = 16 * eps() * size;
    const Real tolerance = std::pow(eps(), Real(0.75));  // 2e-12 in double: a fifth-order step goes far with it
    Real h = Real(0.05) / (stiffness * (1 + mu_));
    State k1 = derivative(y), k7, error;
    bool jammed = false;
    for (int n = 0; n < 20000; ++n) {
      const Real speed = y.template head<2>().norm();
      if (!(speed > tiny)) {
        at_rest_ = true;
        return LawStatus::no_convergence;
      }
      if (!jammed && W_(0, 0) * speed <= mu_ * W_.template block<1, 2>(0, 1).dot(y.template head<2>())) {
        jammed = true;
        ++events.jams;
      }
      const State next = step(y, k1, h, k7, error);
      // slip relative to itself, impulses and work relative to the whole impact
      const Real off =
          std::max({error.template head<2>().norm() / speed, error.template segment<3>(2).norm() * stiffness / size,
                    std::abs(error[5]) * stiffness / (size * size)});
      if (!std::isfinite(off)) return LawStatus::not_finite;
      if (off > tolerance) {
        h *= std::max(Real(0.2), Real(0.9) * std::pow(tolerance / off, Real(0.2)));
        continue;
      }
      if (phases.lacking(progress(next)) >= 0) {
        if (finish_phase(phases, y, k1, h)) return LawStatus::solved;
        k1 = derivative(y);
        continue;
      }
      y = next;
      k1 = k7;
      h *= std::min(Real(4), Real(0.9) * std::pow(tolerance / std::max(off, tolerance / 4096), Real(0.2)));
    }
    return LawStatus::no_convergence;
  }

  /// The phase ends inside this step: its length by bracketing. True if the impact is over.
  bool finish_phase(Phases<Real>& phases, State& y, const State& k1, Real h) {
    State k7, error, at = y;
    Real low = 0, high = h, f_low = phases.lacking(progress(y)),
         f_high = phases.lacking(progress(step(y, k1, h, k7, error)));
    int side = 0;
    for (int n = 0; n < 100 && high - low > 4 * eps() * h; ++n) {
      Real middle = n % 4 == 3 ? (low + high) / 2 : low + (high - low) * (f_low / (f_low - f_high));
      if (!(middle > low && middle < high)) middle = (low + high) / 2;
      at = step(y, k1, middle, k7, error);
      const Real f = phases.lacking(progress(at));
      if (f == 0) break;
      if (f < 0) {
        low = middle;
        f_low = f;
        if (side < 0) f_high /= 2;
        side = -1;
      } else {
        high = middle;
        f_high = f;
        if (side > 0) f_low /= 2;
        side = 1;
      }
    }
    y = at;
    const bool over = !phases.compressing();
    if (!over) phases.begin_restitution(progress(y));
    return over;
  }

  /// Without slip everything is linear in p_N: sticking, or slip along the direction that keeps itself.
  LawStatus go_straight(Phases<Real>& phases, State& y) {
    Tangent ratio = stick_ratio();  // dp_T/dp_N
    if (ratio.norm() > mu_) {
      ratio = -mu_ * persistent_direction();
      ++events.reversals;
    } else {
      ++events.sticks;
    }
    const Real stiffness = W_(0, 0) + W_(0, 1) * ratio[0] + W_(0, 2) * ratio[1];
    for (;;) {
      Progress<Real> at = progress(y);
      const Real length = phases.remaining(at, stiffness);
      if (!(length < std::numeric_limits<Real>::infinity())) return LawStatus::infeasible;
      y[2] += length;
      y.template segment<2>(3) += length * ratio;
      y[5] += length * (at.normal_rate + stiffness * length / 2);
      if (!phases.compressing()) return LawStatus::solved;
      at = progress(y);
      at.normal_rate = 0;
      phases.begin_restitution(at);
    }
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

  Matrix W_;
  Vector before_;
  Real mu_ = 0;
  bool at_rest_ = false;
};

}  // namespace ricochet::mechanics
