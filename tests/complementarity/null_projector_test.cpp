#include "ricochet/complementarity/null_projector.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <chrono>
#include <random>

#include "ricochet/complementarity/nonnegative.hpp"

namespace ricochet::complementarity {
namespace {

using Matrix = Eigen::MatrixXd;

/// Unit-diagonal Gram matrix of m normals in r dimensions.
Matrix gram(int m, int r, std::mt19937_64& engine) {
  std::normal_distribution<double> normal;
  Matrix N = Matrix::NullaryExpr(m, r, [&] { return normal(engine); });
  N.rowwise().normalize();
  return N * N.transpose();
}

Matrix projector_by_eigen(const Matrix& A, double tolerance) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(A);
  Matrix P = Matrix::Zero(A.rows(), A.cols());
  for (Eigen::Index k = 0; k < A.rows(); ++k)
    if (eigen.eigenvalues()[k] <= tolerance) P += eigen.eigenvectors().col(k) * eigen.eigenvectors().col(k).transpose();
  return P;
}

TEST(NullProjector, LargeMatricesAgainstAnEigensolver) {
  std::mt19937_64 engine(7);
  for (const int m : {5, 31, 33, 64, 120, 200})
    for (const int r : {1, 2, 7, 30, 90}) {
      const Matrix A = gram(m, r, engine);
      const double tolerance = 64 * m * std::numeric_limits<double>::epsilon();
      Square<double, any_size> P(m);
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < m; ++j) P(i, j) = A(i, j);
      const bool singular = null_projector<double, any_size>(m, P, tolerance);
      ASSERT_EQ(singular, r < m) << m << " " << r;
      if (!singular) continue;
      const Matrix expected = projector_by_eigen(A, tolerance);
      double error = 0;
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < m; ++j) error = std::max(error, std::abs(P(i, j) - expected(i, j)));
      // the gap of random spectra is above 1e-4 of the norm m/r: rounding of the subspace is 1e4 m ε at most
      EXPECT_LT(error, 1e4 * m * std::numeric_limits<double>::epsilon()) << m << " " << r;
    }
}

TEST(NullProjector, AThousandEqualGapsShareEqually) {
  // One normal, a thousand times: λ_i = −v / (m W), and it does not take minutes.
  constexpr int m = 1000;
  const Matrix W = Matrix::Constant(m, m, 2.0);
  const Eigen::VectorXd v = Eigen::VectorXd::Constant(m, -3.0);
  Eigen::VectorXd lambda(m);
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(project_on_cone(m, W, v, lambda), Status::solved);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  for (int i = 0; i < m; ++i) EXPECT_NEAR(lambda[i], 3.0 / (2 * m), 1e-13);
}

}  // namespace
}  // namespace ricochet::complementarity
