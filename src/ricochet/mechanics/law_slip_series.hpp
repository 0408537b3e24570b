// The slip of a spatial contact over a piece of an impact, as a Taylor series.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ricochet::mechanics {

/// du_T/dτ = |u_T| w − μ S u_T, dp_N = |u_T| dτ, dp_T = −μ u_T dτ, dA = u_N dp_N (law_slip.hpp). The equations are
/// polynomials in u_T, |u_T| and what they drive, so the coefficients follow one from the other; |u_T| from its square.
/// The variable x is τ in units of 1/(μ tr S + |w|).
template <class Real>
class SlipSeries {
 public:
  using Matrix = Eigen::Matrix<Real, 3, 3>;
  using State = Eigen::Matrix<Real, 6, 1>;  ///< u_T, p_N, p_T, normal work A

  void expand(const Matrix& W, Real mu, const State& y, Real normal_rate) {
    const Real w1 = W(1, 0), w2 = W(2, 0), unit = mu * (W(1, 1) + W(2, 2)) + std::hypot(w1, w2);
    for (int i = 0; i < 6; ++i) y_[at(i)][0] = y[i];
    auto& [u1, u2, pn, p1, p2, work] = y_;
    speed_[0] = std::hypot(u1[0], u2[0]);
    rate_[0] = normal_rate;
    for (std::size_t k = 0; k < order; ++k) {
      const Real next = Real(k + 1), step = unit > 0 ? 1 / (unit * next) : 1 / next;
      u1[k + 1] = step * (speed_[k] * w1 - mu * (W(1, 1) * u1[k] + W(1, 2) * u2[k]));
      u2[k + 1] = step * (speed_[k] * w2 - mu * (W(2, 1) * u1[k] + W(2, 2) * u2[k]));
      pn[k + 1] = step * speed_[k];
      p1[k + 1] = -step * mu * u1[k];
      p2[k + 1] = -step * mu * u2[k];
      rate_[k + 1] = W(0, 0) * pn[k + 1] + W(0, 1) * p1[k + 1] + W(0, 2) * p2[k + 1];
      Real power = 0, square = 0;
      for (std::size_t i = 0; i <= k; ++i) power += rate_[i] * speed_[k - i];
      work[k + 1] = step * power;
      for (std::size_t i = 0; i <= k + 1; ++i) square += u1[i] * u1[k + 1 - i] + u2[i] * u2[k + 1 - i];
      for (std::size_t i = 1; i <= k; ++i) square -= speed_[i] * speed_[k + 1 - i];
      speed_[k + 1] = square / (2 * speed_[0]);
    }
  }

  /// The length over which what is left out of the slip is rounding, relative to the slip itself; of everything else
  /// it then is too.
  Real length() const {
    const Real eps = std::numeric_limits<Real>::epsilon();
    Real length = std::numeric_limits<Real>::infinity();
    for (const std::size_t k : {order - 1, order})
      if (const Real last = std::max({std::abs(y_[0][k]), std::abs(y_[1][k]), std::abs(speed_[k])}); last > 0)
        length = std::min(length, std::pow(eps * speed_[0] / last, 1 / Real(k)));
    // without friction and coupling nothing changes but p_N
    return length < std::numeric_limits<Real>::infinity() ? length : Real(1);
  }

  State state(Real x) const {
    State y;
    for (int i = 0; i < 6; ++i) y[i] = sum(y_[at(i)], x);
    return y;
  }
  Real normal_impulse(Real x) const { return sum(y_[2], x); }
  Real normal_work(Real x) const { return sum(y_[5], x); }
  Real normal_rate(Real x) const { return sum(rate_, x); }
  /// du_N/dp_N
  Real stiffness(const Matrix& W, Real mu, Real x) const {
    return W(0, 0) - mu * (W(0, 1) * sum(y_[0], x) + W(0, 2) * sum(y_[1], x)) / sum(speed_, x);
  }

 private:
  // Half as many terms as −ln ε is about the cheapest: steps as long as the slip takes to fall by a factor of three.
  static constexpr std::size_t order = std::numeric_limits<Real>::digits10 + 5;
  using Coefficients = std::array<Real, order + 1>;

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static Real sum(const Coefficients& a, Real x) {
    Real s = a[order];
    for (std::size_t k = order; k-- > 0;) s = s * x + a[k];
    return s;
  }

  std::array<Coefficients, 6> y_;
  Coefficients speed_, rate_;
};

}  // namespace ricochet::mechanics
