#pragma once

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <vector>

#include "ricochet/complementarity/friction_problem.hpp"

namespace ricochet::complementarity {

/// Newton's method on the equations of Alart and Curnier, for the last digits and for slow problems:
///   r_N = max(c, ζ_N), ζ_N = r_N − ρu_N;  r_T = projection of ζ_T = r_T − ρu_T on the disc of radius μ max(c, ζ_N),
/// c the least normal impulse, usually zero.
/// Redundant contacts make the Jacobian singular: the step of least norm is taken, damped on the residual.
template <class Real, int D>
class FrictionNewton {
 public:
  using Problem = FrictionProblem<Real, D>;
  using Vector = ContactVector<Real, D>;
  using Matrix = ContactMatrix<Real, D>;

  /// Replaces r by something better, if it finds it; true if the residual of the natural map fell.
  bool improve(const Problem& problem, std::vector<Vector>& r, Real tolerance) {
    const Real start = problem.residual(r);
    best_ = r;
    Real best = start;
    trial_ = r;
    Real merit = linearise(problem, trial_, true);
    for (int iteration = 0; iteration < 40 && best > tolerance; ++iteration) {
      solve();
      if (!step_.allFinite()) break;
      Real length = 1;
      from_ = trial_;
      Real next = merit;
      for (int halving = 0; halving < 12; ++halving, length /= 2) {
        for (int i = 0; i < problem.size(); ++i)
          trial_[at(i)] = from_[at(i)] + length * step_.template segment<D>(D * i) * unit_[at(i)];
        next = linearise(problem, trial_, false);
        if (next < (1 - length / 1000) * merit) break;
      }
      const bool fell = next < merit;
      merit = linearise(problem, trial_, true);
      clipped_ = trial_;
      for (int i = 0; i < problem.size(); ++i) {
        clipped_[at(i)][0] = std::max(clipped_[at(i)][0], problem.minimum(i));
        clip_to_friction_cone<Real, D>(clipped_[at(i)], problem.mu(i));
      }
      const Real residual = problem.residual(clipped_);
      if (residual < best) {
        best = residual;
        best_ = clipped_;
      }
      if (!fell) break;
    }
    r = best_;
    return best < start;
  }

 private:
  using Dense = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  void solve() {
    lu_.compute(J_);
    step_ = lu_.solve(F_);
    // LU answers singular systems with noise: check it, and fall back on the least-norm solution
    if (!step_.allFinite() || (J_ * step_ - F_).norm() > Real(1e-6) * F_.norm() || step_.norm() > Real(1e6)) {
      orthogonal_.compute(J_);
      step_ = orthogonal_.solve(F_);
    }
    step_ = -step_;
  }

  /// F and, if asked, its generalised Jacobian, in units in which every block of W has mean diagonal one.
  Real linearise(const Problem& problem, const std::vector<Vector>& r, bool jacobian) {
    const int n = problem.size();
    F_.resize(D * n);
    unit_.resize(at(n));
    for (int i = 0; i < n; ++i) unit_[at(i)] = 1 / std::sqrt(problem.scale(i));
    if (jacobian) J_.setZero(D * n, D * n);
    for (int i = 0; i < n; ++i) {
      const Real mu = problem.mu(i), rho = 1 / problem.scale(i);
      const Vector zeta = r[at(i)] - rho * problem.velocity(i, r);
      const Real least = problem.minimum(i), normal = std::max(zeta[0], least), bound = mu * normal;
      const auto zeta_t = zeta.template tail<D - 1>();
      const Real length = zeta_t.norm();
      Vector target;
      Matrix slope = Matrix::Zero();  // ∂target/∂ζ
      target[0] = normal;
      if (zeta[0] > least) slope(0, 0) = 1;
      if (length <= bound) {
        target.template tail<D - 1>() = zeta_t;
        slope.template bottomRightCorner<D - 1, D - 1>().setIdentity();
      } else {
        const Eigen::Matrix<Real, D - 1, 1> direction = zeta_t / length;
        target.template tail<D - 1>() = bound * direction;
        auto tangential = slope.template bottomRightCorner<D - 1, D - 1>();
        tangential.setIdentity();
        tangential -= direction * direction.transpose();
        tangential *= bound / length;
        if (zeta[0] > least) slope.template bottomLeftCorner<D - 1, 1>() = mu * direction;
      }
      F_.template segment<D>(D * i) = (r[at(i)] - target) / unit_[at(i)];
      if (!jacobian) continue;
      J_.template block<D, D>(D * i, D * i) = Matrix::Identity() - slope;
      problem.for_each_block(i, [&](int j, const Matrix& W) {
        J_.template block<D, D>(D * i, D * j) += slope * W * (rho * unit_[at(j)] / unit_[at(i)]);
      });
    }
    return F_.norm();
  }

  Dense J_;
  Eigen::Matrix<Real, Eigen::Dynamic, 1> F_, step_;
  std::vector<Real> unit_;
  std::vector<Vector> best_, trial_, from_, clipped_;
  Eigen::PartialPivLU<Dense> lu_;
  Eigen::CompleteOrthogonalDecomposition<Dense> orthogonal_;
};

}  // namespace ricochet::complementarity
