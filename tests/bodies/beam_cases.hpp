// Beams that the tests share: the paper's, and plain straight ones.
#pragma once

#include "ricochet/bodies/beam.hpp"
#include "ricochet/principle/strong.hpp"

namespace ricochet::test {

/// Length 0.5, section 0.05 × 0.05, ρ = E = 10³, ν = 0.35 (Demoures 2016, 5.3), straight along E₃ from the origin.
template <class Real = double>
bodies::BeamSpec<Real> paper_material(int elements) {
  bodies::BeamSpec<Real> b;
  b.name = "beam";
  b.length = Real(0.5L);
  b.elements = elements;
  b.density = 1000;
  b.section = bodies::BeamSection<Real>::square(Real(0.05L));
  b.young = 1000;
  b.poisson = Real(0.35L);
  return b;
}

/// (5.12), (5.13) with the velocity of (5.14), (5.15) or (5.16): the time between the two configurations is 4e-5, 8e-5
/// or 20e-5. Gravity 10 along −E₃, plane z³ = 0.
template <class Real = double>
bodies::BeamsSpec<Real> paper_beam(int elements, Real time) {
  auto b = paper_material<Real>(elements);
  b.gravity = {0, 0, -10};
  const Real c = std::cos(Real(0.5)), s = std::sin(Real(0.5));
  lie::Mat3<Real> R;
  R << 1, 0, 0, 0, c, -s, 0, s, c;
  lie::Vec6<Real> first, second;
  first << 1, Real(4.5L), 1, 0, 0, 1;
  second << Real(1.004L), Real(4.522L), Real(0.996L), Real(-0.004L), 0, 1;
  b.nodes = bodies::poses_of_strain<Real>({R, {0, 0, 0}}, first, b.length, elements);
  const Real up = Real(2e-5L);
  b.velocities = bodies::velocities_between<Real>(
      b.nodes, bodies::poses_of_strain<Real>({R, {0, -up * s, up * c}}, second, b.length, elements), time);
  bodies::BeamsSpec<Real> spec;
  spec.beams = {b};
  spec.planes.push_back({"plane", {0, 0, 0}, {0, 0, 1}});
  return spec;
}

/// A lively beam in space: strained, spinning and moving; no two components alike.
template <class Real = double>
bodies::BeamsSpec<Real> lively_beam(int elements, bool gravity) {
  auto b = paper_material<Real>(elements);
  b.section = bodies::BeamSection<Real>::rectangle(Real(0.05L), Real(0.03L));
  if (gravity) b.gravity = {Real(0.5L), Real(-0.25L), -10};
  lie::Vec6<Real> strain;
  strain << 2, Real(-1.5L), Real(1.2L), Real(0.05L), Real(-0.04L), Real(1.1L);
  const lie::Vec3<Real> w(Real(0.3L), Real(-0.4L), Real(0.7L));
  b.nodes = bodies::poses_of_strain<Real>({lie::so3::cayley(w), {Real(0.1L), Real(-0.2L), Real(0.6L)}}, strain,
                                          b.length, elements);
  for (int a = 0; a <= elements; ++a) {
    const Real s = Real(a) / Real(elements);
    b.velocities.push_back({{3 * std::sin(2 * s), 5 - s, -4 + 3 * s * s}, {1 - s, std::cos(3 * s), -3 + 2 * s}});
  }
  bodies::BeamsSpec<Real> spec;
  spec.beams = {b};
  return spec;
}

/// Every sub-interval of a run: where it starts and how long it is.
template <class Body>
struct Intervals {
  struct One {
    typename Body::Node from;
    typename Body::Real s, energy;
  };
  std::vector<One> all;
  struct Hit {
    std::size_t level;  ///< of the interval that starts with the impact
    std::vector<int> gaps;
  };
  std::vector<Hit> hits;

  void flight(const typename Body::Node& from, typename Body::Step step, const typename Body::Interval& interval,
              const typename Body::Trace&, const auto&) {
    all.push_back({from, step.s, interval.energy});
  }
  void impact(const principle::ImpactEvent<Body>& e) {
    hits.push_back({all.size(), {}});
    for (int i = 0; i < e.active.size(); ++i) hits.back().gaps.push_back(e.active.contact(i).gap);
  }
};

}  // namespace ricochet::test
