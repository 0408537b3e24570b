// The impact of one spatial contact with friction: the slip that turns (law_slip.hpp).
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "mechanics/random_impact.hpp"
#include "ricochet/mechanics/law_friction.hpp"
#include "ricochet/mechanics/law_friction_check.hpp"
#include "support/effort.hpp"

namespace ricochet::mechanics {
namespace {

using testing::Impact, testing::Matrix, testing::Vector;
using testing::kinetic_gain, testing::random_impact, testing::random_rod;

void one_spatial_contact(int trials, unsigned seed) {
  std::mt19937_64 engine(seed);
  FrictionLaw<double> poisson(Restitution::poisson), stronge(Restitution::stronge), newton(Restitution::newton);
  Vector r(3), turned(3);
  int gains = 0;
  SlipEvents seen;
  for (int trial = 0; trial < trials; ++trial) {
    Impact impact = random_impact(engine, 1, 3, trial);
    for (auto* law : {&poisson, &stronge, &newton}) {
      const auto A = impact.contacts();
      const auto outcome = (*law)(A, r);
      ASSERT_EQ(outcome.status, LawStatus::solved) << trial;
      const auto check = check_friction_law(A, r, outcome, impact.u.norm());
      if (law == &newton) {
        ASSERT_TRUE(check || check.verdict == Verdict::energy_gain) << check.sentence();
        gains += !check;
        continue;
      }
      ASSERT_TRUE(check) << trial << ' ' << check.sentence();
      ASSERT_LE(kinetic_gain(impact, r), 1e-9 * (impact.u.squaredNorm() + r.squaredNorm()));
      seen.sticks += outcome.events.sticks;
      seen.reversals += outcome.events.reversals;
      seen.jams += outcome.events.jams;
      seen.renewals += outcome.events.renewals;
    }
    if (trial % 10) continue;
    // turning the tangential directions turns the impulse
    const auto before = stronge(impact.contacts(), r);
    const Eigen::Rotation2Dd turn(0.1 + trial);
    impact.H.bottomRows(2) = (turn.toRotationMatrix() * impact.H.bottomRows(2)).eval();
    impact.W = impact.H * impact.H.transpose();
    impact.v = impact.H * impact.u;
    ASSERT_EQ(stronge(impact.contacts(), turned).status, before.status);
    ASSERT_NEAR(turned[0], r[0], 1e-8 * r[0]);
    ASSERT_LE((turned.tail(2) - turn * r.tail<2>()).norm(), 1e-8 * r.norm()) << trial;
  }
  EXPECT_NEAR(gains, 0.02 * trials, 0.005 * trials);
  EXPECT_GT(seen.sticks, 100);
  EXPECT_GT(seen.reversals, 100);
  EXPECT_GT(seen.jams, 100);
}

TEST(SpatialImpact, NeverGainsEnergyByPoissonOrStronge) { one_spatial_contact(test::effort(100000), 165); }

// No coupling to the second slip direction and no slip along it: the spatial process is the planar one.
TEST(SpatialImpact, ReducesToPlanar) {
  std::mt19937_64 engine(66);
  for (int trial = 0; trial < 1000; ++trial) {
    const Impact plane = random_rod(engine);
    Impact space{3, {}, Matrix::Zero(3, 3), {}, Vector::Zero(3), plane.e, plane.mu};
    space.W.topLeftCorner(2, 2) = plane.W;
    space.W(2, 2) = 1;
    space.v.head(2) = plane.v;
    for (const auto kind : {Restitution::newton, Restitution::poisson, Restitution::stronge}) {
      Vector r2(2), r3(3);
      ASSERT_EQ(FrictionLaw<double>(kind)(plane.contacts(), r2).status, LawStatus::solved);
      ASSERT_EQ(FrictionLaw<double>(kind)(space.contacts(), r3).status, LawStatus::solved) << trial;
      // conditioning: while it sticks the gap opens with the Schur complement, which may be small
      const double condition = plane.W(0, 0) * plane.W(1, 1) / plane.W.determinant();
      ASSERT_LE((r3.head(2) - r2).norm() + std::abs(r3[2]), 1e-9 * condition * r2.norm()) << trial;
    }
  }
}

/// Poisson's impact where W_TT = σ and W_TN = (ω, 0), in closed form. e^{μστ}u_T = (b sinh(ωτ + a), b) solves the
/// equation of slip, and p_N, p_T are integrals of exponentials. W_NN > μω, so u_N grows all the way.
class IsotropicImpact {
 public:
  using Real = long double;
  Real W00, omega, sigma, mu, vn, x, y;  ///< v⁻ = (vn, x, y), y > 0

