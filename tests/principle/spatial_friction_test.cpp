// A slip in space that turns while it comes to rest: closed forms on an incline, and a puck on a spring.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "principle/rough_systems.hpp"
#include "ricochet/observe/monitor.hpp"

namespace ricochet {
namespace {

using namespace test;
using discrete::Rule;

/// The first change of a held contact.
template <class Body>
struct Stop {
  double t = 0;
  Eigen::Vector3d q = Eigen::Vector3d::Zero();
  void arrive(long long, const typename Body::Node& node) {
    if (t == 0) t = node.t, q = node.q;
  }
};

/// A particle thrown over an incline: φ its direction from straight down, v its speed,
///   v' = A cos φ − B,  v φ' = −A sin φ,   A = g sin α, B = μ g cos α, κ = B/A.
/// So v = C tan(φ/2)^κ / sin φ, and κv + v cos φ falls at the constant rate A(κ² − 1).
struct Throw {
  double A, kappa, phi0, v0;

  double speed(double phi) const {
    return v0 * std::sin(phi0) / std::sin(phi) * std::pow(std::tan(phi / 2) / std::tan(phi0 / 2), kappa);
  }
  double time(double phi) const {
    const double v = speed(phi);
    return (kappa * v0 + v0 * std::cos(phi0) - kappa * v - v * std::cos(phi)) / (A * (kappa * kappa - 1));
  }
  double rest() const { return v0 * (kappa + std::cos(phi0)) / (A * (kappa * kappa - 1)); }
  /// Way down and across until rest: ∫ v² cot φ dφ/A and ∫ v² dφ/A. With z = ln tan(φ/2), sin φ = 1/cosh z, they are
  /// −∫ v² tanh z dz/A and ∫ v²/cosh z dz/A from −∞ on, v ∝ e^κz cosh z: Simpson's rule.
  Eigen::Vector2d way() const {
    const int n = 100000;
    const double end = std::log(std::tan(phi0 / 2)), h = (end + 35 / (kappa - 1)) / n;  // to e⁻⁷⁰ of v²
    const double scale = v0 * std::sin(phi0) * std::exp(-kappa * end) / 2;
    Eigen::Vector2d sum(0, 0);
    for (int k = 0; k <= n; ++k) {
      const double z = end - k * h;
      const double speed = scale * (std::exp((kappa + 1) * z) + std::exp((kappa - 1) * z));
      const double weight = (k == 0 || k == n ? 1 : k % 2 == 1 ? 4 : 2) * h / 3;
      sum += weight * speed * speed / A * Eigen::Vector2d(-std::tanh(z), 1 / std::cosh(z));
    }
    return sum;
  }
};

// It turns and stops, at any angle and with any step: the scheme is exact there, as it is in the plane. With κ = 1.05
// the direction still turns at the very end, v ∝ φ^0.05.
TEST(SpatialFriction, ThrownAcrossAnInclineItStopsWhereItShould) {
  const double alpha = 0.3;
  for (const double kappa : {1.05, 1.3, 2.0, 6.0})
    for (const double phi0 : {0.4, 1.2, 2.0, 3.0})
      for (const double h : {0.1, 0.01}) {
        const double mu = kappa * std::tan(alpha);
        const Throw exact{g * std::sin(alpha), kappa, phi0, 1.5};
        const RoughBody<Slope> body(Slope{alpha, mu}, Rule<double>::trapezoid());
        RoughRun<Slope> run(body, body.node({0, 0, 0}, {1.5 * std::cos(phi0), 1.5 * std::sin(phi0), 0}), {},
                            rough_law<Slope>("newton", 0));
        Stop<RoughBody<Slope>> stop;
        run.run(h, static_cast<long long>(exact.rest() / h) + 3, stop);
        const Eigen::Vector2d way = exact.way();
        EXPECT_NEAR(stop.t, exact.rest(), 1e-10 * exact.rest()) << kappa << ' ' << phi0 << ' ' << h;
        EXPECT_NEAR(stop.q[0], way[0], 1e-9) << kappa << ' ' << phi0 << ' ' << h;
        EXPECT_NEAR(stop.q[1], way[1], 1e-9) << kappa << ' ' << phi0 << ' ' << h;
        EXPECT_LE(run.node().p.norm(), 1e-14);
        EXPECT_EQ((run.node().q - stop.q).norm(), 0) << "it moves after its stop";
      }
}

// Friction too small to hold it (κ = 0.6): thrown almost straight up it nearly stops, turns by 180° within a fraction
// of a step, and comes down.
TEST(SpatialFriction, ItTurnsCloseToRest) {
  const double alpha = 0.3, kappa = 0.6;
  for (const double off : {0.3, 0.03, 0.003})
    for (const double h : {0.05, 0.01}) {
      const Throw exact{g * std::sin(alpha), kappa, std::acos(-1.0) - off, 1.5};
      const RoughBody<Slope> body(Slope{alpha, kappa * std::tan(alpha)}, Rule<double>::trapezoid());
      RoughRun<Slope> run(body, body.node({0, 0, 0}, {-1.5 * std::cos(off), 1.5 * std::sin(off), 0}), {},
                          rough_law<Slope>("newton", 0));
      run.run(h, std::llround(1 / h));
      double low = -60, high = std::log(exact.phi0);  // the time falls with ln φ
      for (int n = 0; n < 200; ++n) (exact.time(std::exp((low + high) / 2)) > 1 ? low : high) = (low + high) / 2;
      const double phi = std::exp(low), v = exact.speed(phi);
      EXPECT_TRUE(off > 0.1 || exact.speed(1.5) < 0.5 * h) << "the test does not come close to rest";
      EXPECT_NEAR(run.node().p[0], v * std::cos(phi), 1e-10) << off << ' ' << h;
      EXPECT_NEAR(run.node().p[1], v * std::sin(phi), 1e-10) << off << ' ' << h;
    }
}

/// A puck on a rough table, on a spring: the force turns with the place.
struct Puck {
  static constexpr int dimension = 3;
  double stiffness, mu;
  Eigen::Vector3d mass() const { return {1, 1, 1}; }
  template <class T>
  T potential(Point<T> q) const {
    return T(stiffness / 2) * (q[0] * q[0] + q[1] * q[1]) + T(g) * q[2];
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    return q[2];
  }
  int tangents(int) const { return 2; }
  template <class T>
  T tangent(int, int a, Point<T> q) const {
    return q[static_cast<std::size_t>(a)];
  }
  double friction(int) const { return mu; }
};

/// A slip with its place, (q, u), until it rests: by the classical fourth-order method in long double, with steps that
/// shrink with the speed. `force(q, s)` is the acceleration of the slip in the direction s.
template <class Force>
struct SlipMotion {
  using Real = long double;
  using State = std::array<Real, 4>;
  Force force;
  State y;
  Real t = 0;

