// Beams and obstacles as a user describes them: geometry, material, initial configuration and velocity.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ricochet/error.hpp"
#include "ricochet/lie/se3.hpp"

namespace ricochet::bodies {

/// Area and second moments of a cross-section about its principal axes E₁, E₂.
template <class Real>
struct BeamSection {
  Real area = 0, I1 = 0, I2 = 0;

  static BeamSection rectangle(Real a, Real b) { return {a * b, a * b * b * b / 12, b * a * a * a / 12}; }
  static BeamSection square(Real a) { return rectangle(a, a); }
  static BeamSection circle(Real radius) {
    const Real pi = std::acos(Real(-1)), r2 = radius * radius;
    return {pi * r2, pi * r2 * r2 / 4, pi * r2 * r2 / 4};
  }
};

template <class Real>
using Pose = lie::SE3<Real>;

/// Velocity of a cross-section: the spin ω in its own frame, the velocity of its centre in space.
template <class Real>
struct BeamVelocity {
  lie::Vec3<Real> spin = lie::Vec3<Real>::Zero();
  lie::Vec3<Real> linear = lie::Vec3<Real>::Zero();
};

/// One beam, straight along Λ E₃ where it is unstrained, with free ends.
template <class Real>
struct BeamSpec {
  std::string name;
  Real length = 1;
  int elements = 10;
  Real density = 1;
  BeamSection<Real> section;
  Real young = 1, poisson = 0;
  lie::Vec3<Real> gravity = lie::Vec3<Real>::Zero();  ///< acceleration, e.g. (0, 0, −10)
  std::vector<Pose<Real>> nodes;                      ///< elements + 1 of them; see `poses_of_strain`
  std::vector<BeamVelocity<Real>> velocities;         ///< as many, or none for a start at rest

