// The weak principle and Siconos' Moreau–Jean scheme on the same grid: two programs, one motion.
#include "ricochet/principle/weak.hpp"

#include <gtest/gtest.h>

#include "siconos/runs.hpp"

namespace ricochet {
namespace {

using test::LinearContacts;

/// The same problem for ricochet.
struct Linear {
  LinearContacts data;
  int dimension() const { return static_cast<int>(data.mass.size()); }
  Eigen::VectorXd mass() const { return Eigen::Map<const Eigen::VectorXd>(data.mass.data(), dimension()); }
  template <class T>
  T dot(const std::vector<double>& a, Point<T> q) const {
    T sum(0);
    for (std::size_t k = 0; k < a.size(); ++k) sum += T(a[k]) * q[k];
    return sum;
  }
  template <class T>
  T potential(Point<T> q) const {
    return -dot(data.force, q);
  }
  int gaps() const { return static_cast<int>(data.normal.size()); }
  template <class T>
  T gap(int i, Point<T> q) const {
    const auto c = static_cast<std::size_t>(i);
    return dot(data.normal[c], q) + T(data.offset[c]);
  }
  int tangents(int) const { return data.tangent.empty() ? 0 : 1; }
  template <class T>
  T tangent(int i, int, Point<T> q) const {
    return dot(data.tangent[static_cast<std::size_t>(i)], q);
  }
  double friction(int i) const { return data.friction.empty() ? 0 : data.friction[static_cast<std::size_t>(i)]; }
};

/// Both programs, and the largest difference of positions and velocities.
void compare(const LinearContacts& problem, double h, int steps) {
  using Body = bodies::Generalized<Linear>;
  const auto theirs = test::siconos_moreau_jean(problem, h, steps);
  const Body body(Linear{problem}, discrete::Rule<double>::trapezoid());
  principle::ImpactLaws<Body> laws;
  laws.restitution = [&](int i, const Body::Node&) { return problem.restitution[static_cast<std::size_t>(i)]; };
  const int n = body.dimension();
  const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(problem.position.data(), n);
  const Eigen::VectorXd v = Eigen::Map<const Eigen::VectorXd>(problem.velocity.data(), n);
  principle::Weak<Body> run(body, body.node(q, v), laws);
  double worst_q = 0, worst_v = 0;
  for (int k = 0; k < steps; ++k) {
    run.step(h);
    const auto velocity = body.velocity(run.node());
    for (int i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      worst_q = std::max(worst_q, std::abs(run.node().q[i] - theirs.q[static_cast<std::size_t>(k)][at]));
      worst_v = std::max(worst_v, std::abs(velocity[i] - theirs.v[static_cast<std::size_t>(k)][at]));
    }
  }
  // measured: 1e-14 (ball), 4e-13 (chain), 3e-15 (block), 2e-15 (stack)
  EXPECT_LT(worst_q, 1e-10);
  EXPECT_LT(worst_v, 1e-10);
  EXPECT_GT(run.impacts(), 0);
  ::testing::Test::RecordProperty("largest_difference", std::to_string(std::max(worst_q, worst_v) * 1e15) + "e-15");
}

TEST(WeakAgainstSiconos, BouncingBall) { compare({{1}, {-9.81}, {1}, {0}, {{1}}, {}, {0}, {0.7}, {}}, 1e-3, 4000); }
TEST(WeakAgainstSiconos, ThreeBallChain) {
  compare({{1, 2, 3}, {0, 0, 0}, {0.03, 2, 4}, {1.1, 0, -0.3}, {{-1, 1, 0}, {0, -1, 1}}, {}, {-1, -1}, {0.8, 0.5}, {}},
          1e-3, 5000);
}
TEST(WeakAgainstSiconos, BlockSlidesToRest) {
  compare({{1, 1}, {0, -9.81}, {0, 0.02}, {3, 0}, {{0, 1}}, {{1, 0}}, {0}, {0}, {0.3}}, 1e-3, 2000);
}
TEST(WeakAgainstSiconos, TwoStackedBlocks) {
  compare({{2, 2, 1, 1},
           {0, -2 * 9.81, 0, -9.81},
           {0, 0.1, 0, 1.3},
           {2, 0, 0, 0},
           {{0, 1, 0, 0}, {0, -1, 0, 1}},
           {{1, 0, 0, 0}, {-1, 0, 1, 0}},
           {0, -1},
           {0.3, 0.2},
           {0.4, 0.2}},
          1e-3, 2000);
}

}  // namespace
}  // namespace ricochet
