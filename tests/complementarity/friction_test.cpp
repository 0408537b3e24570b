#include "ricochet/complementarity/friction.hpp"

#include <gtest/gtest.h>

#include "complementarity/friction_problems.hpp"
#include "support/effort.hpp"

namespace ricochet::complementarity {
namespace {

using testing::random_friction;

TEST(FrictionLocal, ProjectionOnTheCone) {
  using V = ContactVector<double, 3>;
  std::mt19937_64 engine(41);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 1000; ++trial) {
    const double mu = std::abs(normal(engine));
    const V r(normal(engine), normal(engine), normal(engine)), p = project_on_friction_cone<double, 3>(r, mu);
    EXPECT_LE(p.tail<2>().norm(), mu * p[0] + 1e-14);
    // variational inequality against points of the cone: (r − p)·(x − p) ≤ 0
    for (int n = 0; n < 10; ++n) {
      const double height = std::abs(normal(engine)), angle = normal(engine) * 3;
      const V x(height, mu * height * std::cos(angle), mu * height * std::sin(angle));
      EXPECT_LE((r - p).dot(x - p), 1e-13);
    }
  }
}

// The four statements of Coulomb's law, one by one, for one contact.
template <int D>
void one_contact_obeys_coulomb() {
  using V = ContactVector<double, D>;
  using M = ContactMatrix<double, D>;
  std::mt19937_64 engine(42);
  std::normal_distribution<double> normal;
  int stick = 0, slip = 0, off = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const M A = M::NullaryExpr([&] { return normal(engine); });
    const M W = A * A.transpose();
    const V q = V::NullaryExpr([&] { return normal(engine); });
    const double mu = std::exp(normal(engine)) * 0.4;
    V r;
    ASSERT_TRUE((solve_one_contact<double, D>(W, q, mu, r))) << trial;
    const V u = W * r + q;
    const double size = q.norm() + W.norm() * r.norm();
    const auto rT = r.template tail<D - 1>();
    const auto uT = u.template tail<D - 1>();
    ASSERT_GE(r[0], 0);
    ASSERT_LE(rT.norm(), mu * r[0] * (1 + 1e-15));
    ASSERT_GE(u[0], -1e-13 * size);
    ASSERT_LE(r[0] * u[0], 1e-12 * size * r.norm());
    // maximal dissipation: u_T·r_T = −μ r_N |u_T|
    ASSERT_NEAR(uT.dot(rT), -mu * r[0] * uT.norm(), 1e-11 * size * r.norm()) << trial;
    (r[0] == 0 ? off : rT.norm() < mu * r[0] * (1 - 1e-12) ? stick : slip)++;
  }
  EXPECT_GT(stick, 1000);
  EXPECT_GT(slip, 1000);
  EXPECT_GT(off, 1000);
}
TEST(FrictionLocal, PlanarContactObeysCoulomb) { one_contact_obeys_coulomb<2>(); }
TEST(FrictionLocal, SpatialContactObeysCoulomb) { one_contact_obeys_coulomb<3>(); }

template <int D>
void many_contacts(int trials, bool singular) {
  std::mt19937_64 engine(43);
  FrictionSolver<double, D> solver;
  FrictionProblem<double, D> problem;
  std::vector<ContactVector<double, D>> r;
  int unsolved = 0, by_newton = 0, by_lemke = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const int n = 1 + trial % 6;
    const auto data = random_friction(engine, n, D, singular, trial);
    problem.assign(n, data.W, data.b, data.mu);
    r.assign(static_cast<std::size_t>(n), ContactVector<double, D>::Zero());
    const auto result = solver.solve(problem, r);
    by_newton += result.method == FrictionMethod::newton;
    by_lemke += result.method == FrictionMethod::lemke;
    if (result.status != Status::solved) {
      ++unsolved;
      continue;
    }
    for (int i = 0; i < n; ++i) {
      const auto& ri = r[static_cast<std::size_t>(i)];
      ASSERT_LE(ri.template tail<D - 1>().norm(), data.mu[i] * ri[0] * (1 + 1e-15));
    }
    ASSERT_LE(testing::coulomb_defect(data, r), 1e-9) << trial;
  }
  EXPECT_EQ(unsolved, 0);
  EXPECT_GT(by_newton, 0);
  if (D == 2) {
    EXPECT_GT(by_lemke, 0);
  }
}
TEST(Friction, PlanarRegular) { many_contacts<2>(10000, false); }
TEST(Friction, PlanarSingular) { many_contacts<2>(10000, true); }
TEST(Friction, SpatialRegular) { many_contacts<3>(test::effort(10000), false); }
TEST(Friction, SpatialSingular) { many_contacts<3>(test::effort(10000), true); }

