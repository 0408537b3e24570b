#include "ricochet/mechanics/law_friction.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>

#include "mechanics/random_impact.hpp"
#include "ricochet/mechanics/law_friction_check.hpp"

namespace ricochet::mechanics {
namespace {

using testing::Impact, testing::Matrix, testing::Vector;
using testing::kinetic_gain, testing::random_impact, testing::random_rod;

TEST(FrictionLaw, PlanarPoissonAndStrongeNeverGainEnergy) {
  std::mt19937_64 engine(61);
  FrictionLaw<double> poisson(Restitution::poisson), stronge(Restitution::stronge);
  SlipEvents seen;
  Vector r(2);
  for (int trial = 0; trial < 100000; ++trial) {
    const Impact impact = trial % 2 ? random_rod(engine) : random_impact(engine, 1, 2, trial);
    for (auto* law : {&poisson, &stronge}) {
      const auto A = impact.contacts();
      const auto outcome = (*law)(A, r);
      ASSERT_EQ(outcome.status, LawStatus::solved) << trial;
      const auto check = check_friction_law(A, r, outcome, impact.u.norm());
      ASSERT_TRUE(check) << trial << ' ' << check.sentence();
      ASSERT_LE(kinetic_gain(impact, r), 1e-9 * (impact.u.squaredNorm() + r.squaredNorm())) << trial;
      seen.jams += outcome.events.jams;
      seen.sticks += outcome.events.sticks;
      seen.reversals += outcome.events.reversals;
    }
  }
  EXPECT_GT(seen.sticks, 1000);
  EXPECT_GT(seen.reversals, 1000);
  EXPECT_GT(seen.jams, 1000);
}

// errata B3: about 2.5 % of random planar impacts. The share is one of the sampling: with normals and slip directions
// of a random system (W = HHᵀ with H normal 2 × 2, v⁻ normal, e and μ uniform in [0, 1]) it is 2.1 % (3.5 % with μ up
// to 2), for the rod above 1.2 %. Newton by its end conditions gains more often.
TEST(FrictionLaw, PlanarNewtonSometimesGainsEnergyAndIsCaught) {
  std::mt19937_64 engine(62);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  FrictionLaw<double> newton(Restitution::newton);
  auto end_conditions = FrictionLaw<double>(Restitution::newton).by_end_conditions();
  Vector r(2);
  int gains[2][2] = {};
  const int trials = 100000;
  for (int trial = 0; trial < 2 * trials; ++trial) {
    const bool rod = trial % 2;
    Impact impact = random_rod(engine);
    if (!rod) {
      impact.H = Matrix::NullaryExpr(2, 2, [&] { return normal(engine); });
      impact.v = Vector::NullaryExpr(2, [&] { return normal(engine); });
      if (impact.v[0] > 0) impact.v *= -1;
      impact.u = impact.H.inverse() * impact.v;
      impact.W = impact.H * impact.H.transpose();
      impact.mu[0] = uniform(engine);
    }
    const auto A = impact.contacts();
    int which = 0;
    for (auto* law : {&newton, &end_conditions}) {
      const auto outcome = (*law)(A, r);
      ASSERT_EQ(outcome.status, LawStatus::solved) << trial;
      const auto check = check_friction_law(A, r, outcome, impact.u.norm());
      ASSERT_TRUE(check || check.verdict == Verdict::energy_gain) << check.sentence();
      gains[rod][which++] += check.verdict == Verdict::energy_gain;
      // the energy of the system itself, without W; conditioned like the impulse
      ASSERT_NEAR(check.energy_change, kinetic_gain(impact, r),
                  1e-10 * (impact.u.squaredNorm() + impact.H.squaredNorm() * r.squaredNorm()))
          << trial;
    }
  }
  EXPECT_NEAR(gains[0][0], 0.0207 * trials, 0.002 * trials);
  EXPECT_NEAR(gains[1][0], 0.0124 * trials, 0.002 * trials);
  EXPECT_GT(gains[0][1], gains[0][0]);
}

// W_NT = 0, a ball on a floor: all laws agree, p_N = (1 + e)|v_N|/W_NN and p_T stops the slip or is μ p_N.
TEST(FrictionLaw, UncoupledContactInClosedForm) {
  std::mt19937_64 engine(63);
  std::uniform_real_distribution<double> uniform(0.1, 2);
  for (int trial = 0; trial < 1000; ++trial) {
    for (const int dimension : {2, 3}) {
      Impact impact{dimension, {}, Matrix::Zero(dimension, dimension), {}, Vector(dimension), Vector(1), Vector(1)};
      impact.W(0, 0) = uniform(engine);
      impact.W.diagonal().tail(dimension - 1).setConstant(uniform(engine));
      impact.v.setConstant(uniform(engine));
      impact.v[0] *= -1;
      impact.e << uniform(engine) / 2;
      impact.mu << uniform(engine);
      const double pn = (1 + impact.e[0]) * -impact.v[0] / impact.W(0, 0);
      const Vector slip = impact.v.tail(dimension - 1);
      const double pt = std::min(impact.mu[0] * pn, slip.norm() / impact.W(1, 1));
      for (const auto kind : {Restitution::newton, Restitution::poisson, Restitution::stronge}) {
        Vector r(dimension);
        ASSERT_EQ(FrictionLaw<double>(kind)(impact.contacts(), r).status, LawStatus::solved);
        EXPECT_NEAR(r[0], pn, 1e-10 * pn);
        EXPECT_LE((r.tail(dimension - 1) + pt * slip.normalized()).norm(), 1e-10 * (pt + pn)) << dimension;
      }
    }
  }
}

// By hand. Jam: slip closes the gap faster until it dies at p = 1/1.1, then it sticks with dp_T = −0.9 dp_N; p_c = 10.
TEST(FrictionLaw, JamByHand) {
  Impact impact{2, {}, Matrix(2, 2), {}, Vector(2), Vector(1), Vector(1)};
  impact.W << 1, 0.9, 0.9, 1;
  impact.v << -1, 1;
  impact.e << 0.5;
  impact.mu << 2;
  Vector r(2);
  const auto outcome = FrictionLaw<double>(Restitution::poisson)(impact.contacts(), r);
  EXPECT_EQ(outcome.events.jams, 1);
  EXPECT_EQ(outcome.events.sticks, 1);
  EXPECT_NEAR(r[0], 15, 1e-12);
  EXPECT_NEAR(r[1], -14.5, 1e-12);
  EXPECT_TRUE(painleve(impact.contacts(), 0, Vector::Constant(1, 1)));
  EXPECT_FALSE(painleve(impact.contacts(), 0, Vector::Constant(1, -1)));
}

// By hand. Slip −0.1 dies at p = 1/7, then goes the other way: p_c = 1/7 + (1 − 1.1/7)/0.9.
TEST(FrictionLaw, ReversalByHand) {
  Impact impact{2, {}, Matrix(2, 2), {}, Vector(2), Vector(1), Vector(1)};
  impact.W << 1, 0.5, 0.5, 1;
  impact.v << -1, -0.1;
  impact.e << 1;
  impact.mu << 0.2;
  const double pc = 1. / 7 + (1 - 1.1 / 7) / 0.9;
  Vector r(2);
  auto outcome = FrictionLaw<double>(Restitution::poisson)(impact.contacts(), r);
  EXPECT_EQ(outcome.events.reversals, 1);
  EXPECT_NEAR(r[0], 2 * pc, 1e-14);
  EXPECT_NEAR(r[1], 0.2 / 7 - 0.2 * (2 * pc - 1. / 7), 1e-14);
  // Stronge, e = 1: the work of compression −½(1 + u₁)/7 − ½u₁²/0.9, u₁ = 1 − 1.1/7, comes back at stiffness 0.9
  const double u1 = 1 - 1.1 / 7, work = (1 + u1) / 14 + u1 * u1 / 1.8;
  outcome = FrictionLaw<double>(Restitution::stronge)(impact.contacts(), r);
  EXPECT_NEAR(r[0], pc + std::sqrt(2 * work / 0.9), 1e-14);
}

// The process itself, in small steps of the normal impulse and with no events: converges to the event-driven answer.
TEST(FrictionLaw, AgreesWithSmallSteps) {
  std::mt19937_64 engine(64);
  for (int trial = 0; trial < 60; ++trial) {
    const int dimension = 2 + trial % 2;
    const Impact impact = random_impact(engine, 1, dimension, 1);
    const double mu = impact.mu[0], e = impact.e[0];
    Vector r(dimension);
    ASSERT_EQ(FrictionLaw<double>(Restitution::poisson)(impact.contacts(), r).status, LawStatus::solved);
    // one implicit friction step after the other: the slip at the end of each decides
    Vector p = Vector::Zero(dimension);
    const int steps = 20000;
    const double h = r[0] / steps;
    double compression = -1;
    for (int n = 0; n < steps; ++n) {
      const Vector u = impact.v + impact.W * p;
      if (compression < 0 && u[0] >= 0) compression = p[0];
      const Vector slip = u.tail(dimension - 1) + impact.W.block(1, 0, dimension - 1, 1) * h;
      const Matrix S = impact.W.bottomRightCorner(dimension - 1, dimension - 1);
      Vector dp = -S.ldlt().solve(slip);
      for (int m = 0; dp.norm() > mu * h * (1 + 1e-12) && m < 100; ++m) {
        // (S + α) dp = −slip, |dp| = μh, by a fixed point in α
        static double alpha;
        if (m == 0) alpha = 0;
        const Matrix shifted = S + alpha * Matrix::Identity(dimension - 1, dimension - 1);
        dp = -shifted.ldlt().solve(slip);
        const Vector dpa = -shifted.ldlt().solve(dp);
        alpha += (dp.norm() / (mu * h) - 1) * dp.squaredNorm() / -dp.dot(dpa);
        dp = -(S + alpha * Matrix::Identity(dimension - 1, dimension - 1)).ldlt().solve(slip);
      }
      p[0] += h;
      p.tail(dimension - 1) += dp;
    }
    const double size = 20.0 / steps * (1 + r.norm());
    EXPECT_NEAR(r[0], (1 + e) * compression, size) << trial;
    EXPECT_LE((p - r).norm(), size) << trial;
  }
}

/// Two and three contacts of dimension d.
void several_contacts(int d, int trials, unsigned seed) {
  std::mt19937_64 engine(seed);
  FrictionLaw<double> poisson(Restitution::poisson), newton(Restitution::newton);
  int gains = 0, reduced = 0, unsolved = 0, wedged = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const int n = 2 + trial % 2;
    const Impact impact = random_impact(engine, n, d, trial);
    const auto A = impact.contacts();
    Vector r(d * n);
    for (auto* law : {&poisson, &newton}) {
      const auto outcome = (*law)(A, r);
      if (law == &newton && outcome.status == LawStatus::wedged) {
        ASSERT_EQ(trial % 3, 0);  // only where W is singular: φ̇⁺ ≥ −e φ̇⁻ for all contacts asks too much
        ++wedged;
        continue;
      }
      if (law == &newton && trial % 3 == 0 && outcome.status == LawStatus::no_convergence) {
        ++unsolved;
        continue;
      }
      ASSERT_EQ(outcome.status, LawStatus::solved) << trial;
      const auto check = check_friction_law(A, r, outcome, impact.u.norm());
      if (law == &newton) {
        ASSERT_TRUE(check || check.verdict == Verdict::energy_gain) << trial << ' ' << check.sentence();
        gains += !check;
        continue;
      }
      reduced += outcome.reduced < 1;
      ASSERT_TRUE(check) << trial << ' ' << check.sentence();
      ASSERT_LE(kinetic_gain(impact, r), 1e-9 * (impact.u.squaredNorm() + r.squaredNorm()));
    }
  }
  // measured over 1e5 impacts in space: 341 wedged and 53 unsolved, all of them Newton's with singular W
  EXPECT_LE(unsolved, trials / 500);
  EXPECT_LE(wedged, trials / 100);
  EXPECT_LE(reduced, trials / 1000);  // measured: 4 in the plane, none in space
  EXPECT_GT(gains, trials / 50);
}
TEST(FrictionLaw, SeveralPlanarContacts) { several_contacts(2, 20000, 67); }
TEST(FrictionLaw, SeveralSpatialContacts) { several_contacts(3, 10000, 67); }
TEST(LongFrictionLaw, SeveralPlanarContacts) { several_contacts(2, 100000, 167); }
TEST(LongFrictionLaw, SeveralSpatialContacts) { several_contacts(3, 100000, 168); }

TEST(FrictionLaw, WithoutFrictionItIsTheFrictionlessLaw) {
  std::mt19937_64 engine(68);
  for (int trial = 0; trial < 500; ++trial) {
    for (const int n : {1, 3}) {
      Impact impact = random_impact(engine, n, 2, 1);
      impact.mu.setZero();
      Vector r(2 * n), lambda(n), v(n);
      Matrix W(n, n);
      for (int i = 0; i < n; ++i) {
        v[i] = impact.v[2 * i];
        for (int j = 0; j < n; ++j) W(i, j) = impact.W(2 * i, 2 * j);
      }
      const auto A = contacts<double>(W, v, impact.e);
      for (const auto kind : {Restitution::newton, Restitution::poisson}) {
        const auto law = kind == Restitution::newton ? Law<double>::newton() : Law<double>::poisson();
        ASSERT_EQ(law(A, lambda).status, LawStatus::solved);
        ASSERT_EQ(FrictionLaw<double>(kind)(impact.contacts(), r).status, LawStatus::solved);
        for (int i = 0; i < n; ++i) {
          EXPECT_NEAR(r[2 * i], lambda[i], 1e-9 * (1 + lambda.norm()));
          EXPECT_EQ(r[2 * i + 1], 0);
        }
      }
    }
  }
}

TEST(FrictionLaw, RefusalsHaveNames) {
  std::mt19937_64 engine(69);
  Impact impact = random_impact(engine, 2, 2, 1);
  Vector r(4);
  EXPECT_EQ(FrictionLaw<double>(Restitution::stronge)(impact.contacts(), r).status, LawStatus::one_contact_only);
  impact.e[0] = 1.5;
  EXPECT_EQ(FrictionLaw<double>(Restitution::newton)(impact.contacts(), r).status, LawStatus::restitution_out_of_range);
  impact.e[0] = 0.5;
  impact.mu[1] = -1;
  EXPECT_EQ(FrictionLaw<double>(Restitution::newton)(impact.contacts(), r).status, LawStatus::not_finite);
}

TEST(FrictionLaw, LongDouble) {
  MatrixX<long double> W(3, 3);
  W << 1, 0.5L, 0.1L, 0.5L, 1, 0, 0.1L, 0, 1;
  VectorX<long double> v(3), e(1), mu(1), r(3);
  v << -1, -0.1L, 0.3L;
  e << 0.5L;
  mu << 0.2L;
  const auto A = friction_contacts<long double>(3, W, v, e, mu);
  for (const auto kind : {Restitution::newton, Restitution::poisson, Restitution::stronge}) {
    const auto outcome = FrictionLaw<long double>(kind)(A, r);
    EXPECT_EQ(outcome.status, LawStatus::solved);
    EXPECT_TRUE((check_friction_law<long double>(A, r, outcome, 1)));
  }
}

}  // namespace
}  // namespace ricochet::mechanics
