// Beams against their own discrete action: an independent one, of 4×4 matrices in long double, varied by differences.
#include <gtest/gtest.h>

#include "bodies/beam_cases.hpp"
#include "ricochet/observe/symplectic.hpp"

namespace ricochet {
namespace {

using Long = long double;
using V3 = lie::Vec3<Long>;
using V6 = lie::Vec6<Long>;
using Pose = lie::SE3<Long>;
using Poses = std::vector<Pose>;
using bodies::TimeGroup;

/// The action of Demoures 2016 (5.9) with errata D11, D14: trapezoidal in time, weights Δs and Δs/2.
struct Action {
  bodies::BeamSpec<Long> b;
  TimeGroup group;

  Long weight(std::size_t a) const { return a == 0 || a + 1 == b.nodes.size() ? b.spacing() / 2 : b.spacing(); }
  V6 inertia() const {
    const auto& s = b.section;
    V6 J;
    J << s.I1, s.I2, s.I1 + s.I2, s.area, s.area, s.area;
    return b.density * J;
  }
  V6 stiffness() const {
    const auto& s = b.section;
    const Long G = b.young / (2 * (1 + b.poisson));
    V6 C;
    C << b.young * s.I1, b.young * s.I2, G * (s.I1 + s.I2), G * s.area, G * s.area, b.young * s.area;
    return C;
  }
  Long potential(const Poses& g) const {
    Long U = 0;
    for (std::size_t a = 0; a + 1 < g.size(); ++a) {
      V6 e = lie::se3::cayley_inverse(g[a].inverse() * g[a + 1]) / b.spacing();
      e[5] -= 1;
      U += b.spacing() / 2 * e.dot(stiffness().cwiseProduct(e));
    }
    for (std::size_t a = 0; a < g.size(); ++a) U -= weight(a) * b.density * b.section.area * b.gravity.dot(g[a].r);
    return U;
  }
  Long kinetic(const Poses& g, const Poses& g1, Long s) const {
    Long K = 0;
    for (std::size_t a = 0; a < g.size(); ++a) {
      V6 xi = lie::se3::cayley_inverse(g[a].inverse() * g1[a]) / s;
      if (group == TimeGroup::SO3xR3) xi.tail<3>() = (g1[a].r - g[a].r) / s;
      K += weight(a) / 2 * xi.dot(inertia().cwiseProduct(xi));
    }
    return K;
  }
  Long operator()(const Poses& g, const Poses& g1, Long s) const {
    return s * kinetic(g, g1, s) - s / 2 * (potential(g) + potential(g1));
  }
  Long energy(const Poses& g, const Poses& g1, Long s) const {
    return kinetic(g, g1, s) + (potential(g) + potential(g1)) / 2;
  }
};

template <class Real>
Poses poses(const bodies::Beams<Real>& body, const typename bodies::Beams<Real>::Node& x) {
  Poses g;
  for (int a = 0; a < body.nodes(); ++a) {
    const Eigen::Quaternion<Long> q = body.rotation(x, a).template cast<Long>().normalized();
    g.push_back({q.toRotationMatrix(), body.position(x, a).template cast<Long>()});
  }
  return g;
}

/// dS along the six directions of node a at the middle of three levels: δg = g ζ for the rotation, in space for x.
V6 variation(const Action& S, const Poses& g0, Poses g, const Poses& g1, Long s0, Long s1, std::size_t a) {
  V6 out;
  const Pose at = g[a];
  const Long d = 1e-4L;
  for (int k = 0; k < 6; ++k) {
    auto moved = [&](Long e) {
      V3 w = V3::Zero(), x = V3::Zero();
      (k < 3 ? w : x)[k % 3] = e;
      g[a] = {at.R * lie::so3::cayley(w), at.r + x};
      const Long value = S(g0, g, s0) + S(g, g1, s1);
      g[a] = at;
      return value;
    };
    out[k] = (8 * (moved(d) - moved(-d)) - (moved(2 * d) - moved(-2 * d))) / (12 * d);
  }
  return out;
}

struct Residual {
  Long smooth = 0, rotation_at_impact = 0, tangential_at_impact = 0, energy_at_impact = 0, least_impulse = 1e9L;
  std::size_t impacts = 0;
};
/// Of the levels around impacts and every so manieth other, in a run of `steps` steps, relative to the largest momentum
/// of a node.
template <class Real>
Residual residual_of(const bodies::BeamsSpec<Real>& spec, const bodies::BeamSpec<Long>& exact, TimeGroup group, Real h,
                     int steps, std::size_t every) {
  const bodies::Beams<Real> body(spec, group);
  principle::Strong<bodies::Beams<Real>> run(body, body.start(), {}, {}, {.step = static_cast<double>(h)});
  test::Intervals<bodies::Beams<Real>> record;
  run.run(h, steps, record);
  const Action S{exact, group};
  std::vector<Poses> levels;
  for (const auto& x : record.all) levels.push_back(poses(body, x.from));
  Long scale = 0;
  for (int a = 0; a < body.nodes(); ++a)
    scale = std::max(scale, static_cast<Long>(bodies::beams::size_of(record.all[0].from.p(a))));
  Residual out;
  for (std::size_t j = 1; j + 1 < levels.size(); ++j) {
    const Long s0 = record.all[j - 1].s, s1 = record.all[j].s;
    const auto hit = std::find_if(record.hits.begin(), record.hits.end(), [&](const auto& x) { return x.level == j; });
    const bool near_impact = std::any_of(record.hits.begin(), record.hits.end(),
                                         [&](const auto& x) { return x.level + 2 >= j && j + 2 >= x.level; });
    if (!near_impact && j % every != 0) continue;
    for (std::size_t a = 0; a < levels[j].size(); ++a) {
      const V6 r = variation(S, levels[j - 1], levels[j], levels[j + 1], s0, s1, a) / scale;
      const bool struck = hit != record.hits.end() &&
                          std::find(hit->gaps.begin(), hit->gaps.end(), static_cast<int>(a)) != hit->gaps.end();
      if (!struck) {
        out.smooth = std::max(out.smooth, r.cwiseAbs().maxCoeff());
      } else {  // the multiplier acts along E₃ of space alone
        ++out.impacts;
        out.rotation_at_impact = std::max(out.rotation_at_impact, r.head<3>().cwiseAbs().maxCoeff());
        out.tangential_at_impact = std::max({out.tangential_at_impact, std::abs(r[3]), std::abs(r[4])});
        out.least_impulse = std::min(out.least_impulse, -r[5]);
      }
    }
    if (hit == record.hits.end()) continue;
    const Long before = S.energy(levels[j - 1], levels[j], s0), after = S.energy(levels[j], levels[j + 1], s1);
    out.energy_at_impact = std::max(out.energy_at_impact, std::abs(after - before) / std::abs(before));
  }
  return out;
}

TEST(BeamAction, DiscreteEulerLagrangeEquationsHoldIncludingImpacts) {
  for (const auto group : {TimeGroup::SO3xR3, TimeGroup::SE3}) {
    // Three impacts in 1200 steps; the variation sees x to 1e-16/Δt of a velocity.
    const auto exact = test::paper_beam<Long>(10, 4e-5L).beams[0];
    const auto r = residual_of<double>(test::paper_beam<double>(10, 4e-5), exact, group, 1e-5, 1100, 50);
    EXPECT_EQ(r.impacts, 3u);
    EXPECT_LE(r.smooth, 1e-10L);
    EXPECT_LE(r.rotation_at_impact, 1e-10L);
    EXPECT_LE(r.tangential_at_impact, 1e-10L);
    EXPECT_LE(r.energy_at_impact, 1e-10L);
    EXPECT_GT(r.least_impulse, 0.1L);
  }
}

TEST(BeamAction, LongDoubleLeavesNothing) {
  for (const auto group : {TimeGroup::SO3xR3, TimeGroup::SE3}) {
    const auto spec = test::lively_beam<Long>(4, true);
    const auto r = residual_of<Long>(spec, spec.beams[0], group, 1e-3L, 40, 1);
    // differences of fourth order at 1e-4: 1e-16, and 1e-19/1e-4 of the action
    EXPECT_LE(r.smooth, 1e-13L);
  }
}

// ---- symplecticity --------------------------------------------------------------------------------------------------

using LongBeams = bodies::Beams<Long>;
using Vector = Eigen::Matrix<Long, Eigen::Dynamic, 1>;

/// Canonical coordinates around a node: Λ = Λ̄ τ(θ), p_θ = (dτ_{−θ})*Π; x and P are canonical already. Angular momenta
/// are small, so differences of one size need θ/100 and 100 p_θ in their place.
struct Chart {
  const LongBeams& body;
  LongBeams::Node centre;

