// Which momentum maps a scene of beams keeps: a question of gravity and obstacles only, since ends are free.
#include <fmt/core.h>

#include <cmath>

#include "ricochet/scene/beam_model.hpp"

namespace ricochet::scene {
namespace {

using Vec = Eigen::Vector3d;
constexpr double parallel = 1e-12;

/// The axis of the frame that d points along, with the positive sign; d itself where there is none.
Vec tidy(const Vec& d) {
  for (int k = 0; k < 3; ++k)
    if (std::abs(d[k]) > 1 - parallel) return Vec::Unit(k);
  return d;
}
std::string word(const Vec& d) {
  for (int k = 0; k < 3; ++k)
    if (d[k] == 1) return std::string(1, static_cast<char>('x' + k));
  return fmt::format("({:.3g} {:.3g} {:.3g})", d[0], d[1], d[2]);
}

/// Directions that gravity and planes single out, without those that repeat one another.
std::vector<Vec> singled_out(const bodies::BeamsSpec<double>& spec) {
  std::vector<Vec> list;
  const auto add = [&](const Vec& v) {
    if (v.norm() == 0) return;
    Vec rest = v.normalized();
    for (const Vec& known : list) rest -= known.dot(rest) * known;
    if (rest.norm() > 1e-9) list.push_back(rest.normalized());
  };
  for (const auto& b : spec.beams) add(b.gravity);
  for (const auto& p : spec.planes) add(p.normal);
  return list;
}

/// The line on which the centres of all spheres lie: no direction where they are one point; false where there is none.
bool common_axis(const bodies::BeamsSpec<double>& spec, Vec& direction) {
  direction.setZero();
  for (const auto& sphere : spec.spheres) {
    const Vec apart = sphere.centre - spec.spheres.front().centre;
    if (apart.norm() == 0) continue;
    if (direction.norm() == 0) direction = apart.normalized();
    if (direction.cross(apart).norm() > parallel * apart.norm()) return false;
  }
  return true;
}

}  // namespace

std::vector<BeamSymmetry> beam_symmetries(const bodies::BeamsSpec<double>& spec) {
  const std::vector<Vec> out = singled_out(spec);
  std::vector<Vec> along, about;  // directions of translations, axes of rotations
  if (out.empty()) {
    along = about = {Vec::UnitX(), Vec::UnitY(), Vec::UnitZ()};
  } else if (out.size() == 1) {
    const Vec k = tidy(out.front());
    about = {k};
    int least = 0;
    for (int i = 1; i < 3; ++i)
      if (std::abs(k[i]) < std::abs(k[least])) least = i;
    const Vec first = tidy(k.cross(Vec::Unit(least)).normalized());
    along = {first, tidy(k.cross(first).normalized())};
    if (along[0] == Vec::UnitY()) std::swap(along[0], along[1]);
    if (along[0] == Vec::UnitZ()) std::swap(along[0], along[1]);
  } else if (out.size() == 2) {
    along = {tidy(out[0].cross(out[1]).normalized())};
  }
  Vec centre = Vec::Zero();
  if (!spec.spheres.empty()) {
    along.clear();
    centre = spec.spheres.front().centre;
    Vec axis;
    if (!common_axis(spec, axis))
      about.clear();
    else if (axis.norm() > 0 && out.empty())
      about = {tidy(axis)};
    else if (axis.norm() > 0 && (about.empty() || about.front().cross(axis).norm() > parallel))
      about.clear();
  }
  std::vector<BeamSymmetry> list;
  for (const Vec& d : along) list.push_back({"translation " + word(d), false, d, Vec::Zero()});
  for (const Vec& d : about) list.push_back({"rotation " + word(d), true, d, centre});
  return list;
}

}  // namespace ricochet::scene
