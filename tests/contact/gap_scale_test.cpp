// What counts as closed and as resting is judged by the motion of the gap itself: not by what moves beside it, and not
// by how fast a body slides along it.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/principle/strong.hpp"

namespace ricochet {
namespace {

using discrete::Rule;

template <class Body>
struct Seen {
  std::vector<double> impacts, accumulations;
  void impact(const principle::ImpactEvent<Body>& e) { impacts.push_back(double(e.t)); }
  void accumulation(const principle::Accumulation<double>& a) { accumulations.push_back(double(a.t)); }
};

template <class Body>
principle::ImpactLaws<Body> newton(double e) {
  principle::ImpactLaws<Body> laws;
  laws.law = *mechanics::Law<double>::named("newton");
  laws.restitution = [e](int, const typename Body::Node&) { return e; };
  return laws;
}

/// A ball falls on a floor; a heavy mass, coupled to nothing, moves beside it.
struct Beside {
  static constexpr int dimension = 2;
  double heavy = 1, g = 2;
  Eigen::Matrix2d mass() const { return Eigen::Vector2d(1, heavy).asDiagonal(); }
  template <class T>
  T potential(Point<T> q) const {
    return g * q[0];
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    return q[0];
  }
};
using BesideBody = bodies::Generalized<Beside>;

TEST(GapScale, AHeavyMassBesideChangesNoImpact) {
  // φ = 1 − t², so the first impact is at 1; later ones are where they are without the heavy mass.
  std::vector<double> alone;
  double height = 0;
  for (const double heavy : {1.0, 1e6, 1e12, 1e18, 1e25, 1e100}) {
    const BesideBody body({heavy}, Rule<double>::trapezoid());
    principle::Strong<BesideBody> run(body, body.node(BesideBody::Vec(1, 0), BesideBody::Vec(0, 1)), {},
                                      newton<BesideBody>(1));
    Seen<BesideBody> seen;
    run.run(0.013, 500, seen);
    ASSERT_EQ(seen.impacts.size(), 3u) << heavy;
    EXPECT_NEAR(seen.impacts[0], 1, 1e-13) << heavy;
    EXPECT_EQ(run.fallbacks(), 0) << heavy;
    if (alone.empty()) alone = seen.impacts, height = run.node().q[0];
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(seen.impacts[i], alone[i], 1e-12) << heavy;
    EXPECT_NEAR(run.node().q[0], height, 1e-12) << heavy;
  }
}
TEST(GapScale, AHeavyMassBesideEndsNoBounce) {
  // v after the first impact is e·2, then each hop lasts ev: at rest from 1 + 2e/(1 − e) on.
  for (const double heavy : {1.0, 1e18, 1e25}) {
    const BesideBody body({heavy}, Rule<double>::trapezoid());
    principle::Strong<BesideBody> run(body, body.node(BesideBody::Vec(1, 0), BesideBody::Vec(0, 1)), {},
                                      newton<BesideBody>(0.5));
    Seen<BesideBody> seen;
    run.run(0.013, 500, seen);
    ASSERT_EQ(seen.accumulations.size(), 1u) << heavy;
    EXPECT_NEAR(seen.accumulations[0], 3, 1e-8) << heavy;
    EXPECT_NEAR(run.node().q[0], 0, 1e-14) << heavy;
    EXPECT_EQ(run.held().size(), 1u) << heavy;
  }
}

/// A ball hops down a slope.
struct Slope {
  static constexpr int dimension = 2;
  double slope = 0.5, g = 3.7;
  Eigen::Matrix2d mass() const { return Eigen::Matrix2d::Identity(); }
  template <class T>
  T potential(Point<T> q) const {
    return g * q[1];
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    return q[1] + slope * q[0];
  }
};
using SlopeBody = bodies::Generalized<Slope>;

TEST(GapScale, ABallHoppingDownASlopeRestsWhenItDoesOnALevelFloor) {
  for (const double slope : {0.0, 0.5, 2.0})
    for (const double e : {0.5, 0.97, 0.995}) {
      // φ̈ = −g whatever the slope, and Newton's law makes φ̇⁺ = −eφ̇⁻.
      const double g = 3.7, y = 0.4, rate = 0.3 * slope, v = std::sqrt(rate * rate + 2 * g * y);
      const double rest = (rate + v) / g + 2 * e * v / (g * (1 - e));
      const SlopeBody body({slope, g}, Rule<double>::trapezoid());
      principle::Strong<SlopeBody> run(body, body.node(SlopeBody::Vec(0, y), SlopeBody::Vec(0.3, 0)), {},
                                       newton<SlopeBody>(e));
      Seen<SlopeBody> seen;
      const double h = 0.013;
      run.run(h, static_cast<long long>(rest / h) + 50, seen);
      ASSERT_EQ(seen.accumulations.size(), 1u) << slope << " " << e;
      EXPECT_NEAR(seen.accumulations[0], rest, 1e-8 * std::max(1.0, rest)) << slope << " " << e;
      EXPECT_EQ(run.held().size(), 1u) << slope << " " << e;
    }
}

/// Three balls in a row, the last two of which touch but for a few roundings.
struct Row {
  static constexpr int dimension = 3;
  Eigen::Matrix3d mass() const { return Eigen::Matrix3d::Identity(); }
  template <class T>
  T potential(Point<T>) const {
    return T(0);
  }
  int gaps() const { return 2; }
  template <class T>
  T gap(int i, Point<T> q) const {
    return q[static_cast<std::size_t>(i) + 1] - q[static_cast<std::size_t>(i)];
  }
};
using RowBody = bodies::Generalized<Row>;

TEST(GapScale, WhatTouchesButForRoundingActsTogether) {
  // Newton's law with e = 0 on both contacts at once leaves all three with a third of the speed; one after the other
  // it would be half, half, zero, and then an impact more.
  for (const double apart : {0.0, 1e-18, 1e-16, 1e-14, 1e-13}) {
    const RowBody body({}, Rule<double>::trapezoid());
    principle::Strong<RowBody> run(body, body.node(RowBody::Vec(-0.5, 0, apart), RowBody::Vec(1, 0, 0)), {},
                                   newton<RowBody>(0));
    Seen<RowBody> seen;
    run.run(0.1, 10, seen);
    EXPECT_EQ(seen.impacts.size(), 1u) << apart;
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(run.node().p[k], 1.0 / 3, 1e-15) << apart;
  }
  // Farther apart than the way of an instant they are two impacts.
  const RowBody body({}, Rule<double>::trapezoid());
  principle::Strong<RowBody> run(body, body.node(RowBody::Vec(-0.5, 0, 1e-8), RowBody::Vec(1, 0, 0)), {},
                                 newton<RowBody>(0));
  Seen<RowBody> seen;
  run.run(0.1, 10, seen);
  EXPECT_EQ(seen.impacts.size(), 2u);
}

}  // namespace
}  // namespace ricochet
