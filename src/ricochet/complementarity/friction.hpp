#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "ricochet/complementarity/friction_local.hpp"
#include "ricochet/complementarity/friction_newton.hpp"
#include "ricochet/complementarity/friction_problem.hpp"
#include "ricochet/complementarity/lemke.hpp"
#include "ricochet/complementarity/storage.hpp"

namespace ricochet::complementarity {

template <class Real>
struct FrictionOptions {
  Real tolerance = 64 * std::numeric_limits<Real>::epsilon();  ///< of the relative natural map residual
  int sweeps = 5000;                                           ///< bound on all Gauss–Seidel sweeps together
  int patience = 25;                                           ///< sweeps between two attempts of Newton's method
  int dense_unknowns = 240;                                    ///< above this, no dense linear algebra: sweeps only
};

enum class FrictionMethod { sweeps, newton, lemke, continuation };

template <class Real>
struct FrictionResult {
  Status status = Status::no_convergence;
  Real residual = 0;  ///< natural map, relative
  int sweeps = 0;
  FrictionMethod method = FrictionMethod::sweeps;  ///< what brought the answer; the fallbacks are counted by the caller
};

/// Coulomb friction on any number of contacts: nonsmooth Gauss–Seidel with an exact one-contact solver. Where it is
/// slow (many contacts on one body, redundant ones) a Newton method on Alart and Curnier's equations takes over from
/// its iterate, and planar problems end with Lemke's algorithm, which is exact. The residual of the natural map
/// decides.
template <class Real, int D>
class FrictionSolver {
 public:
  using Problem = FrictionProblem<Real, D>;
  using Vector = ContactVector<Real, D>;

  /// r holds the start on entry (zeros are a good one) and the impulses on exit, inside their cones exactly.
  FrictionResult<Real> solve(const Problem& problem, std::vector<Vector>& r, const FrictionOptions<Real>& options = {});

 private:
  /// One Gauss–Seidel sweep, forwards or backwards. False if some contact had no local solution.
  static bool sweep(const Problem& problem, std::vector<Vector>& r, bool backwards) {
    bool all = true;
    for (int n = 0; n < problem.size(); ++n) {
      const int i = backwards ? problem.size() - 1 - n : n;
      Vector& ri = r[static_cast<std::size_t>(i)];
      Vector next;
      const Vector free = problem.free_velocity(i, r);
      const Real mu = problem.mu(i), least = problem.minimum(i);
      if (least > 0 ? solve_one_contact_above<Real, D>(problem.diagonal(i), free, mu, least, next)
                    : solve_one_contact<Real, D>(problem.diagonal(i), free, mu, next))
        ri = next;
      else
        all = false;
    }
    return all;
  }

  /// From the frictionless problem, which has a solution, to the given one: μ grows, each answer starts the next.
  bool continued(const Problem& problem, std::vector<Vector>& r, const FrictionOptions<Real>& options) {
    partial_ = problem;
    path_.assign(r.size(), Vector::Zero());
    const int steps = 16;
    for (int n = 0; n <= steps; ++n) {
      for (int i = 0; i < problem.size(); ++i) partial_.set_mu(i, problem.mu(i) * Real(n) / Real(steps));
      for (int m = 0; m < options.patience; ++m) sweep(partial_, path_, m % 2 == 1);
      newton_.improve(partial_, path_, options.tolerance);
    }
    if (!(problem.residual(path_) < problem.residual(r))) return false;
    r = path_;
    return true;
  }

  /// Do the sweeps run away along a direction d with Wd = 0 and bᵀd < 0 that lies in the cones? Two increments of equal
  /// length tell it from slow convergence; the cones tell it from redundant contacts, whose stress drifts among the
  /// solutions for long: there impulses grow and others fall, and the normal ones cannot all grow.
  bool diverges(const Problem& problem, const std::vector<Vector>& r, int count) {
    path_ = r;
    Real length[2] = {0, 0}, power = 0, most = 0, change = 0, outside = 0;
    for (int half = 0; half < 2; ++half) {
      start_ = path_;
      for (int m = 0; m < 4 * count; ++m) sweep(problem, path_, m % 2 == 1);
      for (int i = 0; i < problem.size(); ++i)
        length[half] += (path_[at(i)] - start_[at(i)]).squaredNorm() * problem.scale(i);
    }
    for (int i = 0; i < problem.size(); ++i) {
      const Vector d = path_[at(i)] - start_[at(i)];
      power += problem.b(i).dot(d);
      most += problem.b(i).norm() * d.norm();
      const Real out = (d - project_on_friction_cone<Real, D>(d, problem.mu(i))).norm();
      outside += out * out * problem.scale(i);
      change += (problem.velocity(i, path_) - problem.velocity(i, start_)).squaredNorm() / problem.scale(i);
    }
    return length[1] > Real(0.9) * length[0] && change <= Real(1e-6) * length[1] && outside <= Real(1e-6) * length[1] &&
           power < -Real(1e-6) * most;
  }