  LongBeams::Node node(const Vector& y) const {
    LongBeams::Node x = centre;
    const auto n = body.nodes();
    for (Eigen::Index a = 0; a < n; ++a) {
      const V3 theta = 100 * y.segment<3>(6 * a), p = y.segment<3>(6 * (n + a)) / 100;
      const Eigen::Quaternion<Long> q = body.rotation(centre, a) * Eigen::Quaternion<Long>(lie::so3::cayley(theta));
      x.data[bodies::beams::turn][a] = q.w();
      x.data.set(bodies::beams::turn + 1, a, {q.x(), q.y(), q.z()});
      x.data.set(bodies::beams::spin_momentum, a,
                 bodies::beams::triple<Long>(lie::so3::dcayley_inverse_star<Long>(-theta, p)));
      x.data.set(bodies::beams::position, a, bodies::beams::triple<Long>(y.segment<3>(6 * a + 3)));
      x.data.set(bodies::beams::momentum, a, bodies::beams::triple<Long>(y.segment<3>(6 * (n + a) + 3)));
    }
    body.refresh(x);
    return x;
  }
  Vector coordinates(const LongBeams::Node& x) const {
    const auto n = body.nodes();
    Vector y(12 * n);
    for (Eigen::Index a = 0; a < n; ++a) {
      const lie::Mat3<Long> relative = (body.rotation(centre, a).conjugate() * body.rotation(x, a)).toRotationMatrix();
      const V3 theta = lie::so3::cayley_inverse(relative), m = bodies::beams::eigen(x.spin(a));
      y.segment<3>(6 * a) = theta / 100;
      y.segment<3>(6 * (n + a)) = 400 / (4 + theta.squaredNorm()) * (m + theta.cross(m) / 2);  // (dτ_{−θ})*
      y.segment<3>(6 * a + 3) = body.position(x, a);
      y.segment<3>(6 * (n + a) + 3) = bodies::beams::eigen(x.p(a));
    }
    return y;
  }
};

template <class Closure>
Long residual_of_form(const LongBeams& body, const LongBeams::Node& start, Long h, int steps, long long* impacts) {
  auto advance = [&](const LongBeams::Node& x) {
    principle::Strong<LongBeams, Closure> run(body, x, {}, {}, {.step = static_cast<double>(h)});
    run.run(h, steps);
    *impacts = run.impacts();
    return run.node();
  };
  const Chart from{body, start}, to{body, advance(start)};
  const auto map = [&](const Vector& y) { return to.coordinates(advance(from.node(y))); };
  return observe::symplectic_residual(observe::jacobian<Long>(map, from.coordinates(start), 1e-4L));
}

TEST(BeamAction, FlightsKeepTheCanonicalForm) {
  for (const auto group : {TimeGroup::SO3xR3, TimeGroup::SE3}) {
    const LongBeams body(test::lively_beam<Long>(2, true), group);
    long long impacts = 0;
    EXPECT_LE((residual_of_form<closure::Variational>(body, body.start(), 2e-3L, 10, &impacts)), 1e-12L);
  }
}

TEST(BeamAction, ImpactsKeepItToo) {
  auto spec = test::lively_beam<Long>(2, true);
  spec.planes.push_back({"floor", {0, 0, 0.5L}, {0, 0, 1}});
  const LongBeams body(spec);
  long long impacts = 0;
  const Long variational = residual_of_form<closure::Variational>(body, body.start(), 2e-3L, 40, &impacts);
  EXPECT_GE(impacts, 1);
  EXPECT_LE(variational, 1e-11L);
  const Long reflection = residual_of_form<closure::Reflection>(body, body.start(), 2e-3L, 40, &impacts);
  EXPECT_GE(reflection, 1e-9L);  // kinetic reflection is not symplectic: the check can tell
}

// ---- momentum maps --------------------------------------------------------------------------------------------------

TEST(BeamAction, FreeBeamsKeepTheWholeMomentumOfSE3) {
  for (const auto group : {TimeGroup::SO3xR3, TimeGroup::SE3}) {
    const bodies::Beams<double> body(test::lively_beam<double>(12, false), group);
    principle::Strong<bodies::Beams<double>> run(body, body.start());
    const auto P = body.linear_momentum(run.node()), J = body.angular_momentum(run.node());
    double worst = 0;
    for (int k = 0; k < 4000; ++k) {
      run.step(2e-4);
      worst = std::max({worst, (body.linear_momentum(run.node()) - P).norm() / P.norm(),
                        (body.angular_momentum(run.node()) - J).norm() / J.norm()});
    }
    EXPECT_LE(worst, 5e-13);  // rounding of 4000 steps
  }
}

TEST(BeamAction, GoesBackTheWayItCame) {
  for (const auto group : {TimeGroup::SO3xR3, TimeGroup::SE3}) {
    const bodies::Beams<double> body(test::paper_beam<double>(10, 4e-5), group);
    principle::Strong<bodies::Beams<double>> forward(body, body.start());
    forward.step(1e-5);
    const auto start = forward.node();  // not the very start, where node 0 lies on the plane
    forward.run(1e-5, 1199);
    ASSERT_EQ(forward.impacts(), 3);
    principle::Strong<bodies::Beams<double>> backward(body, forward.node().reversed());
    backward.run(1e-5, 1199);
    for (int a = 0; a < body.nodes(); ++a) {
      EXPECT_LE((body.position(backward.node(), a) - body.position(start, a)).norm(), 1e-11);
      EXPECT_LE((body.velocity(backward.node(), a) + body.velocity(start, a)).norm(), 1e-9 * 30);
    }
  }
}

}  // namespace
}  // namespace ricochet
