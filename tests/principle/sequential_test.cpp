// Masses that strike in pairs until all is over: one impact of a run, and rest is rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/principle/strong.hpp"
#include "support/chain.hpp"
#include "support/effort.hpp"

namespace ricochet {
namespace {

using Body = bodies::Generalized<test::Chain>;

struct Seen {
  long long impacts = 0;
  double t = 0;
  void impact(const principle::ImpactEvent<Body>& e) {
    ++impacts;
    t = e.t;
  }
};

principle::ImpactLaws<Body> laws(const char* name, double e) {
  principle::ImpactLaws<Body> all;
  all.law = *mechanics::Law<double>::named(name);
  all.restitution = [e](int, const Body::Node&) { return e; };
  return all;
}

/// Starts apart so that all meet at t = 0.1, then flies on.
struct Meeting {
  Meeting(const Eigen::VectorXd& masses, bool wall, const Eigen::VectorXd& velocities)
      : chain{masses, wall}, v(velocities) {}
  test::Chain chain;
  Eigen::VectorXd v;

  Eigen::VectorXd start() const {
    return Eigen::VectorXd::LinSpaced(v.size(), 0, static_cast<double>(v.size()) - 1) - 0.1 * v;
  }
};

void expect_as_pairs(const Meeting& meeting, double e) {
  const Body body(meeting.chain, discrete::Rule<double>::trapezoid());
  principle::Strong<Body> run(body, body.node(meeting.start(), meeting.v), {}, laws("sequential", e));
  Seen seen;
  run.run(0.01, 50, seen);
  const auto want = test::strike_in_pairs(meeting.chain, meeting.v, e);
  ASSERT_FALSE(want.empty());
  double momentum = 0, moves = 0;
  for (int i = 0; i < meeting.chain.dimension(); ++i) {
    const double v = run.node().p[i] / meeting.chain.masses[i];
    EXPECT_NEAR(v, static_cast<double>(want[static_cast<std::size_t>(i)]), 1e-12) << "mass " << i << ", e = " << e;
    momentum += run.node().p[i];
    moves += std::abs(run.node().p[i]);
  }
  if (!meeting.chain.wall) {
    EXPECT_NEAR(momentum, meeting.chain.masses.dot(meeting.v), 1e-14);
  }
  EXPECT_EQ(seen.impacts, 1) << "e = " << e;
  EXPECT_NEAR(seen.t, 0.1, 1e-12);
  // what ends at rest rests: a remainder would drift, and strike again
  if (moves < 1e-12) {
    EXPECT_EQ(moves, 0) << "e = " << e;
  }
}

// Three masses run into a wall, two of them touching it; the same with four, two against two; three meet symmetrically.
TEST(Sequential, CollapseIsOneImpact) {
  const Meeting wall(Eigen::Vector3d(1, 2, 3), true, Eigen::Vector3d(1, 0, 0));
  const Meeting two_and_two(Eigen::Vector4d(3, 1, 2, 1), true, Eigen::Vector4d(1, 1, 0.3, 0.3));
  const Meeting symmetric(Eigen::Vector3d::Ones(), false, Eigen::Vector3d(1, 0, -1));
  for (const double e : {0.0, 0.03, 0.05, 0.07, 0.1, 0.3, 0.5}) {
    expect_as_pairs(wall, e);
    expect_as_pairs(two_and_two, e);
    expect_as_pairs(symmetric, e);
  }
}

// Nothing but a wall and e = 0: whatever the law, all that meets there stops, and stays.
TEST(Sequential, EveryLawStopsAtAWall) {
  std::mt19937_64 engine(31);
  std::uniform_real_distribution<double> uniform(0.1, 10);
  for (const char* name : {"newton", "poisson", "canonical", "sequential"})
    for (int trial = 0; trial < test::effort(400); ++trial) {
      Eigen::VectorXd masses(2 + trial % 3), v(2 + trial % 3);
      for (int i = 0; i < v.size(); ++i) {
        masses[i] = uniform(engine);
        v[i] = uniform(engine);
      }
      std::sort(v.data(), v.data() + v.size(), std::greater<>());
      const Meeting meeting(masses, true, v);
      const Body body(meeting.chain, discrete::Rule<double>::trapezoid());
      principle::Strong<Body> run(body, body.node(meeting.start(), meeting.v), {}, laws(name, 0));
      run.run(0.01, 20);
      ASSERT_EQ(run.node().p.cwiseAbs().maxCoeff(), 0) << name << " " << trial;
      ASSERT_LE(run.impacts(), 3) << name << " " << trial;  // not all of them meet at the same rounded time
    }
}

}  // namespace
}  // namespace ricochet
