// The smooth beam: Timoshenko's frequencies, its discrete dispersion, and motions known in closed form.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "bodies/beam_cases.hpp"

namespace ricochet {
namespace {

using Long = long double;
using Beams = bodies::Beams<double>;
using bodies::TimeGroup;
using lie::Vec3;

/// The first bending frequency of a free–free Timoshenko beam (shear factor 1, rotary inertia): symmetric mode
/// w = A cos αs + B cosh βs with no moment and no shear force at s = L/2.
Long timoshenko(const bodies::BeamSpec<Long>& b, Long lo, Long hi) {
  const Long A = b.section.area, I = b.section.I2, GA = b.young / (2 * (1 + b.poisson)) * A, EI = b.young * I;
  const Long m = b.density * A, J = b.density * I, l = b.length / 2;
  auto determinant = [&](Long w) {
    // EI GA k⁴ − ω²(EI m + GA J)k² + ω² m(Jω² − GA) = 0 with k² = α² and −β²
    const Long p = w * w * (EI * m + GA * J) / (EI * GA), q = w * w * m * (J * w * w - GA) / (EI * GA);
    const Long root = std::sqrt(p * p / 4 - q);
    const Long alpha = std::sqrt(p / 2 + root), beta = std::sqrt(root - p / 2), c = m * w * w / GA;
    // θ' of either part at the end, and w' − θ
    const Long moment_a = (c - alpha * alpha) * std::cos(alpha * l), moment_b = (c + beta * beta) * std::cosh(beta * l);
    const Long shear_a = -c / alpha * std::sin(alpha * l), shear_b = -c / beta * std::sinh(beta * l);
    return moment_a * shear_b - moment_b * shear_a;
  };
  const bool rising = determinant(lo) < 0;
  for (int k = 0; k < 90; ++k) {
    const Long mid = (lo + hi) / 2;
    ((determinant(mid) < 0) == rising ? lo : hi) = mid;
  }
  return lo;
}

/// The bending frequencies of a discrete straight beam, Δt → 0: the Hessian of U in the plane (E₁, E₃) from differences
/// of its forces, with the lumped inertia. Third lowest: below it are two rigid motions.
Long discrete_frequency(const bodies::BeamSpec<Long>& b) {
  bodies::BeamsSpec<Long> spec;
  spec.beams = {b};
  const bodies::Beams<Long> body(spec);
  const auto n = body.nodes();
  Eigen::Matrix<Long, Eigen::Dynamic, Eigen::Dynamic> K(2 * n, 2 * n);
  Eigen::Matrix<Long, Eigen::Dynamic, 1> M(2 * n);
  const auto start = body.start();
  const auto& segment = body.chain().segment(0);
  for (Eigen::Index a = 0; a < n; ++a) {
    M[2 * a] = segment.weight(a) * segment.material.mass;
    M[2 * a + 1] = segment.weight(a) * segment.material.gyration.inertia.y;
    for (const int k : {0, 1}) {
      // Odd differences at 1e-4 of forces with cubic terms: fourth order.
      auto forces = [&](Long e) {
        auto x = start;
        if (k == 0)
          x.data.add(bodies::beams::position, a, {e, 0, 0});
        else
          x.data.set(bodies::beams::turn + 1, a, {0, std::sin(e / 2), 0}),
              x.data[bodies::beams::turn][a] = std::cos(e / 2);
        body.refresh(x);
        return x;
      };
      const Long d = 1e-4L;
      const auto p1 = forces(d), m1 = forces(-d), p2 = forces(2 * d), m2 = forces(-2 * d);
      for (Eigen::Index c = 0; c < n; ++c) {
        auto slope = [&](auto get) { return (8 * (get(p1) - get(m1)) - (get(p2) - get(m2))) / (12 * d); };
        K(2 * c, 2 * a + k) = -slope([&](const auto& x) { return x.f(c).x; });
        K(2 * c + 1, 2 * a + k) = -slope([&](const auto& x) { return x.torque(c).y; });
      }
    }
  }
  const auto root = M.cwiseSqrt().cwiseInverse().asDiagonal();
  const Eigen::Matrix<Long, Eigen::Dynamic, Eigen::Dynamic> S = root * (K + K.transpose()) / 2 * root;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<Long, Eigen::Dynamic, Eigen::Dynamic>> solver(S);
  return std::sqrt(solver.eigenvalues()[2]);
}

TEST(BeamWaves, TimoshenkoFrequencyFromBelowWithOrderTwo) {
  const Long exact = timoshenko(test::paper_material<Long>(1), 1.0L, 1.5L);
  EXPECT_NEAR(static_cast<double>(exact), 1.2499875, 1e-7);  // the number, from its own derivation
  Long last = 0;
  for (const int n : {10, 20, 40}) {
    const Long error = exact - discrete_frequency(test::paper_material<Long>(n));
    EXPECT_GT(error, 0) << n;
    if (last > 0) {
      EXPECT_NEAR(static_cast<double>(std::log2(last / error)), 2, 0.05) << n;
    }
    last = error;
  }
  EXPECT_LE(last, 3e-3L);
}

TEST(BeamWaves, SlenderBeamsDoNotLock) {
  // The relative error at 20 elements does not grow with slenderness: 10, 100, 1000.
  for (const Long side : {0.05L, 0.005L, 0.0005L}) {
    auto b = test::paper_material<Long>(20);
    b.section = bodies::BeamSection<Long>::square(side);
    const Long euler =
        22.3732854L / (b.length * b.length) * std::sqrt(b.young * b.section.I2 / (b.density * b.section.area));
    const Long exact = timoshenko(b, 0.5L * euler, 1.1L * euler);
    const Long error = 1 - discrete_frequency(b) / exact;
    EXPECT_GT(error, 0);
    EXPECT_LE(error, 0.012L) << static_cast<double>(side);
  }
}

/// The frequency of a bending oscillation as it runs, from the times at which the middle of the beam passes the level
/// of its centre of mass; with Δt the leapfrog shifts it by sin(Ωh/2) = ωh/2.
TEST(BeamWaves, BendingOscillationRunsAtItsFrequency) {
  const int n = 20;
  auto b = test::paper_material<double>(n);
  b.nodes = bodies::poses_of_strain<double>({}, lie::join<double>({0, 0, 0}, {0, 0, 1}), b.length, n);
  // Second derivative by rotation: the shape of the first mode of the discrete beam would do; a smooth approximation
  // excites others by little, and many periods average them out.
  for (int a = 0; a <= n; ++a) {
    const double z = a / double(n) - 0.5;
    b.velocities.push_back(
        {{0, 1e-5 * (-4 * 3.1416 * std::sin(3.1416 * 2 * z)), 0}, {1e-5 * std::cos(3.1416 * 2 * z), 0, 0}});
  }
  double mean = 0, mass = 0;
  for (int a = 0; a <= n; ++a) {
    const double w = a == 0 || a == n ? 0.5 : 1;
    mean += w * b.velocities[static_cast<std::size_t>(a)].linear[0], mass += w;
  }
  for (auto& v : b.velocities) v.linear[0] -= mean / mass;
  bodies::BeamsSpec<double> spec;
  spec.beams = {b};
  const Beams body(spec);
  principle::Strong<Beams> run(body, body.start());
  const double h = 0.01;
  // Least squares of the middle's motion against sin Ωt: maximise the projection over T = 40 periods.
  std::vector<double> x;
  for (int k = 0; k < 20000; ++k) {
    run.step(h);
    x.push_back(body.position(run.node(), n / 2)[0]);
  }
  auto power = [&](double w) {
    double c = 0, s = 0;
    const auto count = static_cast<double>(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double u = (double(k) + 1) / count, window = u * u * (1 - u) * (1 - u);
      c += window * x[k] * std::cos(w * h * (double(k) + 1));
      s += window * x[k] * std::sin(w * h * (double(k) + 1));
    }
    return c * c + s * s;
  };
  double lo = 1.2, hi = 1.26;
  for (int k = 0; k < 60; ++k) {  // one peak in between: golden section
    const double p = lo + 0.382 * (hi - lo), q = lo + 0.618 * (hi - lo);
    (power(p) > power(q) ? hi : lo) = power(p) > power(q) ? q : p;
  }
  const double w = static_cast<double>(discrete_frequency(test::paper_material<Long>(n)));
  EXPECT_NEAR(lo, 2 / h * std::asin(w * h / 2), 2e-5);  // the window leaks 1e-5 of the neighbouring modes
}

TEST(BeamWaves, LongitudinalModesFollowTheirDispersionRelation) {
  // x_a(t) = s_a + V cos(κs_a) h sin(Ωt)/sin(Ωh), sin(Ωh/2) = (ch/Δs) sin(κΔs/2): exact for the chain and the step.
  const int n = 20, mode = 3;
  auto b = test::paper_material<double>(n);
  const double h = 0.01, ds = b.spacing(), kappa = mode * std::acos(-1.0) / b.length, c = 1, V = 1e-3;
  for (int a = 0; a <= n; ++a) b.velocities.push_back({{0, 0, 0}, {0, 0, V * std::cos(kappa * a * ds)}});
  bodies::BeamsSpec<double> spec;
  spec.beams = {b};
  for (const auto group : {TimeGroup::SO3xR3, TimeGroup::SE3}) {
    const Beams body(spec, group);
    principle::Strong<Beams> run(body, body.start());
    const double W = 2 / h * std::asin(c * h / ds * std::sin(kappa * ds / 2));
    double worst = 0;
    for (int k = 1; k <= 5000; ++k) {
      run.step(h);
      for (int a = 0; a <= n; ++a) {
        const double moved = V * std::cos(kappa * a * ds) * h * std::sin(W * k * h) / std::sin(W * h);
        worst = std::max(worst, std::abs(body.position(run.node(), a)[2] - a * ds - moved));
      }
    }
    EXPECT_LE(worst, 1e-8 * V / W);
  }
}

/// Largest error of a node after a quarter of a turn of the spinning, stretched beam x = sin(ks)/(k cos(kL/2)).
Long spinning_error(int n, Long h) {
  using LongBeams = bodies::Beams<Long>;
  auto b = test::paper_material<Long>(n);
  const Long spin = 2, k = spin, half = b.length / 2;  // c = 1
  auto exact = [&](int a) { return std::sin(k * (b.length * a / n - half)) / (k * std::cos(k * half)); };
  for (int a = 0; a <= n; ++a) b.nodes.push_back({lie::Mat3<Long>::Identity(), {0, 0, exact(a)}});
  b.velocities = bodies::rigid_velocities<Long>(b.nodes, {0, 0, 0}, {spin, 0, 0}, {0, 0, 0});
  bodies::BeamsSpec<Long> spec;
  spec.beams = {b};
  const LongBeams body(spec);
  principle::Strong<LongBeams> run(body, body.start());
  const auto steps = std::lround(std::acos(-1.0L) / 2 / spin / h);
  const Long step = std::acos(-1.0L) / 2 / spin / static_cast<Long>(steps);
  run.run(step, steps);
  Long worst = 0;
  for (int a = 0; a <= n; ++a)  // E₃ has turned about E₁ to −E₂
    worst = std::max(worst, (body.position(run.node(), a) - Vec3<Long>(0, -exact(a), 0)).norm());
  return worst;
}
TEST(BeamWaves, SpinningStretchedBeamIsOfOrderTwoInSpaceAndTime) {
  const Long space[] = {spinning_error(10, 2e-4L), spinning_error(20, 2e-4L)};
  EXPECT_NEAR(static_cast<double>(std::log2(space[0] / space[1])), 2, 0.2);
  // Against the same beam at a much finer step, the error of the step alone.
  const Long coarse = spinning_error(10, 1.6e-2L), fine = spinning_error(10, 8e-3L), limit = spinning_error(10, 5e-4L);
  EXPECT_NEAR(static_cast<double>(std::log2((coarse - limit) / (fine - limit))), 2, 0.25);
}

TEST(BeamWaves, SpinAboutTheAxisIsTheCayleyRotation) {
  // No strain, so every step turns by exactly 2 atan(ωh/2) and nothing else moves; a free flight moves with its
  // velocity.
  auto b = test::paper_material<double>(6);
  const double spin = 30, h = 1e-3;
  b.velocities.assign(7, {{0, 0, spin}, {0.3, -0.2, 0.5}});
  bodies::BeamsSpec<double> spec;
  spec.beams = {b};
  const Beams body(spec);
  principle::Strong<Beams> run(body, body.start());
  run.run(h, 1000);
  double w = spin;
  for (int k = 0; k < 20; ++k) w = spin / (1 + w * w * h * h / 4);
  const double angle = 2 * std::atan(w * h / 2) * 1000;
  for (int a = 0; a <= 6; ++a) {
    const auto R = body.rotation(run.node(), a).toRotationMatrix();
    EXPECT_NEAR(R(0, 0), std::cos(angle), 1e-12);
    EXPECT_NEAR(R(1, 0), std::sin(angle), 1e-12);
    EXPECT_LE((body.position(run.node(), a) - Vec3<double>(0.3, -0.2, 0.5 + a * b.spacing())).norm(), 1e-12);
  }
}

TEST(BeamWaves, TheDefaultGroupFallsFreelyAndThePapersDoesNot) {
  // Rigid rotation while falling: in SO(3)×R³ the centre of mass is on its parabola exactly, in both groups P is exact;
  // SE(3) has the spurious rotary inertia of errata D15, and the spin suffers.
  for (const auto group : {TimeGroup::SO3xR3, TimeGroup::SE3}) {
    auto b = test::paper_material<double>(4);
    b.gravity = {0, 0, -10};
    b.velocities.assign(5, {{0, 0, 30}, {5, 0, 0}});
    bodies::BeamsSpec<double> spec;
    spec.beams = {b};
    const Beams body(spec, group);
    principle::Strong<Beams> run(body, body.start());
    const double h = 4e-3;
    run.run(h, 100);
    double worst = 0;
    for (int a = 0; a <= 4; ++a) {
      const double fall = 10 * 0.4 * 0.4 / 2;
      worst = std::max(worst, (body.position(run.node(), a) - Vec3<double>(2, 0, a * b.spacing() - fall)).norm());
    }
    if (group == TimeGroup::SO3xR3)
      EXPECT_LE(worst, 1e-12);
    else
      EXPECT_GE(worst, 1e-4);
  }
}

}  // namespace
}  // namespace ricochet
