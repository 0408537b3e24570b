// Hidden crossings, simultaneous gaps, wedges and re-entrant corners.
#include <gtest/gtest.h>

#include <cmath>

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/observe/monitor.hpp"
#include "ricochet/principle/strong.hpp"
#include "support/systems.hpp"

namespace ricochet {
namespace {

using discrete::Rule;

template <class Body>
struct Count {
  int total = 0, most_gaps = 0;
  std::vector<double> alpha, t;
  std::vector<typename Body::Vec> p_plus;
  void impact(const principle::ImpactEvent<Body>& e) {
    ++total;
    most_gaps = std::max(most_gaps, e.active.size());
    alpha.push_back(double(e.alpha));
    t.push_back(double(e.t));
    p_plus.push_back(e.after.p);
  }
};

TEST(StrongHidden, DipThatEndsAdmissibleIsFound) {
  using Body = bodies::Generalized<test::Star>;
  const Body body({}, Rule<double>::trapezoid());
  Body::Node start{0, {0, 0.70745940290603093, -36.90983343033421}, {-2, -0.43162754380172363, -2.9694869709973726}};
  const double h = 0.005;
  Body::Node end = start;
  Body::Work work;
  body.fly(start, {h, h}, end, work);
  for (int i = 0; i < 4; ++i) EXPECT_GT(body.gap(i, end), 0) << "the free end is admissible";
  principle::Strong<Body> run(body, start);
  Count<Body> count;
  run.step(h, count);
  ASSERT_EQ(count.total, 1);
  EXPECT_EQ(count.most_gaps, 1);
  EXPECT_NEAR(count.alpha[0], 0.20375481297621, 1e-11);  // printed digits; α is ill-conditioned by 1/(h|φ̇|)
  EXPECT_NEAR(run.node().q[1], 0.706909324132788, 1e-13);
  EXPECT_NEAR(run.node().q[2], -37.008264525542011, 1e-13);
}

TEST(StrongCorner, StarLandingExactlyFlat) {
  using Body = bodies::Generalized<test::Star>;
  const Body body({}, Rule<double>::trapezoid());
  principle::Strong<Body> run(body, body.node({0, 3.5, 0}, {-2, 0, 0}));
  Count<Body> count;
  for (int k = 0; k < 2000; ++k) run.step(0.005, count);
  EXPECT_NEAR(count.t[0], 0.782061887005775, 1e-13);
  EXPECT_NEAR(count.p_plus[0][1], 7.67203398100626, 1e-12);
  EXPECT_EQ(count.most_gaps, 2);
  EXPECT_NEAR(run.node().q[2], 0, 1e-12);  // the two equal impulses cancel to rounding, bounce after bounce
  EXPECT_NEAR(run.node().p[2], 0, 1e-12);
}

/// A free particle in a wedge |angle| ≤ opening/2 around the x axis, apex at the origin, with gravity along −y
/// optional.
struct Wedge {
  static constexpr int dimension = 2;
  double opening, g;
  Eigen::Vector2d mass() const { return {1, 1}; }
  template <class T>
  T potential(Point<T> q) const {
    return g * q[0];
  }
  int gaps() const { return 2; }
  template <class T>
  T gap(int i, Point<T> q) const {
    const double s = std::sin(opening / 2), c = std::cos(opening / 2);
    return q[0] * s + (i == 0 ? -c : c) * q[1];
  }
};

TEST(StrongCorner, SquareCornerReturnsTheParticle) {
  using Body = bodies::Generalized<Wedge>;
  const Body body(Wedge{M_PI / 2, 0}, Rule<double>::trapezoid());
  // Straight into the corner, off-axis in velocity but hitting both walls at the same instant: v → −v.
  const double t_hit = 1.2345;
  const Eigen::Vector2d v(-1.0, 0.3), q = -t_hit * v;
  principle::Strong<Body> run(body, body.node(q, v));
  Count<Body> count;
  while (count.total == 0) run.step(0.01, count);
  EXPECT_EQ(count.most_gaps, 2);
  EXPECT_NEAR(count.t[0], t_hit, 1e-14);
  EXPECT_NEAR((run.node().p + v).norm(), 0, 1e-14);
}

TEST(StrongCorner, WedgesOfAnyOpeningAngle) {
  using Body = bodies::Generalized<Wedge>;
  for (double degrees = 5; degrees < 180; degrees += 7.3) {
    const Body body(Wedge{degrees * M_PI / 180, 9.81}, Rule<double>::trapezoid());
    // On the axis of symmetry the particle falls into the apex: both gaps at once, again and again.
    principle::Strong<Body> axis(body, body.node({1, 0}, {0, 0}));
    // Off the axis it rattles between the walls.
    principle::Strong<Body> side(body, body.node({1, 0.01 * std::tan(degrees * M_PI / 720)}, {0.1, 0.05}));
    observe::Monitor<Body> a(body), b(body);
    a.start(axis.node());
    b.start(side.node());
    for (int k = 0; k < 2000; ++k) {
      axis.step(0.002, a);
      side.step(0.002, b);
    }
    EXPECT_GE(a.min_gap, -1e-12) << degrees;
    EXPECT_GE(b.min_gap, -1e-12) << degrees;
    EXPECT_NEAR(axis.node().q[1], 0, 1e-12) << degrees;
    EXPECT_GT(axis.impacts(), 3) << degrees;
    EXPECT_LT(a.relative(a.energy.max_error(), a.energy.initial), 1e-3) << degrees;
  }
}

/// Outside of a convex obstacle with a corner at the origin: C = {max(φ1, φ2) ≥ 0}, the complement of a quadrant.
struct Reentrant {
  static constexpr int dimension = 2;
  Eigen::Vector2d mass() const { return {1, 1}; }
  template <class T>
  T potential(Point<T>) const {
    return T(0);
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    using std::max;
    return max(q[0], q[1]);
  }
};

TEST(StrongCorner, ReentrantCornerAndClosestPointProjection) {
  using Body = bodies::Generalized<Reentrant>;
  const Body body({}, Rule<double>::trapezoid());
  const double h = 0.1;
  int hits = 0;
  for (int k = 0; k <= 200; ++k) {
    // A fan of straight shots at and around the corner; k = 100 meets it exactly.
    const double offset = (k - 100) * 1e-3;
    const Body::Node start = body.node({0.05 + offset, 0.05 - offset}, {-1, -1});
    principle::Strong<Body> run(body, start);
    Count<Body> count;
    run.step(h, count);
    ASSERT_GE(body.gap(0, run.node()), -1e-14);
    EXPECT_NEAR(run.node().p.norm(), std::sqrt(2.0), 1e-14);
    if (count.total != 1) continue;
    ++hits;
    // Fetecau 2003 (90): for L = ½|v|² the impact point is the closest point of the obstacle to (1−α)q_{i−1} + αq_i.
    const Eigen::Vector2d between = (1 - count.alpha[0]) * start.q + count.alpha[0] * run.node().q;
    const Eigen::Vector2d closest = between.cwiseMin(0.0);
    const Eigen::Vector2d at = start.q + count.alpha[0] * h * Eigen::Vector2d(-1, -1);
    EXPECT_NEAR((closest - at).norm(), 0, 1e-14) << k;
  }
  EXPECT_EQ(hits, 101);  // |offset| ≤ 0.05 arrives within the step
}

}  // namespace
}  // namespace ricochet
