#include "ricochet/complementarity/lemke.hpp"

#include <gtest/gtest.h>

#include "complementarity/problems.hpp"
#include "ricochet/complementarity/nonnegative.hpp"

namespace ricochet::complementarity {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

double defect(const Matrix& M, const Vector& q, const Vector& z) {
  const Vector w = M * z + q;
  return std::max({0.0, -w.minCoeff(), -z.minCoeff(), w.cwiseMin(z).cwiseAbs().maxCoeff()});
}

TEST(Lemke, PositiveDefiniteUnsymmetric) {
  std::mt19937_64 engine(31);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 5000; ++trial) {
    const int k = 1 + trial % 12;
    const Matrix A = Matrix::NullaryExpr(k, k, [&] { return normal(engine); });
    const Matrix B = Matrix::NullaryExpr(k, k, [&] { return normal(engine); });
    const Matrix M = A * A.transpose() + 0.1 * Matrix::Identity(k, k) + B - B.transpose();
    const Vector q = Vector::NullaryExpr(k, [&] { return normal(engine); });
    Vector z(k);
    ASSERT_EQ(solve_lcp(M, q, z), Status::solved);
    ASSERT_LE(defect(M, q, z), 1e-11 * (1 + z.norm())) << trial;
  }
}

// Singular semidefinite M with q = Gu has a solution; its w is unique and known from the projection on the cone.
TEST(Lemke, AgreesWithTheProjectionOnTheCone) {
  std::mt19937_64 engine(32);
  for (int trial = 0; trial < 5000; ++trial) {
    const int k = 1 + trial % 8;
    const auto cone = testing::random_cone<double>(engine, k, 1 + static_cast<int>(engine() % 8), trial % 2 == 0);
    Vector z(k), lambda(k);
    ASSERT_EQ(solve_lcp(cone.W, cone.v, z), Status::solved) << trial;
    ASSERT_EQ(project_on_cone(cone.W, cone.v, lambda), Status::solved);
    const double size = (1 + cone.W.norm()) * (1 + z.norm() + lambda.norm());
    ASSERT_LE((cone.W * (z - lambda)).norm(), 1e-10 * size) << trial;
    ASSERT_LE(defect(cone.W, cone.v, z), 1e-10 * size) << trial;
  }
}

// Integer data make ties in every ratio test: the lexicographic rule must not cycle. The oracle enumerates bases.
TEST(Lemke, DegenerateIntegerProblems) {
  std::mt19937_64 engine(33);
  int solvable = 0, rays = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    const int k = 1 + trial % 5;
    const auto digit = [&] { return static_cast<double>(static_cast<int>(engine() % 5) - 2); };
    const Matrix A = Matrix::NullaryExpr(k, k, digit), M = A * A.transpose();
    const Vector q = Vector::NullaryExpr(k, digit);
    Vector z(k);
    const Status status = solve_lcp(M, q, z);
    ASSERT_TRUE(status == Status::solved || status == Status::ray) << trial;
    if (status == Status::solved) {
      ++solvable;
      ASSERT_LE(defect(M, q, z), 1e-11 * (1 + z.norm())) << trial;
      continue;
    }
    // Semidefinite M: a ray means infeasible, so some y ≥ 0 has My = 0 and qᵀy < 0 (Farkas). The projection says the
    // same.
    ++rays;
    Vector lambda(k);
    ASSERT_EQ(project_on_cone(M, q, lambda), Status::infeasible) << trial;
  }
  EXPECT_GT(solvable, 2000);
  EXPECT_GT(rays, 50);
}

TEST(Lemke, NamesItsFailures) {
  Vector z(2), q(2);
  Matrix M(2, 2);
  M << 1, -1, -1, 1;
  q << -1, -1;
  EXPECT_EQ(solve_lcp(M, q, z), Status::ray);
  q << -1, std::nan("");
  EXPECT_EQ(solve_lcp(M, q, z), Status::not_finite);
  q << 1, 0;
  EXPECT_EQ(solve_lcp(M, q, z), Status::solved);
  EXPECT_EQ(z.norm(), 0);
}

// Murty's example, on which Lemke's path visits 2ᵏ bases when q is chosen badly; with unit q it is short. Known z.
TEST(Lemke, MurtysTriangularMatrix) {
  for (int k = 1; k <= 12; ++k) {
    Matrix M = Matrix::Identity(k, k);
    for (int i = 0; i < k; ++i)
      for (int j = i + 1; j < k; ++j) M(i, j) = 2;
    const Vector q = Vector::Constant(k, -1);
    Vector z(k);
    ASSERT_EQ(solve_lcp(M, q, z), Status::solved);
    for (int i = 0; i < k; ++i) EXPECT_NEAR(z[i], i == k - 1 ? 1 : 0, 1e-13);
  }
}

TEST(Lemke, LongDouble) {
  Eigen::Matrix<long double, 2, 2> M;
  M << 2, 1, 0, 2;
  Eigen::Matrix<long double, 2, 1> q(-1, -1), z;
  ASSERT_EQ(solve_lcp(M, q, z), Status::solved);
  EXPECT_LE(std::abs(z[0] - 0.25L), 1e-18L);
  EXPECT_LE(std::abs(z[1] - 0.5L), 1e-18L);
}

}  // namespace
}  // namespace ricochet::complementarity
