#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "ricochet/complementarity/null_projector.hpp"
#include "ricochet/complementarity/storage.hpp"

namespace ricochet::complementarity {

/// 0 ≤ λ ⊥ Wλ + v ≥ 0 for symmetric positive semidefinite W: the projection of a velocity on the cone of admissible
/// velocities in the kinetic metric (Ballard 2001, section 4; errata B1), written on the Delassus matrix.
///
/// The velocity w = Wλ + v is unique. When W is singular λ is not, and the one with the least Σ W_ii λ_i² is returned:
/// it does not depend on the order of the gaps nor on their scaling (φ → cφ), and equal contacts get equal shares.
///
/// Method: active set after Lawson & Hanson on the Gram matrix scaled to unit diagonal, with a growing Cholesky factor.
/// A gap whose row depends on the active ones is exchanged along the null direction instead of being added; when no
/// active gap blocks that direction the constraints contradict each other (possible only with moving gaps).
template <class Real, int Max>
class NonnegativeSolver {
 public:
  /// W(i, j), v[i] and λ[i] are anything that can be indexed.
  template <class Matrix, class Vector, class Unknown>
  Status solve(int k, const Matrix& W, const Vector& v, Unknown& lambda) {
    for (int i = 0; i < k; ++i) lambda[i] = 0;
    if (!prepare(k, W, v)) return Status::not_finite;
    if (const Status status = basic_solution(); status != Status::solved) return status;
    spread_evenly();
    for (int i = 0; i < k; ++i) lambda[i] = x_[i] * scale_[i];
    return Status::solved;
  }

 private:
  static constexpr Real eps() { return std::numeric_limits<Real>::epsilon(); }
  /// Below this a pivot of the unit-diagonal Cholesky factor is rounding: the row depends on the active ones.
  Real pivot_tolerance() const { return 64 * Real(k_) * eps(); }

  /// Scales to unit diagonal: x = λ √W_ii. A zero row (a gap without gradient) stays zero.
  template <class Matrix, class Vector>
  bool prepare(int k, const Matrix& W, const Vector& v) {
    k_ = k;
    W_.assign(k);
    v_.assign(k);
    scale_.assign(k);
    for (int i = 0; i < k; ++i) {
      if (!std::isfinite(v[i]) || !(W(i, i) >= 0)) return false;
      scale_[i] = W(i, i) > 0 ? 1 / std::sqrt(W(i, i)) : Real(1);
      v_[i] = v[i] * scale_[i];
    }
    for (int i = 0; i < k; ++i)
      for (int j = 0; j < k; ++j) {
        if (!std::isfinite(W(i, j))) return false;
        W_(i, j) = W(i, j) * scale_[i] * scale_[j];
      }
    return true;
  }

  Status basic_solution();

  Real largest(const Array<Real, Max>& a) const {
    Real value = 0;
    for (int i = 0; i < k_; ++i) value = std::max(value, a[i]);
    return value;
  }

  int most_approaching(Real tolerance) const {
    int best = -1;
    for (int j = 0; j < k_; ++j)
      if (!in_[j] && !blocked_[j] && w_[j] < -tolerance * size_[j] && (best < 0 || w_[j] < w_[best])) best = j;
    return best;
  }

  /// y = L⁻¹ W_Pj for the active set P; returns the pivot W_jj − |y|².
  Real row_of(int j) {
    Real pivot = W_(j, j);
    for (int a = 0; a < n_; ++a) {
      Real sum = W_(active_[a], j);
      for (int b = 0; b < a; ++b) sum -= L_(a, b) * y_[b];
      y_[a] = sum / L_(a, a);
      pivot -= y_[a] * y_[a];
    }
    return pivot;
  }

  void append(int j, Real pivot) {
    for (int a = 0; a < n_; ++a) L_(n_, a) = y_[a];
    L_(n_, n_) = std::sqrt(pivot);
    active_[n_++] = j;
    in_[j] = 1;
  }

  void remove(int position) {
    const int before = n_;
    in_[active_[position]] = 0;
    x_[active_[position]] = 0;
    n_ = position;
    for (int a = position + 1; a < before; ++a) {
      const int j = active_[a];
      append(j, std::max(row_of(j), eps() * eps()));
    }
  }

