#include "ricochet/mechanics/law.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "complementarity/problems.hpp"
#include "ricochet/mechanics/law_check.hpp"

namespace ricochet::mechanics {
namespace {

using Vector = VectorX<double>;
using Matrix = MatrixX<double>;

/// A chain of unit balls that touch; the first one arrives at speed 1. Gap i is x_{i+1} − x_i.
struct Cradle {
  explicit Cradle(int balls, double restitution) : G(Matrix::Zero(balls - 1, balls)), u(Vector::Unit(balls, 0)) {
    for (int i = 0; i + 1 < balls; ++i) {
      G(i, i) = -1;
      G(i, i + 1) = 1;
    }
    W = G * G.transpose();
    v = G * u;
    e = Vector::Constant(balls - 1, restitution);
  }
  Vector after(const Law<double>& law) const {
    Vector lambda(v.size());
    const auto A = contacts<double>(W, v, e);
    const auto outcome = law(A, lambda);
    EXPECT_EQ(outcome.status, LawStatus::solved);
    EXPECT_EQ(outcome.conservative, (e.array() == 1).all());
    const auto check = check_law(A, lambda, outcome, 1.0);
    EXPECT_TRUE(check) << check.sentence();
    return u + G.transpose() * lambda;
  }
  Matrix G, W;
  Vector u, v, e;
};

void expect_equal(const Vector& got, const std::vector<double>& want) {
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[static_cast<Eigen::Index>(i)], want[i], 1e-15) << i;
}

// Without friction the work of compression, half of what the contact stores, gives e: Stronge's law is Newton's. It is
// not defined for two contacts.
TEST(Law, StrongeIsNewtonForOneContact) {
  for (const double e : {0.0, 0.3, 1.0}) {
    const Vector stronge = Cradle(2, e).after(Law<double>::stronge());
    expect_equal(stronge, {(1 - e) / 2, (1 + e) / 2});
  }
  const Cradle cradle(3, 0.5);
  Vector lambda(2);
  EXPECT_EQ(Law<double>::stronge()(contacts<double>(cradle.W, cradle.v, cradle.e), lambda).status,
            LawStatus::one_contact_only);
  EXPECT_EQ(Law<double>::named("stronge")->name(), "stronge");
}

TEST(Law, NewtonsCradle) {
  const auto canonical = Law<double>::canonical(), elastic = Law<double>::elastic();
  expect_equal(Cradle(3, 1).after(canonical), {-1. / 3, 2. / 3, 2. / 3});
  expect_equal(Cradle(5, 1).after(canonical), {-0.6, 0.4, 0.4, 0.4, 0.4});
  expect_equal(Cradle(5, 1).after(elastic), {-0.6, 0.4, 0.4, 0.4, 0.4});
  expect_equal(Cradle(3, 0.5).after(canonical), {0, 0.5, 0.5});
  // equal e: Newton and Poisson coincide with the canonical law
  expect_equal(Cradle(3, 1).after(Law<double>::newton()), {-1. / 3, 2. / 3, 2. / 3});
  expect_equal(Cradle(3, 0.5).after(Law<double>::poisson()), {0, 0.5, 0.5});
  for (const int balls : {2, 3, 5, 9, 30})
    for (const auto order : {SequentialOrder::gap_index, SequentialOrder::most_approaching}) {
      std::vector<double> want(static_cast<std::size_t>(balls), 0.0);
      want.back() = 1;
      expect_equal(Cradle(balls, 1).after(Law<double>::sequential(order)), want);
    }
}

TEST(Law, OneContactIsTheSameForAll) {
  const Matrix W = Matrix::Constant(1, 1, 0.25);
  const Vector v = Vector::Constant(1, -2), e = Vector::Constant(1, 0.5);
  for (const char* name : {"newton", "poisson", "canonical", "sequential"}) {
    Vector lambda(1);
    const auto outcome = (*Law<double>::named(name))(contacts<double>(W, v, e), lambda);
    EXPECT_EQ(outcome.status, LawStatus::solved);
    EXPECT_DOUBLE_EQ(lambda[0], 12) << name;          // (1 + e)·2/0.25
    EXPECT_DOUBLE_EQ(outcome.dissipated, 6) << name;  // ½·m(v² − e²v²), m = 1/W
    EXPECT_FALSE(outcome.conservative);
  }
  EXPECT_FALSE(Law<double>::named("plastic").has_value());
}

// A plate lands flat on four corners, W of rank 3: equal shares, and the plate leaves at e times its speed.
TEST(Law, FourCornersOnAFloor) {
  Matrix G(4, 3);
  G << 1, 2, 3, 1, -2, 3, 1, -2, -3, 1, 2, -3;
  const Vector u = (Vector(3) << -1, 0, 0).finished(), v = G * u, e = Vector::Constant(4, 0.25);
  const Matrix W = G * G.transpose();
  for (const char* name : {"newton", "poisson", "canonical"}) {
    Vector lambda(4);
    const auto A = contacts<double>(W, v, e);
    const auto outcome = (*Law<double>::named(name))(A, lambda);
    ASSERT_EQ(outcome.status, LawStatus::solved);
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(lambda[i], 1.25 / 4, 1e-14) << name;
    EXPECT_NEAR(outcome.dissipated, 0.5 * (1 - 0.0625), 1e-14);
    EXPECT_TRUE(check_law(A, lambda, outcome, 1.0));
  }
}

/// Random normals, possibly dependent, with rates that all approach or rest: v⁻ ∈ −V.
struct Approach {
  Matrix G, W;
  Vector u, v, e;
};
Approach random_approach(std::mt19937_64& engine, int k, int trial) {
  const int dimension = 1 + static_cast<int>(engine() % 7);
  const bool rests = trial % 3 == 0 && k > 1 && dimension > 1;
  auto cone = testing::random_cone<double>(engine, k, dimension, trial % 5 == 0);
  for (int i = 0; i < k; ++i)
    if (cone.v[i] > 0) cone.G.row(i) *= -1;
  if (rests) cone.G.row(0) -= cone.G.row(0).dot(cone.u) / cone.u.squaredNorm() * cone.u.transpose();
  Approach a{cone.G, cone.G * cone.G.transpose(), cone.u, cone.G * cone.u, Vector(k)};
  if (rests) a.v[0] = 0;  // one gap rests
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < k; ++i) a.e[i] = uniform(engine);
  if (trial % 4 == 1) a.e.setConstant(a.e[0]);
  if (trial % 4 == 2) a.e.setOnes();
  if (trial % 4 == 3) a.e[k - 1] = static_cast<double>(trial % 2);
  return a;
}