  /// p(τ), the slip given up to τ, or with an infinite τ until it dies
  std::array<Real, 3> slipped(Real tau) const {
    const Real a = std::asinh(x / y), lambda = mu * sigma;
    const auto decay = [&](Real rate) { return rate == 0 ? tau : -std::expm1(-rate * tau) / rate; };
    const Real ahead = y * std::exp(a) / 2 * decay(lambda - omega), back = y * std::exp(-a) / 2 * decay(lambda + omega);
    return {ahead + back, -mu * (ahead - back), -mu * y * decay(lambda)};
  }
  Real normal_rate(const std::array<Real, 3>& p) const { return vn + W00 * p[0] + omega * p[1]; }

  /// The first τ where `lacking`, which grows, is zero, or infinity.
  template <class F>
  static Real when(const F& lacking) {
    Real low = 0, high = 1;
    while (lacking(high) < 0) {
      high *= 2;
      if (high > 1e12L) return std::numeric_limits<Real>::infinity();
    }
    for (int n = 0; n < 200; ++n) {
      const Real middle = (low + high) / 2;
      (lacking(middle) < 0 ? low : high) = middle;
    }
    return high;
  }

  std::array<Real, 3> poisson(Real e) const {
    const Real never = std::numeric_limits<Real>::infinity();
    const Real tau = when([&](Real t) { return normal_rate(slipped(t)); });
    const auto stuck = [&](Real normal) -> std::array<Real, 3> {  // since the slip has died: dp_T = −W_TN/σ dp_N
      const auto p = slipped(never);
      return {normal, p[1] - omega / sigma * (normal - p[0]), p[2]};
    };
    Real end = 0;
    if (tau < never) {
      end = (1 + e) * slipped(tau)[0];
    } else {
      const auto p = slipped(never);
      end = (1 + e) * (p[0] - normal_rate(p) / (W00 - omega * omega / sigma));
    }
    const Real until = when([&](Real t) { return slipped(t)[0] - end; });
    return until < never ? slipped(until) : stuck(end);
  }
};

// Friction far from, near and at the critical value |S⁻¹w| = μ, where a slip neither dies nor grows; slips that come
// close to rest on their way included (y small against −x).
TEST(SpatialImpact, IsotropicInClosedForm) {
  std::mt19937_64 engine(166);
  std::uniform_real_distribution<double> uniform;
  for (const double off : {0.5, 0.1, 1e-3, 1e-5, 1e-7, 1e-10, 0.0, -1e-10, -1e-7, -1e-5, -1e-3, -0.1, -0.5}) {
    for (int trial = 0; trial < 300; ++trial) {
      const double mu = 0.1 + uniform(engine), sigma = 0.5 + uniform(engine), omega = mu * sigma * (1 - off);
      const double W00 = omega * omega / sigma + mu * omega + 0.1 + uniform(engine), e = uniform(engine);
      const double x = 2 * uniform(engine) - 1.5, y = std::pow(10., -5 * uniform(engine)), vn = -0.1 - uniform(engine);
      const IsotropicImpact exact{W00, omega, sigma, mu, vn, x, y};
      const auto p = exact.poisson(e);
      Impact impact{3, {}, Matrix::Zero(3, 3), {}, Vector(3), Vector(1), Vector(1)};
      impact.W << W00, omega, 0, omega, sigma, 0, 0, 0, sigma;
      impact.v << vn, x, y;
      impact.e << e;
      impact.mu << mu;
      Vector r(3);
      ASSERT_EQ(FrictionLaw<double>(Restitution::poisson)(impact.contacts(), r).status, LawStatus::solved) << off;
      for (int i = 0; i < 3; ++i)
        ASSERT_NEAR(r[i], static_cast<double>(p[static_cast<std::size_t>(i)]), 1e-12 * static_cast<double>(p[0]))
            << "component " << i << ", off the critical friction by " << off << ", trial " << trial;
    }
  }
}

// The same impacts in long double, whose series are longer and whose steps differ.
TEST(SpatialImpact, DoubleAgreesWithLongDouble) {
  using L = long double;
  std::mt19937_64 engine(167);
  Vector r(3);
  VectorX<L> exact(3);
  for (int trial = 0; trial < 3000; ++trial) {
    const Impact impact = random_impact(engine, 1, 3, trial);
    const MatrixX<L> W = impact.W.cast<L>();
    const VectorX<L> v = impact.v.cast<L>(), e = impact.e.cast<L>(), mu = impact.mu.cast<L>();
    for (const auto kind : {Restitution::newton, Restitution::poisson, Restitution::stronge}) {
      ASSERT_EQ(FrictionLaw<double>(kind)(impact.contacts(), r).status, LawStatus::solved);
      ASSERT_EQ(FrictionLaw<L>(kind)(friction_contacts<L>(3, W, v, e, mu), exact).status, LawStatus::solved);
      ASSERT_LE((r.cast<L>() - exact).norm(), 1e-11L * exact.norm()) << trial;  // measured over 1e5: 4e-12
    }
  }
}

}  // namespace
}  // namespace ricochet::mechanics