// Particles on a floor do not know each other: one sweep solves them all, however many they are.
TEST(Friction, DecoupledContactsTakeOneSweep) {
  std::mt19937_64 engine(44);
  std::normal_distribution<double> normal;
  const int n = 2000;
  FrictionProblem<double, 3> problem;
  problem.reset(n);
  for (int i = 0; i < n; ++i) {
    problem.add_block(i, ContactMatrix<double, 3>::Identity());
    problem.finish_row({normal(engine), normal(engine), normal(engine)}, 0.3);
  }
  std::vector<ContactVector<double, 3>> r;
  const auto result = FrictionSolver<double, 3>().solve(problem, r);
  EXPECT_EQ(result.status, Status::solved);
  EXPECT_EQ(result.sweeps, 1);
}

// A tower of blocks, lighter upwards: only neighbours are coupled. It falls at speed 1 on the floor and stops, so each
// contact carries the momentum of everything above it.
TEST(Friction, TowerStopsWithTheMomentumAbove) {
  const int n = 20;
  FrictionProblem<double, 2> problem;
  problem.reset(n);
  std::vector<double> mass(n);
  for (int i = 0; i < n; ++i) mass[static_cast<std::size_t>(i)] = 1.0 / (1 + i);
  const auto inverse = [&](int i) { return i < 0 || i >= n ? 0.0 : 1 / mass[static_cast<std::size_t>(i)]; };
  for (int i = 0; i < n; ++i) {  // contact i: between block i − 1 (or the floor) and block i
    if (i > 0) problem.add_block(i - 1, -inverse(i - 1) * ContactMatrix<double, 2>::Identity());
    problem.add_block(i, (inverse(i) + inverse(i - 1)) * ContactMatrix<double, 2>::Identity());
    if (i + 1 < n) problem.add_block(i + 1, -inverse(i) * ContactMatrix<double, 2>::Identity());
    problem.finish_row({i == 0 ? -1.0 : 0.0, 0}, 0.5);
  }
  std::vector<ContactVector<double, 2>> r;
  ASSERT_EQ((FrictionSolver<double, 2>().solve(problem, r).status), Status::solved);
  double above = 0;
  for (int i = n - 1; i >= 0; --i) {
    above += mass[static_cast<std::size_t>(i)];
    EXPECT_NEAR(r[static_cast<std::size_t>(i)][0], above, 1e-10);
    EXPECT_NEAR(r[static_cast<std::size_t>(i)][1], 0, 1e-10);
  }
}

// The wider the cone, the less its natural map sees of the normal: with μ = 1e13 no impulse at all looked like a
// solution. Impulses r* that stick are found to rounding for any μ.
TEST(Friction, WideConesStick) {
  std::mt19937_64 engine(45);
  std::normal_distribution<double> normal;
  FrictionSolver<double, 3> solver;
  FrictionProblem<double, 3> problem;
  std::vector<ContactVector<double, 3>> r;
  for (const double mu : {1e2, 1e6, 1e10, 1e13, 1e16, 1e20})
    for (int trial = 0; trial < 300; ++trial) {
      const int n = 1 + trial % 3;
      Eigen::MatrixXd H(3 * n, 3 * n + 2);
      Eigen::VectorXd wanted(3 * n), mus = Eigen::VectorXd::Constant(n, mu);
      for (Eigen::Index k = 0; k < H.size(); ++k) H.data()[k] = normal(engine);
      for (int i = 0; i < 3 * n; ++i) wanted[i] = i % 3 == 0 ? 0.5 + std::abs(normal(engine)) : normal(engine);
      // Normals and slips are not coupled: then the normal impulses are unique, and friction under them is.
      Eigen::MatrixXd W = H * H.transpose();
      for (int i = 0; i < 3 * n; ++i)
        for (int j = 0; j < 3 * n; ++j)
          if ((i % 3 == 0) != (j % 3 == 0)) W(i, j) = 0;
      const Eigen::VectorXd b = -W * wanted;
      problem.assign(n, W, b, mus);
      r.assign(static_cast<std::size_t>(n), ContactVector<double, 3>::Zero());
      ASSERT_EQ(solver.solve(problem, r).status, Status::solved) << mu << ' ' << trial;
      for (int i = 0; i < n; ++i) wanted.segment<3>(3 * i) -= r[static_cast<std::size_t>(i)];
      ASSERT_LE((W * wanted).norm(), 1e-11 * b.norm()) << mu << ' ' << trial;
    }
}

