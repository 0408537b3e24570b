// Unions of half-spaces that meet in a point: who passes, and Clarke's cones for who does not.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <random>
#include <vector>

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/principle/strong.hpp"
#include "support/effort.hpp"

namespace ricochet {
namespace {

/// {q : some n_b·q + bend_b |q|² ≥ 0}.
struct Fan {
  int n;
  Eigen::VectorXd m;
  std::vector<Eigen::VectorXd> normals;
  std::vector<double> bend;
  std::vector<int> all;

  int dimension() const { return n; }
  Eigen::VectorXd mass() const { return m; }
  template <class T>
  T potential(Point<T> q) const {
    return T(0) * q[0];
  }
  int gaps() const { return static_cast<int>(normals.size()); }
  template <class T>
  T gap(int i, Point<T> q) const {
    T sum(0);
    for (int k = 0; k < n; ++k) {
      const auto j = static_cast<std::size_t>(k);
      sum += T(normals[static_cast<std::size_t>(i)][k]) * q[j] + T(bend[static_cast<std::size_t>(i)]) * q[j] * q[j];
    }
    return sum;
  }
  int unions() const { return 1; }
  std::span<const int> branches(int) const { return all; }
};

struct Hits {
  int impacts = 0;
  template <class Event>
  void impact(const Event&) {
    ++impacts;
  }
};

/// Proj[v; {n_b·v ≥ 0}] in the kinetic metric, by trying every set of faces.
Eigen::VectorXd projection(const Fan& fan, const Eigen::VectorXd& v) {
  const int b = fan.gaps();
  Eigen::VectorXd best = v;
  double nearest = -1;
  for (int faces = 0; faces < 1 << b; ++faces) {
    std::vector<int> on;
    for (int i = 0; i < b; ++i)
      if (faces & (1 << i)) on.push_back(i);
    const auto k = static_cast<Eigen::Index>(on.size());
    Eigen::MatrixXd N(k, fan.n);
    for (Eigen::Index i = 0; i < k; ++i)
      N.row(i) = fan.normals[static_cast<std::size_t>(on[static_cast<std::size_t>(i)])];
    const Eigen::MatrixXd MN = fan.m.cwiseInverse().asDiagonal() * N.transpose();
    Eigen::VectorXd w = v;
    if (k > 0) w -= MN * (N * MN).completeOrthogonalDecomposition().solve(N * v);
    bool admissible = true;
    for (const auto& normal : fan.normals) admissible &= normal.dot(w) >= -1e-9;
    const double far = (w - v).dot(fan.m.asDiagonal() * (w - v));
    if (admissible && (nearest < 0 || far < nearest)) nearest = far, best = w;
  }
  return best;
}

template <class Real>
void throw_at_the_corner(int trials, std::uint64_t seed) {
  using Body = bodies::Generalized<Fan, Real>;
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  int passed = 0, turned = 0;
  for (int trial = 0; trial < trials; ++trial) {
    Fan fan{2 + trial % 3, {}, {}, {}, {}};
    const int b = 2 + static_cast<int>(engine() % 3);
    fan.m = Eigen::VectorXd(fan.n);
    for (int k = 0; k < fan.n; ++k) fan.m[k] = 0.5 + uniform(engine);
    Eigen::VectorXd v(fan.n);
    for (int k = 0; k < fan.n; ++k) v[k] = normal(engine);
    for (int i = 0; i < b; ++i) {
      Eigen::VectorXd g(fan.n);
      for (int k = 0; k < fan.n; ++k) g[k] = normal(engine);
      if (trial % 2 == 0 && g.dot(v) > 0) g = -g;  // most velocities would pass
      fan.normals.push_back(g);
      fan.bend.push_back(0.1 * normal(engine));
      fan.all.push_back(i);
    }
    const double e = trial % 4 < 2 ? 1 : uniform(engine);
    const Body body(fan, discrete::Rule<Real>::trapezoid());
    principle::ImpactLaws<Body> laws;
    laws.law = mechanics::Law<Real>::canonical();
    laws.restitution = [e](int, const auto&) { return Real(e); };
    typename Body::Vec q = Body::Vec::Zero(fan.n), start = v.cast<Real>();
    principle::Strong<Body, closure::Reflection> run(body, body.node(q, start), {}, laws);
    Hits hits;
    run.run(Real(1e-3), 1, hits);
    const Eigen::VectorXd after = body.velocity(run.node()).template cast<double>();
    bool leaves = true;
    for (const auto& g : fan.normals) leaves = leaves && g.dot(v) < 0;
    if (!leaves) {
      ++passed;
      EXPECT_EQ(hits.impacts, 0) << trial;
      EXPECT_LE((after - v).norm(), 1e-15 * v.norm()) << trial;  // p = Mv is rounded
      continue;
    }
    ++turned;
    EXPECT_GE(hits.impacts, 1) << trial;
    if (hits.impacts > 1) continue;  // bent faces may be met again
    EXPECT_EQ(run.fallbacks(principle::Fallback::union_corner), 1) << trial;
    const Eigen::VectorXd tangent = projection(fan, v), expected = tangent - e * (v - tangent);
    EXPECT_LE((after - expected).norm(), 1e-9 * (1 + v.norm())) << trial;
    double most = -1;
    for (const auto& g : fan.normals) most = std::max(most, g.dot(after));
    EXPECT_GE(most, -1e-9) << trial;
    EXPECT_LE(after.dot(fan.m.asDiagonal() * after), v.dot(fan.m.asDiagonal() * v) * (1 + 1e-12)) << trial;
  }
  EXPECT_GT(passed, trials / 8);
  EXPECT_GT(turned, trials / 8);
}
TEST(Unions, TurnBackWhatLeavesThem) { throw_at_the_corner<double>(test::effort(20000), 3); }
TEST(Unions, TurnBackWhatLeavesThemInLongDouble) { throw_at_the_corner<long double>(test::effort(2000), 4); }

/// The edge of a table as C++ users say it.
struct Table {
  static constexpr int dimension = 2;
  static constexpr std::array<int, 2> both{0, 1};
  Eigen::Vector2d mass() const { return {1, 1}; }
  template <class T>
  T potential(Point<T> q) const {
    return 9.81 * q[1];
  }
  int gaps() const { return 2; }
  template <class T>
  T gap(int i, Point<T> q) const {
    return i == 0 ? q[1] : q[0];
  }
  int unions() const { return 1; }
  std::span<const int> branches(int) const { return both; }
};
TEST(Unions, LetGoAtAnEdge) {
  using Body = bodies::Generalized<Table>;
  const Body body({}, discrete::Rule<double>::trapezoid());
  principle::Strong<Body> run(body, body.node({-1, 0}, {2, 0}));
  run.run(0.03, 10);
  EXPECT_EQ(run.held(), (motion::GapList{0}));
  run.run(0.03, 20);
  EXPECT_TRUE(run.held().empty());
  EXPECT_EQ(run.impacts(), 0);
  EXPECT_NEAR(run.node().q[0], 0.8, 1e-14);
  EXPECT_NEAR(run.node().q[1], -9.81 * 0.4 * 0.4 / 2, 1e-12);
  EXPECT_EQ(run.fallbacks(), 0);
}

}  // namespace
}  // namespace ricochet