class EveryLaw : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryLaw, LeavesInTheConeWithoutGainingEnergy) {
  std::mt19937_64 engine(11);
  const auto law = *Law<double>::named(GetParam());
  int unbounded = 0;
  const int trials = 30000;
  for (int trial = 0; trial < trials; ++trial) {
    const int k = 1 + trial % 6;
    const auto a = random_approach(engine, k, trial);
    Vector lambda(k);
    const auto A = contacts<double>(a.W, a.v, a.e);
    const auto outcome = law(A, lambda);
    if (law.kind() == LawKind::sequential && outcome.status == LawStatus::unbounded_sequence) {
      ++unbounded;  // a wedge of nearly opposite normals takes any number of pairs: named, not looped
      continue;
    }
    ASSERT_EQ(outcome.status, LawStatus::solved) << trial;
    const auto check = check_law(A, lambda, outcome, a.u.norm());
    ASSERT_TRUE(check) << GetParam() << " trial " << trial << " k " << k << ": " << check.sentence();
    // the same two statements on the velocity itself, without W
    const Vector after = a.u + a.G.transpose() * lambda;
    ASSERT_GE((a.G * after).minCoeff(), -1e-9 * (1 + lambda.norm()) * a.G.norm());
    ASSERT_LE(after.norm(), a.u.norm() * (1 + 1e-9) + 1e-12 * lambda.norm()) << trial;
    if (outcome.conservative) {
      ASSERT_NEAR(after.norm(), a.u.norm(), 1e-9 * a.u.norm() + 1e-12 * lambda.norm()) << trial;
    }
    ASSERT_NEAR(outcome.dissipated, (a.u.squaredNorm() - after.squaredNorm()) / 2,
                1e-9 * a.u.squaredNorm() + 1e-12 * lambda.squaredNorm());
  }
  EXPECT_LE(unbounded, trials / 1000);  // measured: 1
}
INSTANTIATE_TEST_SUITE_P(Ballard46And47, EveryLaw,
                         ::testing::Values("elastic", "newton", "poisson", "canonical", "sequential"));

