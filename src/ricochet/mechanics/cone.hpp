// The cones of Ballard 2001, section 4, as seen by a law: through the gaps that act, never through q.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "ricochet/complementarity/nonnegative.hpp"

namespace ricochet::mechanics {

template <class Real>
using VectorX = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
template <class Real>
using MatrixX = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

/// Where an impact happens, for impact laws F(q,v⁻) that depend on more than the rates of the gaps that act.
struct Place {
  double t = 0;
  std::vector<double> q, p_minus;
  std::vector<std::string> gaps;  ///< names of those that act
};

/// What an impact law may see of the gaps that act together (the set A): no q, no mass matrix, no time.
/// Maps, so that a caller's small fixed-capacity arrays pass without a copy and without the heap.
template <class Real>
struct Contacts {
  using Matrix = Eigen::Map<const MatrixX<Real>, 0, Eigen::OuterStride<>>;
  using Vector = Eigen::Map<const VectorX<Real>>;
  Matrix W;  ///< Delassus matrix W_ij = ∇φ_i M⁻¹ ∇φ_j: symmetric, positive semidefinite, perhaps singular
  Vector v;  ///< φ̇⁻ of each gap, ∂_tφ included
  Vector e;  ///< restitution of each gap, evaluated
  const Place* place = nullptr;  ///< given to laws of the user's

  int size() const { return static_cast<int>(v.size()); }
};

template <class Real, class DW, class DV, class DE>
Contacts<Real> contacts(const Eigen::PlainObjectBase<DW>& W, const Eigen::PlainObjectBase<DV>& v,
                        const Eigen::PlainObjectBase<DE>& e) {
  static_assert(!DW::IsRowMajor || DW::IsVectorAtCompileTime);
  return {{W.data(), W.rows(), W.cols(), Eigen::OuterStride<>(W.outerStride())},
          {v.data(), v.size()},
          {e.data(), e.size()}};
}

/// φ̇_i after the impulse λ: v_i + Σ_j W_ij λ_j.
template <class Real, class Lambda>
Real rate_after(const Contacts<Real>& A, const Lambda& lambda, int i) {
  Real rate = A.v[i];
  for (int j = 0; j < A.size(); ++j) rate += A.W(i, j) * lambda[j];
  return rate;
}

/// The size of the terms summed in rate_after: what rounding is relative to.
template <class Real, class Lambda>
Real rate_size(const Contacts<Real>& A, const Lambda& lambda, int i) {
  Real size = std::abs(A.v[i]);
  for (int j = 0; j < A.size(); ++j) size += std::abs(A.W(i, j) * lambda[j]);
  return size;
}

/// Change of the kinetic energy relative to the walls: ½λᵀ(φ̇⁺ + φ̇⁻). A moving wall may do work beyond it.
template <class Real, class Lambda>
Real energy_change(const Contacts<Real>& A, const Lambda& lambda) {
  Real sum = 0;
  for (int i = 0; i < A.size(); ++i) sum += lambda[i] * (rate_after(A, lambda, i) + A.v[i]);
  return sum / 2;
}

/// −V(q): no gap of A separates. Ballard's (4.6) and (4.7) are demanded for such v⁻ only.
template <class Real>
bool in_minus_tangent_cone(const Contacts<Real>& A) {
  for (int i = 0; i < A.size(); ++i)
    if (!(A.v[i] <= 0)) return false;
  return true;
}

}  // namespace ricochet::mechanics
