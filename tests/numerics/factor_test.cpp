// Factors of dense matrices, against residuals and the textbook's recursion.
#include "ricochet/numerics/factor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace ricochet {
namespace {

template <class Mat>
class Factor : public ::testing::Test {
 protected:
  using Real = typename Mat::Scalar;
  static constexpr int order = Mat::RowsAtCompileTime == 1 ? Eigen::RowMajor : Eigen::ColMajor;
  using Block = Eigen::Matrix<Real, Mat::RowsAtCompileTime, Eigen::Dynamic, order, Mat::MaxRowsAtCompileTime>;
  static constexpr Real eps = std::numeric_limits<Real>::epsilon();
  static constexpr Eigen::Index rows = Mat::RowsAtCompileTime > 0 ? Mat::RowsAtCompileTime : 9;

  template <class M>
  M random(Eigen::Index columns) {
    M A(rows, columns);
    std::normal_distribution<double> normal;
    for (Eigen::Index k = 0; k < A.size(); ++k) A.data()[k] = Real(normal(engine_));
    return A;
  }
  /// Row by row (Cholesky–Banachiewicz): L_ij = (A_ij − Σ_k L_ik L_jk)/L_jj, another order of the sums than by columns.
  static Mat lower_factor(const Mat& A) {
    Mat L = Mat::Zero(rows, rows);
    for (Eigen::Index i = 0; i < rows; ++i)
      for (Eigen::Index j = 0; j <= i; ++j) {
        Real sum = A(i, j);
        for (Eigen::Index k = 0; k < j; ++k) sum -= L(i, k) * L(j, k);
        L(i, j) = i == j ? std::sqrt(sum) : sum / L(j, j);
      }
    return L;
  }
  std::mt19937 engine_{7};
};
using Matrices = ::testing::Types<Eigen::Matrix<double, 1, 1>, Eigen::Matrix3d, Eigen::Matrix<long double, 4, 4>,
                                  Eigen::MatrixXd, Eigen::Matrix<double, -1, -1, 0, 12, 12>>;
TYPED_TEST_SUITE(Factor, Matrices);

// Backward stability: |Ax − b| ≤ c n ε |A||x| with a growth of pivots that random matrices do not have; measured below
// 4 n ε over these.
TYPED_TEST(Factor, LuSolvesToRounding) {
  using Mat = TypeParam;
  numerics::Lu<Mat> lu;
  for (int trial = 0; trial < 200; ++trial) {
    const Mat A = this->template random<Mat>(this->rows);
    const auto B = this->template random<typename TestFixture::Block>(3);
    lu.compute(A);
    auto X = B;
    lu.solve(X);
    EXPECT_LE((A.lazyProduct(X) - B).norm(), 16 * this->rows * this->eps * A.norm() * X.norm());
    const auto b = B.col(0).eval();
    EXPECT_TRUE(lu(b) == X.col(0));
    const Mat inverse = lu.inverse();
    EXPECT_LE((A.lazyProduct(inverse) - Mat::Identity(this->rows, this->rows)).norm(),
              16 * this->rows * this->eps * A.norm() * inverse.norm());
  }
}

// Where a pivot must be sought: the leading entry vanishes, or is so small that elimination with it loses all digits.
TYPED_TEST(Factor, LuSeeksThePivot) {
  using Mat = TypeParam;
  for (const double corner : {0.0, 1e-18}) {
    Mat A = Mat::Identity(this->rows, this->rows).rowwise().reverse();
    A(0, 0) += typename Mat::Scalar(corner);
    if (this->rows == 1) continue;
    const auto B = this->template random<typename TestFixture::Block>(2);
    auto X = B;
    numerics::Lu<Mat>(A).solve(X);
    EXPECT_LE((A.lazyProduct(X) - B).norm(), 4 * this->eps * B.norm());
  }
}

TYPED_TEST(Factor, LuOfASingularMatrixIsNotFinite) {
  using Mat = TypeParam;
  Mat A = this->template random<Mat>(this->rows);
  A.col(0).setZero();
  auto x = this->template random<typename TestFixture::Block>(1);
  numerics::Lu<Mat>(A).solve(x);
  EXPECT_FALSE(x.allFinite());
}

TYPED_TEST(Factor, CholeskySolvesToRoundingAndReadsTheLowerTriangle) {
  using Mat = TypeParam;
  numerics::Cholesky<Mat> factors;
  for (int trial = 0; trial < 200; ++trial) {
    const Mat G = this->template random<Mat>(this->rows);
    const Mat A = G.lazyProduct(G.transpose());
    Mat lower = A;
    lower.template triangularView<Eigen::StrictlyUpper>().setConstant(99);
    ASSERT_TRUE(factors.compute(lower));
    const auto B = this->template random<typename TestFixture::Block>(2);
    auto X = B;
    factors.solve(X);
    EXPECT_LE((A.lazyProduct(X) - B).norm(), 16 * this->rows * this->eps * A.norm() * X.norm());
    const Mat well = A + A.norm() * Mat::Identity(this->rows, this->rows);  // what rounding does to pivots is small
    ASSERT_TRUE(factors.compute(well));
    const Mat L = this->lower_factor(well);
    for (Eigen::Index k = 0; k < this->rows; ++k)
      EXPECT_LE(std::abs(factors.pivot(k) - L(k, k)), 8 * this->eps * well.norm() / L(k, k));
  }
}

TYPED_TEST(Factor, CholeskyRefusesWhatIsNotPositiveDefinite) {
  using Mat = TypeParam;
  numerics::Cholesky<Mat> factors;
  Mat A = Mat::Identity(this->rows, this->rows);
  EXPECT_TRUE(factors.compute(A));
  A(this->rows - 1, this->rows - 1) = 0;
  EXPECT_FALSE(factors.compute(A));
  A(this->rows - 1, this->rows - 1) = -1;
  EXPECT_FALSE(factors.compute(A));
}

}  // namespace
}  // namespace ricochet
