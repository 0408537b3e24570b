#pragma once

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
  FrictionResult<Real> solve(const Problem& problem, std::vector<Vector>& r,
                             const FrictionOptions<Real>& options = {}) {
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
    const bool small = D * problem.size() <= options.dense_unknowns;
    if (done(FrictionMethod::sweeps)) return result;
    int next_attempt = options.patience;
    while (result.sweeps < options.sweeps) {
      const bool swept = sweep(problem, r, result.sweeps % 2 == 1);
      ++result.sweeps;
      if (done(FrictionMethod::sweeps)) return result;
      if (!small || (swept && result.sweeps < next_attempt)) continue;
      // Newton's attempts become rarer, so that slow but steady sweeps are not starved
      next_attempt = 2 * result.sweeps + options.patience;
      if (newton_.improve(problem, r, options.tolerance) && done(FrictionMethod::newton)) return result;
      if constexpr (D == 2)
        if (exact_planar(problem, r) && done(FrictionMethod::lemke)) return result;
      if constexpr (D == 3)
        if (result.sweeps >= 8 * options.patience && continued(problem, r, options) &&
            done(FrictionMethod::continuation))
          return result;
      if (!swept && result.sweeps > 10 * options.patience) break;
    }
    // Rounding in W r can exceed a tolerance of a few ε; a residual that is small by any other measure is an answer.
    if (result.residual <= 1024 * options.tolerance) result.status = Status::solved;
    return result;
  }

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

  /// Planar friction is a linear complementarity problem in (r_N, r⁺, r⁻, γ) for each contact (Stewart & Trinkle):
  /// r_T = r⁺ − r⁻, 0 ≤ r± ⊥ γ ± u_T ≥ 0, 0 ≤ γ ⊥ μ r_N − r⁺ − r⁻ ≥ 0. Its matrix is copositive.
  static bool exact_planar(const Problem& problem, std::vector<Vector>& r) {
    const int n = problem.size(), k = 4 * n;
    Square<Real, any_size> M(k);
    Array<Real, any_size> q(k), z(k);
    for (int i = 0; i < n; ++i) {
      problem.for_each_block(i, [&](int j, const ContactMatrix<Real, D>& W) {
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b < 3; ++b)
            M(4 * i + a, 4 * j + b) = (a == 2 ? -1 : 1) * (b == 2 ? -1 : 1) * W(a > 0 ? 1 : 0, b > 0 ? 1 : 0);
      });
      M(4 * i + 1, 4 * i + 3) = M(4 * i + 2, 4 * i + 3) = 1;
      M(4 * i + 3, 4 * i) = problem.mu(i);
      M(4 * i + 3, 4 * i + 1) = M(4 * i + 3, 4 * i + 2) = -1;
      q[4 * i] = problem.b(i)[0];
      q[4 * i + 1] = problem.b(i)[1];
      q[4 * i + 2] = -problem.b(i)[1];
      q[4 * i + 3] = problem.mu(i) * problem.minimum(i);
      problem.for_each_block(i, [&](int j, const ContactMatrix<Real, D>& W) {  // the unknown is r_N − c
        q[4 * i] += W(0, 0) * problem.minimum(j);
        q[4 * i + 1] += W(1, 0) * problem.minimum(j);
        q[4 * i + 2] -= W(1, 0) * problem.minimum(j);
      });
    }
    if (solve_lcp(k, M, q, z) != Status::solved) return false;
    for (int i = 0; i < n; ++i) {
      Vector& ri = r[static_cast<std::size_t>(i)];
      ri << z[4 * i] + problem.minimum(i), z[4 * i + 1] - z[4 * i + 2];
      clip_to_friction_cone<Real, D>(ri, problem.mu(i));
    }
    return true;
  }

  FrictionNewton<Real, D> newton_;
  Problem partial_;
  std::vector<Vector> path_;
};

}  // namespace ricochet::complementarity