  /// z = −W_PP⁻¹ v_P.
  void unconstrained() {
    for (int a = 0; a < n_; ++a) {
      Real sum = -v_[active_[a]];
      for (int b = 0; b < a; ++b) sum -= L_(a, b) * z_[b];
      z_[a] = sum / L_(a, a);
    }
    back_substitute(z_);
  }

  void back_substitute(Array<Real, Max>& u) const {
    for (int a = n_ - 1; a >= 0; --a) {
      for (int b = a + 1; b < n_; ++b) u[a] -= L_(b, a) * u[b];
      u[a] /= L_(a, a);
    }
  }

  void enter(int j, Real pivot) {
    append(j, pivot);
    unconstrained();
    if (z_[n_ - 1] <= 0) {  // w_j was negative by rounding only
      remove(n_ - 1);
      blocked_[j] = 1;
      return;
    }
    settle();
  }

  /// Walks from x towards the unconstrained minimiser of the active set, dropping gaps whose impulse reaches zero.
  void settle() {
    for (;;) {
      unconstrained();
      Real step = 1;
      int leaving = -1;
      for (int a = 0; a < n_; ++a) {
        if (z_[a] > 0) continue;
        const Real at = x_[active_[a]], ratio = at > 0 ? at / (at - z_[a]) : Real(0);
        if (leaving < 0 || ratio < step) {
          step = ratio;
          leaving = a;
        }
      }
      if (leaving < 0) break;
      for (int a = 0; a < n_; ++a) x_[active_[a]] += step * (z_[a] - x_[active_[a]]);
      remove(leaving);
    }
    for (int a = 0; a < n_; ++a) x_[active_[a]] = z_[a];
    blocked_.assign(k_);
    update_velocity();
  }

  /// Row j depends on the active ones: W_PP c = W_Pj, so (−c, 1) is a null direction along which w does not change.
  bool exchange(int j) {
    back_substitute(y_);
    int leaving = -1;
    Real step = 0;
    for (int a = 0; a < n_; ++a) {
      if (y_[a] <= std::sqrt(eps())) continue;
      const Real ratio = x_[active_[a]] / y_[a];
      if (leaving < 0 || ratio < step) {
        step = ratio;
        leaving = a;
      }
    }
    if (leaving < 0) return false;
    for (int a = 0; a < n_; ++a) x_[active_[a]] = std::max(x_[active_[a]] - step * y_[a], Real(0));
    remove(leaving);
    const Real pivot = row_of(j);
    const bool independent = pivot > pivot_tolerance();
    if (independent) {
      x_[j] = step;
      append(j, pivot);
    }
    settle();
    if (!independent) blocked_[j] = 1;
    return true;
  }

  void update_velocity() {
    for (int i = 0; i < k_; ++i) {
      w_[i] = v_[i];
      size_[i] = std::abs(v_[i]);
      for (int a = 0; a < n_; ++a) {
        const Real term = W_(i, active_[a]) * x_[active_[a]];
        w_[i] += term;
        size_[i] += std::abs(term);
      }
    }
  }

  /// Among all x ≥ 0 with the same Wx, supported where w = 0, the shortest one. With Q the projector on the null space
  /// of W there, x = b + Qμ, b = x⁰ − Qx⁰, and 0 ≤ μ ⊥ b + Qμ ≥ 0: the same problem once more, Q instead of W.
  void spread_evenly();