  Real spacing() const { return length / static_cast<Real>(elements); }
};

/// φ = n·(x − point) ≥ 0 for every node.
template <class Real>
struct PlaneSpec {
  std::string name;
  lie::Vec3<Real> point = lie::Vec3<Real>::Zero(), normal = lie::Vec3<Real>::UnitZ();
};
/// φ = |x − centre| − radius ≥ 0: nodes stay outside.
template <class Real>
struct SphereSpec {
  std::string name;
  lie::Vec3<Real> centre = lie::Vec3<Real>::Zero();
  Real radius = 1;
};

template <class Real>
struct BeamsSpec {
  std::vector<BeamSpec<Real>> beams;
  std::vector<PlaneSpec<Real>> planes;
  std::vector<SphereSpec<Real>> spheres;
};

// ---- initial data
// ------------------------------------------------------------------------------------------------------

/// g_{a+1} = g_a τ(Δs η) from g_0: a beam of constant strain η = (Ω, Γ) (Demoures 2016 (5.12)). The unstrained beam has
/// η = (0,0,0,0,0,1).
template <class Real>
std::vector<Pose<Real>> poses_of_strain(const Pose<Real>& first, const lie::Vec6<Real>& strain, Real length,
                                        int elements) {
  std::vector<Pose<Real>> poses{first};
  const Pose<Real> next = lie::se3::cayley<Real>(strain * (length / static_cast<Real>(elements)));
  for (int a = 0; a < elements; ++a) poses.push_back(poses.back() * next);
  return poses;
}
/// ξ = τ⁻¹(g⁻¹g')/time at every node: Demoures 2016 (5.14)–(5.16).
template <class Real>
std::vector<BeamVelocity<Real>> velocities_between(const std::vector<Pose<Real>>& from,
                                                   const std::vector<Pose<Real>>& to, Real time) {
  if (from.size() != to.size())
    throw Error(ErrorKind::invalid_model,
                "the two configurations that give a velocity have different numbers of nodes");
  std::vector<BeamVelocity<Real>> velocities;
  for (std::size_t a = 0; a < from.size(); ++a) {
    const lie::Vec6<Real> xi = lie::se3::cayley_inverse(from[a].inverse() * to[a]) / time;
    velocities.push_back({xi.template head<3>(), from[a].R * xi.template tail<3>()});
  }
  return velocities;
}
/// The velocity field of a rigid motion: v = linear + spin × (x − centre), with the spin in space.
template <class Real>
std::vector<BeamVelocity<Real>> rigid_velocities(const std::vector<Pose<Real>>& poses, const lie::Vec3<Real>& linear,
                                                 const lie::Vec3<Real>& spin, const lie::Vec3<Real>& centre) {
  std::vector<BeamVelocity<Real>> velocities;
  for (const auto& g : poses)
    velocities.push_back({g.R.transpose() * spin, linear + spin.cross(lie::Vec3<Real>(g.r - centre))});
  return velocities;
}

// ---- checks
// ------------------------------------------------------------------------------------------------------------

/// Refuses what cannot be a beam, with the sentence of what would be right; fills in what was left out.
template <class Real>
void check_beams(BeamsSpec<Real>& spec) {
  auto invalid = [](const std::string& what) { throw Error(ErrorKind::invalid_model, what); };
  auto text = [](Real x) { return std::to_string(static_cast<double>(x)); };
  auto number = [](const char* kind, std::size_t i) { return std::string(kind).append(" ").append(std::to_string(i)); };
  if (spec.beams.empty()) invalid("there are no beams");
  for (std::size_t i = 0; i < spec.beams.size(); ++i) {
    auto& b = spec.beams[i];
    if (b.name.empty()) b.name = number("beam", i + 1);
    auto positive = [&](Real x, const char* what) {
      if (!(x > 0) || !std::isfinite(x))
        invalid(std::string("the ")
                    .append(what)
                    .append(" of ")
                    .append(b.name)
                    .append(" must be positive and finite, but is ")
                    .append(text(x)));
    };
    positive(b.length, "length");
    positive(b.density, "density");
    positive(b.section.area, "area of the section");
    positive(b.section.I1, "second moment I1 of the section");
    positive(b.section.I2, "second moment I2 of the section");
    positive(b.young, "modulus (young)");
    if (!(b.poisson > -1 && b.poisson <= Real(0.5)))
      invalid(std::string("the ratio poisson of ")
                  .append(b.name)
                  .append(" must lie in (-1, 0.5], but is ")
                  .append(text(b.poisson)));
    if (b.elements < 1) invalid(std::string(b.name).append(" needs at least one element"));
    if (!b.gravity.allFinite()) invalid(std::string("the gravity of ").append(b.name).append(" must be finite"));
    const auto count = static_cast<std::size_t>(b.elements) + 1;
    if (b.nodes.empty())
      b.nodes = poses_of_strain<Real>({}, lie::join<Real>(lie::Vec3<Real>::Zero(), lie::Vec3<Real>::UnitZ()), b.length,
                                      b.elements);
    if (b.velocities.empty()) b.velocities.resize(count);
    for (const auto& [size, what] : {std::pair{b.nodes.size(), "nodes"}, {b.velocities.size(), "velocities"}})
      if (size != count)
        invalid(std::string(b.name)
                    .append(" has ")
                    .append(std::to_string(b.elements))
                    .append(" elements and needs ")
                    .append(std::to_string(count))
                    .append(" ")
                    .append(what)
                    .append(", not ")
                    .append(std::to_string(size)));
    for (std::size_t a = 0; a < count; ++a) {
      const auto& g = b.nodes[a];
      if (!g.R.allFinite() || !g.r.allFinite() || !b.velocities[a].spin.allFinite() ||
          !b.velocities[a].linear.allFinite())
        invalid(std::string("node ").append(std::to_string(a)).append(" of ").append(b.name).append(" is not finite"));
      if (!((g.R.transpose() * g.R - lie::Mat3<Real>::Identity()).norm() <= Real(1e-9)) || !(g.R.determinant() > 0))
        invalid(std::string("the orientation of node ")
                    .append(std::to_string(a))
                    .append(" of ")
                    .append(b.name)
                    .append(" is no rotation"));
    }
  }
  for (std::size_t i = 0; i < spec.planes.size(); ++i) {
    auto& p = spec.planes[i];
    if (p.name.empty()) p.name = number("plane", i + 1);
    if (!p.point.allFinite() || !p.normal.allFinite() || !(p.normal.norm() > 0))
      invalid(std::string(p.name).append(" needs a finite point and a normal that is not zero"));
    p.normal.normalize();
  }
  for (std::size_t i = 0; i < spec.spheres.size(); ++i) {
    auto& s = spec.spheres[i];
    if (s.name.empty()) s.name = number("sphere", i + 1);
    if (!s.centre.allFinite() || !(s.radius > 0) || !std::isfinite(s.radius))
      invalid(std::string(s.name).append(" needs a finite centre and a positive radius"));
  }
}

}  // namespace ricochet::bodies