  State slope(const State& z) const {
    const Real v = std::hypot(z[2], z[3]);
    const auto f = force(z[0], z[1], z[2] / v, z[3] / v);
    return {z[2], z[3], f[0], f[1]};
  }
  void until_rest() {
    for (Real v = 1; v > 1e-16L; v = std::hypot(y[2], y[3])) {
      v = std::hypot(y[2], y[3]);
      const auto along = [&](const State& s, Real h) {
        auto z = y;
        for (std::size_t i = 0; i < 4; ++i) z[i] += h * s[i];
        return z;
      };
      const auto k1 = slope(y);
      const Real h = std::min(Real(2e-4), v / (200 * std::hypot(k1[2], k1[3])));
      const auto k2 = slope(along(k1, h / 2)), k3 = slope(along(k2, h / 2)), k4 = slope(along(k3, h));
      for (std::size_t i = 0; i < 4; ++i) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
      t += h;
    }
  }
};
template <class Force>
SlipMotion(Force, std::array<long double, 4>) -> SlipMotion<Force>;

// Second order, time of rest included, however the stop falls into its step: errors at most C h² at every step of the
// ladder, with C = 0.2 (measured 0.17 for the place, 0.13 for the time, 0.06 for the balance of energy).
TEST(SpatialFriction, PuckOnASpringIsSecondOrderToItsStop) {
  const double k = 3, mu = 0.25;
  SlipMotion exact{[&](long double x, long double y, long double sx, long double sy) {
                     return std::array<long double, 2>{-k * x - mu * g * sx, -k * y - mu * g * sy};
                   },
                   std::array<long double, 4>{0.5L, 0, 0.3L, 1.2L}};
  exact.until_rest();
  const double bound = 0.2;
  for (const double h : {0.04, 0.02, 0.01, 0.005, 0.0025, 0.00125}) {
    const RoughBody<Puck> body(Puck{k, mu}, Rule<double>::trapezoid());
    RoughRun<Puck> run(body, body.node({0.5, 0, 0}, {0.3, 1.2, 0}), {}, rough_law<Puck>("newton", 0));
    struct : observe::Monitor<RoughBody<Puck>>, Stop<RoughBody<Puck>> {
      using observe::Monitor<RoughBody<Puck>>::Monitor;
    } watch(body);
    watch.start(run.node());
    run.run(h, static_cast<long long>(2 / h), watch);
    const double place =
        std::hypot(watch.q[0] - static_cast<double>(exact.y[0]), watch.q[1] - static_cast<double>(exact.y[1]));
    const double time = std::abs(watch.t - static_cast<double>(exact.t));
    EXPECT_LE(run.node().p.norm(), 1e-14);
    EXPECT_LE(place, bound * h * h) << h;
    EXPECT_LE(time, bound * h * h) << h;
    EXPECT_LE(std::abs(watch.balance_error()), bound * h * h) << h;
  }
}

/// A particle over an incline whose first slip coordinate also grows with the height: friction along it presses on the
/// floor, so λ changes as the slip turns.
struct Coupled : Slope {
  double lift;
  template <class T>
  T tangent(int, int a, Point<T> q) const {
    return a == 0 ? q[0] + T(lift) * q[2] : q[1] + T(0);
  }
};

// λ(1 − μ·lift·s_x) = g cos α; under constant forces the stop is exact with any step.
TEST(SpatialFriction, ForceThatDependsOnTheDirectionOfSlip) {
  const double alpha = 0.3, mu = 0.8, lift = 0.7;
  SlipMotion exact{[&](long double, long double, long double sx, long double sy) {
                     const long double friction = mu * g * std::cos(alpha) / (1 - mu * lift * sx);
                     return std::array<long double, 2>{g * std::sin(alpha) - friction * sx, -friction * sy};
                   },
                   std::array<long double, 4>{0, 0, -1, 1.2L}};
  exact.until_rest();
  for (const double h : {0.1, 0.01}) {
    const RoughBody<Coupled> body(Coupled{{alpha, mu}, lift}, Rule<double>::trapezoid());
    RoughRun<Coupled> run(body, body.node({0, 0, 0}, {-1, 1.2, 0}), {}, rough_law<Coupled>("newton", 0));
    Stop<RoughBody<Coupled>> stop;
    run.run(h, static_cast<long long>(2 / h), stop);
    EXPECT_NEAR(stop.t, static_cast<double>(exact.t), 1e-9) << h;
    EXPECT_NEAR(stop.q[0], static_cast<double>(exact.y[0]), 1e-9) << h;
    EXPECT_NEAR(stop.q[1], static_cast<double>(exact.y[1]), 1e-9) << h;
    EXPECT_LE(run.node().p.norm(), 1e-14);
  }
}

}  // namespace
}  // namespace ricochet