/// A box on the four corners of its floor: twelve rows, six freedoms. Data that are not quite rates of a rigid motion
/// (by 1e-9) let the stress among the corners drift for long, but the normal impulses must carry the same weight.
TEST(Friction, RedundantContactsAreNoWedge) {
  const double a = 0.5, inertia = 1.0 / 6;
  Eigen::Matrix<double, 12, 6> H = Eigen::Matrix<double, 12, 6>::Zero();
  for (int i = 0; i < 4; ++i) {
    const Eigen::Vector3d c((i & 1) != 0 ? a : -a, (i & 2) != 0 ? a : -a, -a);
    for (int row = 0; row < 3; ++row) {
      const Eigen::Vector3d n = Eigen::Vector3d::Unit((row + 2) % 3);
      H.block<1, 3>(3 * i + row, 0) = n.transpose();
      H.block<1, 3>(3 * i + row, 3) = c.cross(n).transpose() / std::sqrt(inertia);
    }
  }
  const Eigen::MatrixXd W = H * H.transpose();
  Eigen::Matrix<double, 6, 1> v;
  v << 1e-3, -5e-4, -0.02, 2e-4, -1e-4, 1e-4;
  const Eigen::FullPivLU<Eigen::MatrixXd> factors(H.transpose());
  const Eigen::MatrixXd unmoved = factors.kernel();  // impulses that move nothing
  ASSERT_EQ(unmoved.cols(), 6);
  for (int k = 0; k < 6; ++k) {
    const Eigen::VectorXd b = H * v + 1e-9 * unmoved.col(k).normalized();
    FrictionProblem<double, 3> problem;
    problem.assign(4, W, b, Eigen::VectorXd::Constant(4, 0.4));
    std::vector<ContactVector<double, 3>> r;
    const auto result = FrictionSolver<double, 3>().solve(problem, r);
    EXPECT_NE(result.status, Status::wedged) << k;
    EXPECT_LE(result.residual, 1e-6) << k;
    double weight = 0;
    for (const auto& ri : r) weight += ri[0];
    EXPECT_NEAR(weight, 0.02, 1e-6) << k;
  }
}

/// Between two walls that close on it, a mass without any freedom left is wedged.
TEST(Friction, ATrueWedgeIsNamed) {
  Eigen::Matrix<double, 4, 2> H;
  H << 1, 0, 0, 1, -1, 0, 0, 1;
  const Eigen::MatrixXd W = H * H.transpose();
  const Eigen::Vector4d b(-1, 0.1, -1, 0.1);
  FrictionProblem<double, 2> problem;
  problem.assign(2, W, b, Eigen::VectorXd::Constant(2, 0.4));
  std::vector<ContactVector<double, 2>> r;
  EXPECT_EQ((FrictionSolver<double, 2>().solve(problem, r).status), Status::wedged);
}

TEST(Friction, NotFiniteIsNamed) {
  FrictionProblem<double, 2> problem;
  problem.reset(1);
  problem.add_block(0, ContactMatrix<double, 2>::Identity());
  problem.finish_row({std::nan(""), 0}, 0.5);
  std::vector<ContactVector<double, 2>> r;
  EXPECT_EQ((FrictionSolver<double, 2>().solve(problem, r).status), Status::not_finite);
}

}  // namespace
}  // namespace ricochet::complementarity
