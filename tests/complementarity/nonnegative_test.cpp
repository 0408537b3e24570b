#include "ricochet/complementarity/nonnegative.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "complementarity/problems.hpp"

namespace ricochet::complementarity {
namespace {

using testing::random_cone;

template <class Real>
class Nonnegative : public ::testing::Test {
 public:
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  static constexpr Real eps = std::numeric_limits<Real>::epsilon();
};
using Reals = ::testing::Types<double, long double>;
TYPED_TEST_SUITE(Nonnegative, Reals);

// Backward error of the three conditions in units of the terms summed; k small, so 1e4 ε leaves room for the
// conditioning of random normals (a pivot is accepted down to 64 k ε).
template <class Matrix, class Vector>
void expect_complementary(const Matrix& W, const Vector& v, const Vector& lambda) {
  using Real = typename Vector::Scalar;
  const Vector w = W * lambda + v;
  const Vector size = (W.cwiseAbs() * lambda.cwiseAbs() + v.cwiseAbs()).eval();
  const Real tol = 1e4 * std::numeric_limits<Real>::epsilon();
  const Real all = W.diagonal().cwiseSqrt().maxCoeff() * size.cwiseQuotient(W.diagonal().cwiseSqrt()).maxCoeff();
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    ASSERT_GE(lambda[i], 0);
    ASSERT_GE(w[i], -tol * all);
    ASSERT_LE(std::min(w[i], lambda[i] * W(i, i)), tol * all);
  }
}

TYPED_TEST(Nonnegative, SatisfiesTheConditionsOnRandomCones) {
  std::mt19937_64 engine(1);
  for (int trial = 0; trial < 20000; ++trial) {
    const int k = 1 + trial % 10, dimension = 1 + static_cast<int>(engine() % 12);
    const auto cone = random_cone<TypeParam>(engine, k, dimension, trial % 3 == 0);
    typename TestFixture::Vector lambda(k);
    ASSERT_EQ(project_on_cone(cone.W, cone.v, lambda), Status::solved) << trial;
    expect_complementary(cone.W, cone.v, lambda);
  }
}

TYPED_TEST(Nonnegative, AgreesWithEnumerationOfActiveSets) {
  std::mt19937_64 engine(2);
  for (int trial = 0; trial < 2000; ++trial) {
    const int k = 1 + trial % 6;
    const auto cone = random_cone<TypeParam>(engine, k, k + 2);
    typename TestFixture::Vector lambda(k);
    ASSERT_EQ(project_on_cone(cone.W, cone.v, lambda), Status::solved);
    const Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> W = cone.W.template cast<long double>();
    const Eigen::Matrix<long double, Eigen::Dynamic, 1> v = cone.v.template cast<long double>();
    const auto exact = testing::enumerate_nonnegative(W, v, 1e-15L);
    ASSERT_TRUE(exact.has_value());
    // relative to the conditioning of W, which random square-ish normals can make large
    const long double condition = W.norm() * W.inverse().norm();
    EXPECT_LE((lambda.template cast<long double>() - *exact).norm(),
              100 * condition * std::numeric_limits<TypeParam>::epsilon() * (1 + exact->norm()));
  }
}

// Tikhonov: the minimiser of ½λᵀWλ + vᵀλ + ½ε Σ W_ii λ_i² tends to the least-norm solution, with an error O(ε).
TYPED_TEST(Nonnegative, SingularDelassusGivesTheLeastWeightedNorm) {
  std::mt19937_64 engine(3);
  int checked = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const int k = 2 + trial % 5, dimension = 1 + static_cast<int>(engine() % static_cast<unsigned>(k - 1));
    auto cone = random_cone<TypeParam>(engine, k, dimension, trial % 4 == 0);
    typename TestFixture::Vector lambda(k);
    ASSERT_EQ(project_on_cone(cone.W, cone.v, lambda), Status::solved);
    const Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> W = cone.W.template cast<long double>();
    const Eigen::Matrix<long double, Eigen::Dynamic, 1> v = cone.v.template cast<long double>();
    auto regular = [&](long double bias) {
      auto shifted = W;
      shifted.diagonal() *= 1 + bias;
      return testing::enumerate_nonnegative(shifted, v, 1e-14L);
    };
    const auto once = regular(1e-8L), twice = regular(2e-8L);
    if (!once || !twice || (*once - *twice).norm() > 1e-4L) continue;  // nearly parallel normals amplify the bias
    ++checked;
    // the bias is linear in ε, measured by halving; rounding of the data is amplified by 1/ε = 1e8
    EXPECT_LE((lambda.template cast<long double>() - *once).norm(),
              3 * (*once - *twice).norm() + 1e-6L * (1 + once->squaredNorm()))
        << trial;
  }
  EXPECT_GT(checked, 900);
}

TYPED_TEST(Nonnegative, EqualContactsShareEqually) {
  using Real = TypeParam;
  typename TestFixture::Matrix two = TestFixture::Matrix::Ones(2, 2);
  typename TestFixture::Vector v = TestFixture::Vector::Constant(2, -1), lambda(2);
  ASSERT_EQ(project_on_cone(two, v, lambda), Status::solved);
  EXPECT_NEAR(static_cast<double>(lambda[0]), 0.5, 1e-15);
  EXPECT_NEAR(static_cast<double>(lambda[1]), 0.5, 1e-15);

  // a plate of mass 1 and unit radii of gyration lands flat on four corners (±a, ±b): each carries a quarter
  typename TestFixture::Matrix G(4, 3);
  const Real a = 2, b = 3;
  G << 1, a, b, 1, -a, b, 1, -a, -b, 1, a, -b;
  typename TestFixture::Vector four(4), rates = G * Eigen::Matrix<Real, 3, 1>(-1, 0, 0);
  const typename TestFixture::Matrix W = G * G.transpose();
  ASSERT_EQ(project_on_cone(W, rates, four), Status::solved);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(static_cast<double>(four[i]), 0.25, 1e-14);
}