/// All but the sequential law, whose order is its statement.
class EveryProjection : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Permutations, EveryProjection, ::testing::Values("elastic", "newton", "poisson", "canonical"));

TEST_P(EveryProjection, DoesNotDependOnTheOrderOfTheGaps) {
  std::mt19937_64 engine(12);
  const auto law = *Law<double>::named(GetParam());
  for (int trial = 0; trial < 5000; ++trial) {
    const int k = 2 + trial % 5;
    const auto a = random_approach(engine, k, trial);
    std::vector<int> order(static_cast<std::size_t>(k));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), engine);
    const Matrix W = a.W(order, order);
    const Vector v = a.v(order), e = a.e(order);
    Vector lambda(k), permuted(k), back(k);
    ASSERT_EQ(law(contacts<double>(a.W, a.v, a.e), lambda).status, LawStatus::solved);
    ASSERT_EQ(law(contacts<double>(W, v, e), permuted).status, LawStatus::solved);
    for (int i = 0; i < k; ++i) back[order[static_cast<std::size_t>(i)]] = permuted[i];
    // A second projection of Poisson inherits the conditioning of the first; nearly singular cones amplify rounding.
    const double amplification = 1 + lambda.norm() / a.v.norm();
    ASSERT_LE((a.G.transpose() * (lambda - back)).norm(), 1e-10 * amplification * (1 + lambda.norm())) << trial;
  }
}

// Ballard 2001 (4.8) from its own words: Proj by cyclic projections of Dykstra on the half-spaces, not by an active
// set.
TEST(Law, CanonicalIsTheProjectionInTheKineticMetric) {
  std::mt19937_64 engine(13);
  for (int trial = 0; trial < 300; ++trial) {
    const int k = 1 + trial % 4;
    auto cone = testing::random_cone<double>(engine, k, 4);
    for (int i = 0; i < k; ++i) {
      if (cone.v[i] > 0) cone.G.row(i) *= -1;
    }
    cone.v = cone.G * cone.u;
    cone.W = cone.G * cone.G.transpose();
    Vector projected = cone.u;
    Matrix corrections = Matrix::Zero(4, k);
    for (int sweep = 0; sweep < 20000; ++sweep) {
      for (int i = 0; i < k; ++i) {
        const Vector shifted = projected + corrections.col(i), n = cone.G.row(i).transpose();
        projected = shifted - std::min(0.0, n.dot(shifted)) / n.squaredNorm() * n;
        corrections.col(i) = shifted - projected;
      }
    }
    const double e = 0.3;
    const Vector es = Vector::Constant(k, e);
    Vector lambda(k);
    ASSERT_EQ(Law<double>::canonical()(contacts<double>(cone.W, cone.v, es), lambda).status, LawStatus::solved);
    const Vector want = projected - e * (cone.u - projected), got = cone.u + cone.G.transpose() * lambda;
    EXPECT_LE((want - got).norm(), 1e-6) << trial;  // Dykstra's linear convergence on sharp cones, not ours
  }
}