  int k_ = 0, n_ = 0;                  // gaps, active gaps
  Square<Real, Max> W_, L_;            // scaled Delassus matrix; Cholesky factor of its active part
  Array<Real, Max> v_, x_, w_, size_;  // scaled rates, impulses, Wx + v, and the size of the terms summed in w
  Array<Real, Max> scale_, y_, z_;
  Array<int, Max> active_, in_, blocked_;
};

template <class Real, int Max>
Status NonnegativeSolver<Real, Max>::basic_solution() {
  L_.assign(k_);
  for (auto* array : {&x_, &w_, &size_, &y_, &z_}) array->assign(k_);
  for (auto* array : {&active_, &in_, &blocked_}) array->assign(k_);
  n_ = 0;
  update_velocity();
  const Real magnitude = largest(size_);
  Real tolerance = 16 * Real(k_) * eps();
  const int patience = 8 * k_ + 20;
  for (int iteration = 0;; ++iteration) {
    // Noise in inconsistent data could exchange gaps for ever: past a generous count the tolerance doubles.
    if (iteration > patience) tolerance *= 2;
    if (tolerance > std::sqrt(eps())) return Status::no_convergence;
    const int j = most_approaching(tolerance);
    if (j < 0) return Status::solved;
    const Real pivot = row_of(j);
    if (pivot > pivot_tolerance()) {
      enter(j, pivot);
    } else if (!exchange(j)) {
      if (w_[j] < -std::sqrt(eps()) * magnitude) return Status::infeasible;
      blocked_[j] = 1;
    }
  }
}

template <class Real, int Max>
void NonnegativeSolver<Real, Max>::spread_evenly() {
  Array<int, Max> Z(k_);
  int m = 0;
  for (int i = 0; i < k_; ++i)
    if (in_[i] || (W_(i, i) > 0 && w_[i] <= 64 * Real(k_) * eps() * size_[i])) Z[m++] = i;
  if (m == n_) return;
  Square<Real, Max> Q(m);
  for (int a = 0; a < m; ++a)
    for (int b = 0; b < m; ++b) Q(a, b) = W_(Z[a], Z[b]);
  if (!null_projector<Real, Max>(m, Q, pivot_tolerance())) return;
  Array<Real, Max> x(m), mu(m);
  bool negative = false;
  for (int a = 0; a < m; ++a) {
    x[a] = x_[Z[a]];
    for (int b = 0; b < m; ++b) x[a] -= Q(a, b) * x_[Z[b]];
    negative = negative || x[a] < 0;
  }
  if (negative) {
    NonnegativeSolver inner;
    if (!inner.prepare(m, Q, x) || inner.basic_solution() != Status::solved) return;
    for (int a = 0; a < m; ++a) mu[a] = inner.x_[a] * inner.scale_[a];
  }
  for (int a = 0; a < m; ++a) {
    for (int b = 0; b < m; ++b) x[a] += Q(a, b) * mu[b];
    x_[Z[a]] = std::max(x[a], Real(0));
  }
}

#ifdef RICOCHET_COMPILED_SOLVERS  // set by linking ricochet::complementarity, which has them (instances.cpp)
extern template class NonnegativeSolver<double, small_size>;
extern template class NonnegativeSolver<double, any_size>;
#endif
#ifdef RICOCHET_COMPILED_LONG_DOUBLE  // set by linking ricochet::long_double
extern template class NonnegativeSolver<long double, small_size>;
extern template class NonnegativeSolver<long double, any_size>;
#endif

/// λ with 0 ≤ λ ⊥ Wλ + v ≥ 0; see NonnegativeSolver. W, v, λ: Eigen objects or anything else indexed by (i, j), [i].
/// One gap is a branch; up to `small_size` gaps use no heap.
template <class Matrix, class Vector, class Unknown>
[[nodiscard]] Status project_on_cone(int k, const Matrix& W, const Vector& v, Unknown& lambda) {
  using Real = std::remove_cvref_t<decltype(lambda[0])>;
  if (k == 1) {
    const Real rate = v[0], inverse_mass = W(0, 0);
    lambda[0] = 0;
    if (!std::isfinite(rate) || !std::isfinite(inverse_mass) || inverse_mass < 0) return Status::not_finite;
    if (rate >= 0) return Status::solved;
    if (!(inverse_mass > 0)) return Status::infeasible;
    lambda[0] = -rate / inverse_mass;
    return Status::solved;
  }
  return with_storage(k, [&](auto max) {
    NonnegativeSolver<Real, max()> solver;
    return solver.solve(k, W, v, lambda);
  });
}

template <class Matrix, class Vector, class Unknown>
[[nodiscard]] Status project_on_cone(const Matrix& W, const Vector& v, Unknown& lambda) {
  return project_on_cone(static_cast<int>(v.size()), W, v, lambda);
}

}  // namespace ricochet::complementarity