  static constexpr int sides = D == 2 ? 2 : 8;

  /// With polygons for discs, friction is a linear complementarity problem in (r_N, β, γ) for each contact (Stewart &
  /// Trinkle): r_T = Σ β_k d_k, 0 ≤ β_k ⊥ γ + d_k·u_T ≥ 0, 0 ≤ γ ⊥ μ r_N − Σ β_k ≥ 0. Its matrix is copositive, so
  /// Lemke's algorithm finds a solution. In the plane it is the exact one; in space it starts the other methods. One
  /// corner of each polygon points along the friction of the iterate r, and others lie beside it at the angle `spread`.
  static bool polygonal(const Problem& problem, std::vector<Vector>& r, Real spread = 0) {
    using Tangent = Eigen::Matrix<Real, D - 1, 1>;
    const int n = problem.size(), block = sides + 2, k = block * n;
    std::vector<std::array<Tangent, sides>> d(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
      const Real angle = friction_angle(problem, i, r);
      for (int a = 0; a < sides; ++a) d[at(i)][at(a)] = corner(angle, a, spread);
    }
    Square<Real, any_size> M(k);
    Array<Real, any_size> q(k), z(k);
    for (int i = 0; i < n; ++i) {
      const int row = block * i, gamma = row + sides + 1;
      q[row] = problem.b(i)[0];
      for (int a = 0; a < sides; ++a) {
        q[row + 1 + a] = d[at(i)][at(a)].dot(problem.b(i).template tail<D - 1>());
        M(row + 1 + a, gamma) = 1;
        M(gamma, row + 1 + a) = -1;
      }
      M(gamma, row) = problem.mu(i);
      q[gamma] = problem.mu(i) * problem.minimum(i);
      problem.for_each_block(i, [&](int j, const ContactMatrix<Real, D>& W) {
        const int column = block * j;
        const Tangent w = W.template bottomLeftCorner<D - 1, 1>(), wt = W.template block<1, D - 1>(0, 1).transpose();
        const auto A = W.template bottomRightCorner<D - 1, D - 1>();
        M(row, column) = W(0, 0);
        q[row] += W(0, 0) * problem.minimum(j);  // the unknown is r_N − c
        for (int a = 0; a < sides; ++a) {
          M(row, column + 1 + a) = wt.dot(d[at(j)][at(a)]);
          M(row + 1 + a, column) = w.dot(d[at(i)][at(a)]);
          q[row + 1 + a] += w.dot(d[at(i)][at(a)]) * problem.minimum(j);
          const Tangent Ad = A.transpose() * d[at(i)][at(a)];
          for (int c = 0; c < sides; ++c) M(row + 1 + a, column + 1 + c) = Ad.dot(d[at(j)][at(c)]);
        }
      });
    }
    if (solve_lcp(k, M, q, z) != Status::solved) return false;
    for (int i = 0; i < n; ++i) {
      Vector& ri = r[at(i)];
      ri.setZero();
      ri[0] = z[block * i] + problem.minimum(i);
      for (int a = 0; a < sides; ++a) ri.template tail<D - 1>() += z[block * i + 1 + a] * d[at(i)][at(a)];
      clip_to_friction_cone<Real, D>(ri, problem.mu(i));
    }
    return true;
  }

  /// Against the slip, or, where there is none, along r_T.
  static Real friction_angle(const Problem& problem, int i, const std::vector<Vector>& r) {
    if constexpr (D == 2) return 0;
    const Vector u = problem.velocity(i, r);
    const Vector& ri = r[at(i)];
    const Real slip = std::hypot(u[1], u[D - 1]),
               rounding = problem.diagonal(i).norm() * ri.norm() + problem.b(i).norm();
    return slip > Real(1e-12) * rounding ? std::atan2(-u[D - 1], -u[1]) : std::atan2(ri[D - 1], ri[1]);
  }
  /// Five corners at multiples of the spread about the angle, three that close the polygon behind them.
  static Eigen::Matrix<Real, D - 1, 1> corner(Real angle, int a, Real spread) {
    if constexpr (D == 2) return Eigen::Matrix<Real, 1, 1>(a == 0 ? Real(1) : Real(-1));
    const Real pi = std::acos(Real(-1));
    angle += a < 5 ? Real(a - 2) * spread : 2 * spread + Real(a - 4) * (2 * pi - 4 * spread) / 4;
    Eigen::Matrix<Real, D - 1, 1> d;
    d[0] = std::cos(angle);
    d[D - 2] = std::sin(angle);
    return d;
  }