TEST(Law, CanonicalUsesTheSmallestRestitutionAndSaysSo) {
  const Cradle cradle(3, 1);
  const Vector e = (Vector(2) << 1, 0.5).finished();
  Vector lambda(2);
  const auto outcome = Law<double>::canonical()(contacts<double>(cradle.W, cradle.v, e), lambda);
  EXPECT_EQ(outcome.restitution, 0.5);
  EXPECT_FALSE(outcome.conservative);
  expect_equal(cradle.u + cradle.G.transpose() * lambda, {0, 0.5, 0.5});
}

// Three balls, e = 1 between the first two, 0 between the last two: the first pair compresses with λ_c = 2/3, the
// second with 1/3; returning (2/3, 0) makes the second gap close at 2/3, so ν₂ = 1/3 is added: v = (−1/3, 2/3, 2/3).
TEST(Law, PoissonSecondPhase) {
  const Cradle cradle(3, 1);
  const Vector e = (Vector(2) << 1, 0).finished();
  Vector lambda(2);
  const auto outcome = Law<double>::poisson()(contacts<double>(cradle.W, cradle.v, e), lambda);
  ASSERT_EQ(outcome.status, LawStatus::solved);
  EXPECT_NEAR(lambda[0], 4. / 3, 1e-15);
  EXPECT_NEAR(lambda[1], 2. / 3, 1e-15);
  expect_equal(cradle.u + cradle.G.transpose() * lambda, {-1. / 3, 2. / 3, 2. / 3});
}

TEST(Law, RestitutionOutsideTheUnitIntervalIsRefused) {
  const Cradle cradle(3, 1);
  for (const double bad : {1.5, -0.1, std::nan("")}) {
    const Vector e = (Vector(2) << 0.5, bad).finished();
    for (const char* name : {"newton", "poisson", "canonical", "sequential"}) {
      Vector lambda(2);
      const auto outcome = (*Law<double>::named(name))(contacts<double>(cradle.W, cradle.v, e), lambda);
      EXPECT_EQ(outcome.status, LawStatus::restitution_out_of_range);
      EXPECT_EQ(lambda.norm(), 0);
    }
    EXPECT_FALSE(refuse_restitution(bad).empty());
  }
  EXPECT_NE(refuse_restitution(1.5).find("above 1"), std::string::npos);
  EXPECT_TRUE(refuse_restitution(1).empty());
  EXPECT_TRUE(refuse_restitution(0).empty());
}

TEST(Law, FailuresHaveNames) {
  const Matrix W = (Matrix(2, 2) << 1, -1, -1, 1).finished();  // a ball between two walls
  Vector lambda(2);
  const Vector one = Vector::Ones(2), closing = -one;
  EXPECT_EQ(Law<double>::elastic()(contacts<double>(W, closing, one), lambda).status, LawStatus::infeasible);
  const Vector flying = (Vector(2) << -1, 1).finished();
  EXPECT_EQ(Law<double>::sequential()(contacts<double>(W, flying, one), lambda).status, LawStatus::unbounded_sequence);
  EXPECT_EQ(Law<double>::sequential()(contacts<double>(W, Vector(flying * std::nan("")), one), lambda).status,
            LawStatus::not_finite);
}

