// SO(3) and SE(3): identities, 4×4 matrices, and long-double differences of the maps themselves.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>

#include "ricochet/lie/se3.hpp"

namespace ricochet {
namespace {

using Real = long double;
using V3 = lie::Vec3<Real>;
using V6 = lie::Vec6<Real>;
using M3 = lie::Mat3<Real>;
using M4 = lie::Mat4<Real>;
using G = lie::SE3<Real>;

std::mt19937 engine(1);
Real uniform() { return std::uniform_real_distribution<Real>(-1, 1)(engine); }
V6 random6(Real size) {
  V6 x;
  for (int i = 0; i < 6; ++i) x[i] = size * uniform();
  return x;
}

/// e^A by scaling and squaring of the plain series.
template <class Matrix>
Matrix matrix_exp(Matrix A) {
  A /= Real(1 << 10);
  Matrix term = Matrix::Identity(), sum = Matrix::Identity();
  for (int k = 1; k < 24; ++k) {
    term = term * A / Real(k);
    sum += term;
  }
  for (int k = 0; k < 10; ++k) sum = sum * sum;
  return sum;
}
M4 matrix_cayley(const M4& A) { return (M4::Identity() - A / 2).inverse() * (M4::Identity() + A / 2); }
/// ξ of a matrix [ω̂ γ; 0 0].
V6 coordinates(const M4& m) {
  return lie::join<Real>(lie::vee<Real>(m.topLeftCorner<3, 3>()), m.topRightCorner<3, 1>());
}
/// (Dτ(ξ)·δ) τ(ξ)⁻¹ by sixth-order differences of the 4×4 matrices: error ~ d⁶ and ε/d.
template <class Map>
V6 right_derivative(Map map, const V6& x, const V6& d) {
  const Real e = 1e-3L;
  const Real w[] = {Real(3) / 4, Real(-3) / 20, Real(1) / 60};
  M4 D = M4::Zero();
  for (int m = 1; m <= 3; ++m) D += w[m - 1] * (map(V6(x + Real(m) * e * d)) - map(V6(x - Real(m) * e * d)));
  return coordinates(D / e * map(x).inverse());
}

TEST(Lie, GroupIsItsMatrices) {
  for (int k = 0; k < 100; ++k) {
    const G a = lie::se3::cayley<Real>(random6(3)), b = lie::se3::cayley<Real>(random6(3));
    EXPECT_LE(((a * b).matrix() - a.matrix() * b.matrix()).norm(), 1e-17L);
    EXPECT_LE((a.inverse().matrix() - M4(a.matrix().inverse())).norm(), 1e-17L);
    const V6 x = random6(2), y = random6(2);
    EXPECT_LE((lie::se3::Ad(a, x) - coordinates(a.matrix() * lie::se3::hat(x) * a.inverse().matrix())).norm(), 1e-16L);
    EXPECT_LE(
        (lie::se3::ad(x, y) - coordinates(lie::se3::hat(x) * lie::se3::hat(y) - lie::se3::hat(y) * lie::se3::hat(x)))
            .norm(),
        1e-17L);
    // The duals by their definition: ⟨Ad*m, ξ⟩ = ⟨m, Ad ξ⟩ (errata D11).
    const V6 m = random6(2);
    EXPECT_LE(std::abs(lie::se3::Ad_star(a, m).dot(x) - m.dot(lie::se3::Ad(a, x))), 1e-16L);
    EXPECT_LE(std::abs(lie::se3::ad_star(x, m).dot(y) - m.dot(lie::se3::ad(x, y))), 1e-16L);
  }
}

TEST(Lie, CayleyIsTheMatrixCayleyAndComesBack) {
  for (int k = 0; k < 200; ++k) {
    const V6 x = random6(k < 100 ? 1 : 8);  // |ω| = 8: a rotation by 152°
    const G g = lie::se3::cayley(x);
    EXPECT_LE((g.matrix() - matrix_cayley(lie::se3::hat(x))).norm(), 1e-16L);
    EXPECT_LE((g.R.transpose() * g.R - M3::Identity()).norm(), 1e-18L * 10);
    // The inverse loses what 1 + tr R loses: its value is 16/(4+|ω|²).
    EXPECT_LE((lie::se3::cayley_inverse(g) - x).norm(), 1e-18L * (4 + x.head<3>().squaredNorm()) * (4 + x.norm()));
    EXPECT_LE((lie::so3::cayley<Real>(x.head<3>()) - g.R).norm(), 0);
  }
}

TEST(Lie, ExponentialIsTheSeriesAndComesBack) {
  for (int k = 0; k < 300; ++k) {
    const Real size = k < 100 ? 1e-3L : k < 200 ? 0.5L : 1.7L;
    const V6 x = random6(size);
    const G g = lie::se3::exp(x);
    EXPECT_LE((g.matrix() - matrix_exp(lie::se3::hat(x))).norm(), 1e-15L);
    EXPECT_LE((lie::se3::log(g) - x).norm(), 1e-16L) << x.transpose();
  }
  EXPECT_EQ(lie::so3::log<Real>(M3::Identity()).norm(), 0);
  const V3 nearly(std::acos(Real(-1)) - 1e-9L, 0, 0);  // the logarithm next to π, where 1 + tr R ~ 1e-18
  EXPECT_LE((lie::so3::log<Real>(lie::so3::exp(nearly)) - nearly).norm(), 1e-17L);
}

TEST(Lie, DerivativesAreThoseOfTheMatrixMaps) {
  for (int k = 0; k < 100; ++k) {
    const V6 x = random6(k < 50 ? 1 : 2), d = random6(1);
    const auto cayley = [](const V6& y) { return matrix_cayley(lie::se3::hat(y)); };
    const auto exponential = [](const V6& y) { return matrix_exp(lie::se3::hat(y)); };
    // sixth-order differences at d = 1e-3: 1e-18·f⁽⁷⁾ and 1e-19/1e-3
    EXPECT_LE((lie::se3::dcayley(x, d) - right_derivative(cayley, x, d)).norm(), 2e-14L);
    EXPECT_LE((lie::se3::dexp(x, d) - right_derivative(exponential, x, d)).norm(), 2e-13L);
    EXPECT_LE((lie::so3::dcayley<Real>(x.head<3>(), d.head<3>()) - lie::se3::dcayley(x, d).head<3>()).norm(), 1e-18L);
    // inverses and duals
    EXPECT_LE((lie::se3::dcayley_inverse(x, lie::se3::dcayley(x, d)) - d).norm(), 1e-17L);
    EXPECT_LE((lie::se3::dexp_inverse(x, lie::se3::dexp(x, d)) - d).norm(), 1e-16L);
    const V6 m = random6(1);
    EXPECT_LE(std::abs(lie::se3::dcayley_inverse_star(x, m).dot(d) - m.dot(lie::se3::dcayley_inverse(x, d))), 1e-17L);
    EXPECT_LE(std::abs(lie::se3::dexp_inverse_star(x, m).dot(d) - m.dot(lie::se3::dexp_inverse(x, d))), 1e-16L);
    EXPECT_LE((lie::so3::dcayley_inverse_star<Real>(x.head<3>(), m.head<3>()) -
               lie::se3::dcayley_inverse_star<Real>(lie::join<Real>(x.head<3>(), V3::Zero()), m).head<3>())
                  .norm(),
              1e-18L);
  }
}

TEST(Lie, RightAndLeftTrivialisationDifferByAd) {
  // dτ⁻¹_ξ Ad_τ(ξ) = dτ⁻¹_{−ξ}: what makes Ad*_τ μ the momentum at the other end of an interval (Demoures 2016 (A.1)).
  for (int k = 0; k < 50; ++k) {
    const V6 x = random6(2), d = random6(1);
    EXPECT_LE(
        (lie::se3::dcayley_inverse(x, lie::se3::Ad(lie::se3::cayley(x), d)) - lie::se3::dcayley_inverse(V6(-x), d))
            .norm(),
        1e-16L);
    EXPECT_LE((lie::se3::dexp_inverse(x, lie::se3::Ad(lie::se3::exp(x), d)) - lie::se3::dexp_inverse(V6(-x), d)).norm(),
              1e-15L);
  }
}

TEST(Lie, SeriesMeetTheirClosedFormsAndRecursion) {
  for (const Real t : {1e-9L, 0.3L, 0.999L, 1.0L, 1.001L, 2.5L}) {
    EXPECT_NEAR(static_cast<double>(lie::trigonometric_series(0, t * t) - std::cos(t)), 0, 1e-18);
    EXPECT_NEAR(static_cast<double>(lie::trigonometric_series(1, t * t) - std::sin(t) / t), 0, 1e-18);
    Real factorial = 1;  // c_k + θ² c_{k+2} = 1/k!
    for (int k = 0; k <= 5; ++k) {
      if (k > 0) factorial *= Real(k);
      const Real sum = lie::trigonometric_series(k, t * t) + t * t * lie::trigonometric_series(k + 2, t * t);
      EXPECT_NEAR(static_cast<double>(sum - 1 / factorial), 0, 1e-18) << k << " " << static_cast<double>(t);
    }
  }
}

}  // namespace
}  // namespace ricochet