  /// Newton, and sweeps and Newton, from polygonal starts. A slow slip turns by any angle for a small change of the
  /// impulses, above all where W is singular, and Newton's method then needs its direction better than eight corners
  /// tell it: the corners are drawn together about the direction found, as long as it stays among them.
  bool from_polygons(const Problem& problem, std::vector<Vector>& r, const FrictionOptions<Real>& options) {
    const Real pi = std::acos(Real(-1)), widest = pi / 4;
    path_ = r;
    Real spread = widest;
    for (int turn = 0; turn < 60 && spread > Real(1e-9); ++turn) {
      angles_.resize(r.size());
      for (int i = 0; i < problem.size(); ++i) angles_[at(i)] = friction_angle(problem, i, path_);
      if (!polygonal(problem, path_, spread)) return false;
      Real turned = 0;
      for (int i = 0; i < problem.size(); ++i)
        turned = std::max(turned, std::abs(std::remainder(friction_angle(problem, i, path_) - angles_[at(i)], 2 * pi)));
      start_ = path_;
      newton_.improve(problem, path_, options.tolerance);
      if (turn < 4 && problem.residual(path_) > options.tolerance) {
        for (int m = 0; m < options.patience; ++m) sweep(problem, path_, m % 2 == 1);
        newton_.improve(problem, path_, options.tolerance);
      }
      if (problem.residual(path_) < problem.residual(r)) r = path_;
      if (problem.residual(r) <= options.tolerance) return true;
      path_ = start_;
      if (turned <= spread) spread /= 2;
      if (turned > 2 * spread) spread = std::min(widest, 2 * spread);
    }
    return false;
  }

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  FrictionNewton<Real, D> newton_;
  Problem partial_;
  std::vector<Vector> path_, start_;
  std::vector<Real> angles_;
};

// Not in the class, where it would be inline and compiled everywhere all the same.
template <class Real, int D>
FrictionResult<Real> FrictionSolver<Real, D>::solve(const Problem& problem, std::vector<Vector>& r,
                                                    const FrictionOptions<Real>& options) {
  r.resize(static_cast<std::size_t>(problem.size()), Vector::Zero());
  FrictionResult<Real> result;
  if (!problem.finite()) {
    result.status = Status::not_finite;
    return result;
  }
  const auto done = [&](FrictionMethod method) {
    result.residual = problem.residual(r);
    result.method = method;
    if (!(result.residual <= options.tolerance)) return false;
    result.status = Status::solved;
    return true;
  };
  const Real small_enough = 1024 * options.tolerance;
  const bool small = D * problem.size() <= options.dense_unknowns;
  if (done(FrictionMethod::sweeps)) return result;
  int next_attempt = options.patience;
  Real before = std::numeric_limits<Real>::infinity();  // residual at the attempt before
  while (result.sweeps < options.sweeps) {
    const bool swept = sweep(problem, r, result.sweeps % 2 == 1);
    ++result.sweeps;
    if (done(FrictionMethod::sweeps)) return result;
    if (!small || (swept && result.sweeps < next_attempt)) continue;
    // Newton's attempts become rarer, so that slow but steady sweeps are not starved
    next_attempt = 2 * result.sweeps + options.patience;
    if (newton_.improve(problem, r, options.tolerance) && done(FrictionMethod::newton)) return result;
    if constexpr (D == 2)
      if (polygonal(problem, r) && done(FrictionMethod::lemke)) return result;
    if constexpr (D == 3)
      if (result.sweeps >= 8 * options.patience) {
        if (from_polygons(problem, r, options) && done(FrictionMethod::lemke)) return result;
        if (continued(problem, r, options) && done(FrictionMethod::continuation)) return result;
      }
    // Rounding in W r can exceed a tolerance of a few ε: where nothing moves the residual any more, that is all it is.
    if (result.residual > before / 2 && result.residual <= small_enough) break;
    before = result.residual;
    if (result.sweeps >= 8 * options.patience && diverges(problem, r, options.patience)) {
      result.status = Status::wedged;
      return result;
    }
    if (!swept && result.sweeps > 10 * options.patience) break;
  }
  // A residual that is small by any other measure is an answer.
  if (result.residual <= small_enough) result.status = Status::solved;
  return result;
}

#ifdef RICOCHET_COMPILED_SOLVERS  // set by linking ricochet::complementarity, which has them (instances.cpp)
extern template class FrictionSolver<double, 2>;
extern template class FrictionSolver<double, 3>;
#endif
#ifdef RICOCHET_COMPILED_LONG_DOUBLE  // set by linking ricochet::long_double
extern template class FrictionSolver<long double, 2>;
extern template class FrictionSolver<long double, 3>;
#endif

}  // namespace ricochet::complementarity