TEST(LawCheck, CatchesWhatALawMustNotDo) {
  const Cradle cradle(3, 0.5);
  const auto A = contacts<double>(cradle.W, cradle.v, cradle.e);
  const auto judge = [&](double l1, double l2, std::optional<double> dissipated = {}) {
    auto law = Law<double>::user("test", [=](const Contacts<double>& a, Impulse<double> lambda) {
      lambda << l1, l2;
      Outcome<double> outcome;
      outcome.dissipated = dissipated ? *dissipated : -energy_change(a, lambda);
      return outcome;
    });
    Vector lambda(2);
    const auto outcome = law(A, lambda);
    return check_law(A, lambda, outcome, 1.0);
  };
  EXPECT_EQ(judge(1, 0.5).verdict, Verdict::admissible);  // the canonical law with e = ½
  EXPECT_EQ(judge(2. / 3, -1e-6).verdict, Verdict::impulse_leaves_cone);
  EXPECT_EQ(judge(2. / 3, 1. / 3 - 1e-6).verdict, Verdict::still_approaching);
  EXPECT_EQ(judge(2. / 3, 1. / 3 - 1e-6).gap, 1);
  EXPECT_EQ(judge(4. / 3 + 1e-6, 2. / 3 + 1e-6).verdict, Verdict::energy_gain);
  EXPECT_EQ(judge(4. / 3, 2. / 3).verdict, Verdict::admissible);
  EXPECT_EQ(judge(1, 0.5, 0.0).verdict, Verdict::wrong_dissipation);
  EXPECT_EQ(judge(std::nan(""), 0.5).verdict, Verdict::impulse_leaves_cone);
  const auto gain = judge(2, 1);  // ½λᵀ(φ̇⁺ + φ̇⁻) = ½(2·(3 − 1 − 1) + 1·0)
  EXPECT_NEAR(gain.energy_change, 1, 1e-15);
  EXPECT_NE(gain.sentence().find("gains the energy 1"), std::string::npos) << gain.sentence();
}

// Prescribing φ̇⁺ = −e φ̇⁻ as an equality with unequal e pulls and can gain energy; the complementary form cannot.
TEST(LawCheck, NewtonAsAnEqualityIsCaught) {
  const auto equality = Law<double>::user("equality", [](const Contacts<double>& A, Impulse<double> lambda) {
    const Vector target = -((1 + A.e.array()) * A.v.array()).matrix();
    lambda = Matrix(A.W).ldlt().solve(target);
    Outcome<double> outcome;
    outcome.dissipated = -energy_change(A, lambda);
    return outcome;
  });
  // two steep walls of a wedge: the normals point against each other, one rebounds, the other does not
  const Matrix W = (Matrix(2, 2) << 1, 0.9, 0.9, 1).finished();
  const Vector v = (Vector(2) << -1, -0.1).finished(), e = (Vector(2) << 1, 0).finished();
  const auto A = contacts<double>(W, v, e);
  Vector lambda(2);
  const auto pulled = equality(A, lambda);
  // ΔE = ½Σλ_i(1 − e_i)v_i = −0.05 λ₂ with λ₂ = (0.1 − 0.9·2)/(1 − 0.81) < 0
  EXPECT_NEAR(pulled.dissipated, 0.05 * (0.1 - 1.8) / 0.19, 1e-12);
  EXPECT_EQ(check_law(A, lambda, pulled).verdict, Verdict::impulse_leaves_cone);
  EXPECT_GT(check_law(A, lambda, pulled).energy_change, 0.4);
  const auto complementary = Law<double>::newton()(A, lambda);
  EXPECT_TRUE(check_law(A, lambda, complementary));
}

TEST(Law, LongDouble) {
  using Real = long double;
  MatrixX<Real> W(2, 2);
  W << 2, -1, -1, 2;
  VectorX<Real> v(2), e(2), lambda(2);
  v << -1, 0;
  e << 1, 1;
  for (const char* name : {"elastic", "newton", "poisson", "canonical"}) {
    const auto A = contacts<Real>(W, v, e);
    const auto outcome = (*Law<Real>::named(name))(A, lambda);
    EXPECT_TRUE(check_law<Real>(A, lambda, outcome, 1));
    EXPECT_LE(std::abs(lambda[0] - 4.L / 3), 1e-18L);
    EXPECT_LE(std::abs(lambda[1] - 2.L / 3), 1e-18L);
  }
}

}  // namespace
}  // namespace ricochet::mechanics
