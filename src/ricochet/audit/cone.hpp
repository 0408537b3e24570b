// Which part of a jump of the momentum do the gaps explain? (Leine 2009 (84): it lies in the cone of their normals.)
#pragma once

#include <optional>

#include "ricochet/audit/dynamics.hpp"

namespace ricochet::audit {

struct Explained {
  Vec lambda;       ///< ≥ 0, of the columns of `normals`
  Vec free;         ///< of either sign, of the columns of `lines`
  Vec rest;         ///< what no impulse explains
  double size = 0;  ///< of the rest, in the kinetic metric
};

/// The nearest point of the cone in the metric `inverse_mass` (M⁻¹).
Explained explain(const Vec& jump, const Mat& normals, const Mat& lines, const Mat& inverse_mass);

/// φ̈ of gaps that push where they must, 0 ≤ λ ⊥ φ̈ ≥ 0, given their φ̈ without any reaction; after them, in `without`
/// too, those of `lines`, which hold. Nothing where no such reactions exist.
std::optional<Vec> opening(const Vec& without, const Mat& normals, const Mat& lines, const Mat& inverse_mass);

/// M⁻¹ = (∂²L/∂v²)⁻¹ at (q,v).
Mat inverse_mass(const Dynamics& dynamics, const Vec& q, const Vec& v, double t);

}  // namespace ricochet::audit
