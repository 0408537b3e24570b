// The tangent of one shadow flight against second derivatives of L_s itself, in nested jets of long double.
#include "ricochet/tangent/shadow_piece.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <array>

#include "ricochet/tangent/family.hpp"
#include "tangent/shadow_mean_lagrangian.hpp"

namespace ricochet {
namespace {

using Real = long double;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

/// Three coordinates, a full mass matrix, every mixed derivative of V; both depend on θ.
template <class P>
struct Coupled {
  static constexpr int dimension = 3;
  std::array<P, 2> theta{};
  Eigen::Matrix<P, 3, 3> mass() const {
    Eigen::Matrix<P, 3, 3> M;
    M << P(1.0), P(0.2), P(0.1), P(0.2), theta[1], P(-0.3), P(0.1), P(-0.3), P(0.8);
    return M;
  }
  template <class T>
  T potential(Point<T> q) const {
    using std::cos;
    using std::exp;
    return T(theta[0]) * (q[0] * q[0] + 0.4 * q[0] * q[1] * q[2]) + cos(q[1] + 0.5 * q[2]) +
           0.3 * exp(0.4 * q[2] - T(theta[0]) * q[0]) + 0.25 * q[1] * q[1] * q[1] * q[1] + 0.3 * q[2] * q[2];
  }
};

/// (q', p', E) by (q, p, s, θ), a column each, from ℓ: p = ℓ_u − sℓ_q, p' = ℓ_u, q' = q + su, E = u·ℓ_u − ℓ − sℓ_s, by
/// the implicit function theorem on the first.
template <int Order, class Family>
Matrix reference(const Family& family, const Vector& q, const Vector& u, Real s, double h, Vector& p) {
  const Eigen::Index n = q.size(), m = family.parameters(), size = 2 * n + 1 + m;
  Vector z(size), g(size);
  z << q, u, s, Vector::Zero(m);
  for (Eigen::Index j = 0; j < m; ++j) z[2 * n + 1 + j] = family.parameter(static_cast<int>(j));
  Matrix H(size, size);
  const auto k = static_cast<std::size_t>(n);
  tangent::second_derivatives(
      [&]<class T>(Point<T> x) {
        return test::shadow_mean_lagrangian<Order, T>(family, x.subspan(0, k), x.subspan(k, k), x[2 * k],
                                                      x.subspan(2 * k + 1), h);
      },
      Point<Real>(z.data(), static_cast<std::size_t>(size)), std::span<Real>(g.data(), static_cast<std::size_t>(size)),
      [&](Eigen::Index i, Eigen::Index j, Real x) { H(i, j) = x; });
  p = g.segment(n, n) - s * g.head(n);
  const Matrix momentum = H.middleRows(n, n) - s * H.topRows(n);  // and ℓ_q δs besides
  Matrix known = Matrix::Zero(size, size);                        // δz by (q, p, s, θ)
  known.topLeftCorner(n, n).setIdentity();
  known.bottomRightCorner(1 + m, 1 + m).setIdentity();
  Matrix rhs = -momentum * known;
  rhs.middleCols(n, n) += Matrix::Identity(n, n);
  rhs.col(2 * n) += g.head(n);
  known.middleRows(n, n) = momentum.middleCols(n, n).partialPivLu().solve(rhs);
  Matrix out(2 * n + 1, size);
  out.topRows(n) = known.topRows(n) + s * known.middleRows(n, n);
  out.topRows(n).col(2 * n) += u;
  out.middleRows(n, n) = H.middleRows(n, n) * known;
  out.row(2 * n) = u.transpose() * out.middleRows(n, n) - s * (H.row(2 * n) * known);
  out.row(2 * n) -= g.head(n).transpose() * known.topRows(n);
  out(2 * n, 2 * n) -= 2 * g[2 * n];
  out.row(2 * n).tail(m) -= g.tail(m).transpose();
  return out;
}

template <int Order, class Family, class System>
double worst(const Family& family, const System& system, double s, double h, double off) {
  using Mechanics = mechanics::Mechanics<System, double>;
  const Mechanics mechanics(system);
  const Eigen::Vector3d q(0.3, -0.2, 0.5), u(1.1, 0.7, -0.9);
  Vector p;
  const Matrix expected = reference<Order>(family, q.cast<Real>(), u.cast<Real>(), s, h, p);
  const Eigen::Index n = 3, m = family.parameters(), size = 2 * n + 1 + m;
  tangent::Columns<Mechanics> x;
  x.reset(n, m, size);
  x.q.leftCols(n).setIdentity();
  x.p.middleCols(n, n).setIdentity();
  x.s[2 * n] = 1;
  x.theta.rightCols(m).setIdentity();
  tangent::ShadowPiece<Order, Mechanics, Family> piece;
  // `off`: an end that is wrong by this much of the flight; the mean velocity is then solved for again.
  const Eigen::Vector3d end = q + s * (u + Eigen::Vector3d(off, 0, -off));
  piece.push(mechanics, family, q, p.cast<double>(), end, 0.0, s, h, x);
  Matrix got(2 * n + 1, size);
  got << x.q.template cast<Real>(), x.p.template cast<Real>(), x.start.template cast<Real>();
  EXPECT_EQ(x.start, x.end);
  EXPECT_EQ(x.t, x.s);
  return static_cast<double>((got - expected).cwiseAbs().maxCoeff() / expected.cwiseAbs().maxCoeff());
}

/// Pieces from none to the whole of a step; below h/64 differences become means over the flight.
constexpr std::array<double, 6> pieces{0, 1e-9, 0.01, 0.02, 0.6, 1};

template <class Family, class System>
void expect_derivative(const Family& family, const System& system) {
  for (const double part : pieces)
    for (const double h : {0.02, 0.2}) {
      EXPECT_LE((worst<2>(family, system, part * h, h, 0)), 1e-13) << part << " " << h;
      EXPECT_LE((worst<4>(family, system, part * h, h, 0)), 1e-13) << part << " " << h;
      // Derivatives are not formed again after a correction of u by less than 1e-11 of it.
      EXPECT_LE((worst<2>(family, system, part * h, h, 1e-4)), 1e-11) << part << " " << h;
      EXPECT_LE((worst<4>(family, system, part * h, h, 1e-4)), 1e-11) << part << " " << h;
    }
}

TEST(ShadowPiece, IsTheSecondDerivativeOfItsDiscreteLagrangian) {
  const Coupled<double> system{{0.7, 1.5}};
  expect_derivative(tangent::Fixed<Coupled<double>>(system), system);
}
TEST(ShadowPiece, KnowsParametersOfPotentialAndMass) {
  const auto make = []<class T>(Point<T> theta) { return Coupled<T>{{theta[0], theta[1]}}; };
  const tangent::Family<decltype(make)> family(make, {0.7, 1.5});
  expect_derivative(family, family.system());
}

}  // namespace
}  // namespace ricochet