TYPED_TEST(Nonnegative, DoesNotDependOnTheOrderOrTheScaleOfTheGaps) {
  using Real = TypeParam;
  std::mt19937_64 engine(4);
  for (int trial = 0; trial < 5000; ++trial) {
    const int k = 2 + trial % 8, dimension = 1 + static_cast<int>(engine() % 8);
    const auto cone = random_cone<Real>(engine, k, dimension, trial % 2 == 0);
    std::vector<int> order(static_cast<std::size_t>(k));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), engine);
    typename TestFixture::Vector scale(k), lambda(k), other(k);
    for (int i = 0; i < k; ++i) scale[i] = static_cast<Real>(std::pow(10.0, static_cast<double>(engine() % 13) - 6));
    const typename TestFixture::Matrix W = (scale.asDiagonal() * cone.W * scale.asDiagonal()).eval()(order, order);
    const typename TestFixture::Vector v = (scale.asDiagonal() * cone.v).eval()(order);
    ASSERT_EQ(project_on_cone(cone.W, cone.v, lambda), Status::solved);
    ASSERT_EQ(project_on_cone(W, v, other), Status::solved);
    const typename TestFixture::Vector w = cone.W * lambda + cone.v;
    for (int i = 0; i < k; ++i) {
      const int j = order[static_cast<std::size_t>(i)];
      const Real back = other[i] * scale[j];
      // the velocity is well conditioned; λ itself is compared through it and, for benign cones, directly
      if (lambda.norm() < 100 * cone.v.norm()) {
        EXPECT_NEAR(static_cast<double>(back), static_cast<double>(lambda[j]),
                    1e-9 * static_cast<double>(1 + lambda.norm()))
            << trial;
      }
    }
    typename TestFixture::Vector back(k);
    for (int i = 0; i < k; ++i)
      back[order[static_cast<std::size_t>(i)]] = other[i] * scale[order[static_cast<std::size_t>(i)]];
    EXPECT_LE((cone.W * back + cone.v - w).norm(), 1e5 * TestFixture::eps * (cone.W.norm() * lambda.norm() + 1));
  }
}

TYPED_TEST(Nonnegative, NamesItsFailures) {
  using Real = TypeParam;
  typename TestFixture::Vector lambda(2), v(2);
  typename TestFixture::Matrix W(2, 2);
  W << 1, -1, -1, 1;  // one ball between two walls
  v << -1, -1;        // that close on it
  EXPECT_EQ(project_on_cone(W, v, lambda), Status::infeasible);
  v << -1, 1;  // it flies into one of them
  ASSERT_EQ(project_on_cone(W, v, lambda), Status::solved);
  EXPECT_EQ((W * lambda + v).norm(), 0);
  v << -1, std::numeric_limits<Real>::quiet_NaN();
  EXPECT_EQ(project_on_cone(W, v, lambda), Status::not_finite);
  W << -1, 0, 0, 1;
  v << -1, -1;
  EXPECT_EQ(project_on_cone(W, v, lambda), Status::not_finite);
  W << 0, 0, 0, 1;  // a gap without gradient that closes
  EXPECT_EQ(project_on_cone(W, v, lambda), Status::infeasible);

  typename TestFixture::Vector one(1), rate(1);
  typename TestFixture::Matrix mass(1, 1);
  mass << 4;
  rate << -2;
  ASSERT_EQ(project_on_cone(mass, rate, one), Status::solved);
  EXPECT_EQ(one[0], Real(0.5));
  rate << 2;
  ASSERT_EQ(project_on_cone(mass, rate, one), Status::solved);
  EXPECT_EQ(one[0], 0);
  mass << 0;
  rate << -1;
  EXPECT_EQ(project_on_cone(mass, rate, one), Status::infeasible);
}

// Two contacts that do not know each other: a speed of 1e-200 beside a speed of 1 is still a speed.
TYPED_TEST(Nonnegative, DecoupledContactsKeepTheirOwnScale) {
  typename TestFixture::Matrix W = TestFixture::Matrix::Identity(2, 2);
  typename TestFixture::Vector v(2), lambda(2);
  v << -1, TypeParam(-1e-200);
  ASSERT_EQ(project_on_cone(W, v, lambda), Status::solved);
  EXPECT_EQ(lambda[1], TypeParam(1e-200));
}

TYPED_TEST(Nonnegative, ManyContacts) {
  std::mt19937_64 engine(5);
  for (const int dimension : {5, 30, 60, 200}) {
    const auto cone = random_cone<TypeParam>(engine, 60, dimension);
    typename TestFixture::Vector lambda(60);
    ASSERT_EQ(project_on_cone(cone.W, cone.v, lambda), Status::solved);
    expect_complementary(cone.W, cone.v, lambda);
  }
}

}  // namespace
}  // namespace ricochet::complementarity
