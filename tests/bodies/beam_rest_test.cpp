// Beams that stay in contact: resting flat, and the axial impact that lasts 2L/c.
#include <gtest/gtest.h>

#include "bodies/beam_cases.hpp"
#include "ricochet/principle/beam_run.hpp"

namespace ricochet {
namespace {

using principle::BeamClosure;
using principle::BeamRun;
using Vec = Eigen::Vector3d;

bodies::BeamsSpec<double> lying_beam(double height) {
  auto b = test::paper_material<double>(10);
  b.gravity = {0, 0, -10};
  lie::Mat3<double> R;
  R << 0, 0, 1, 0, 1, 0, -1, 0, 0;  // along x
  b.nodes = bodies::poses_of_strain<double>({R, {0, 0, height}}, lie::join<double>({0, 0, 0}, {0, 0, 1}), b.length, 10);
  bodies::BeamsSpec<double> spec;
  spec.beams = {b};
  spec.planes.push_back({"floor", {0, 0, 0}, {0, 0, 1}});
  return spec;
}

/// Dropped flat from 0.05 with e = 0: all nodes land at once at t = 0.1, and from there on the beam rests.
void drop_and_rest(double h, long steps) {
  BeamRun run(lying_beam(0.05), {.step = h, .restitution = 0});
  run.advance(std::lround(0.1 / h) + 2);
  ASSERT_EQ(run.impact_events(), 1);
  ASSERT_EQ(run.impacts().size(), 11u);
  for (const auto& i : run.impacts()) EXPECT_NEAR(i.t, 0.1, 1e-12);
  ASSERT_EQ(run.held().size(), 11u);
  run.advance(steps);
  EXPECT_EQ(run.impact_events(), 1);
  EXPECT_EQ(run.held().size(), 11u);
  EXPECT_EQ(run.contacts().size(), 11u);  // none let go
  for (int a = 0; a < run.nodes(); ++a) {
    EXPECT_LE(std::abs(run.position(a)[2]), 1e-15);
    EXPECT_LE((run.position(a) - Vec(0.05 * a, 0, 0)).norm(), 1e-13);
    EXPECT_LE(run.velocity(a).norm(), 1e-13);
  }
}
TEST(BeamRest, ABeamDroppedFlatStaysDown) { drop_and_rest(1e-3, 2000); }
TEST(LongBeamRest, ForAHundredThousandSteps) { drop_and_rest(1e-3, 100000); }

/// A vertical beam falls on its end with e = 0 of the lowest node: the node is held while the pressure wave runs up and
/// back, and let go when it returns. Contact lasts 2L/c in the limit; the front of a chain is Δs wide.
double contact_time(int elements) {
  auto b = test::paper_material<double>(elements);
  b.young = 1e6;  // c = √1000
  b.nodes = bodies::poses_of_strain<double>(lie::SE3<double>::translation({0, 0, 0.1}),
                                            lie::join<double>({0, 0, 0}, {0, 0, 1}), b.length, elements);
  b.velocities.assign(static_cast<std::size_t>(elements) + 1, {{0, 0, 0}, {0, 0, -1}});
  bodies::BeamsSpec<double> spec;
  spec.beams = {b};
  spec.planes.push_back({"floor", {0, 0, 0}, {0, 0, 1}});
  const double c = std::sqrt(1e3);
  BeamRun run(spec, {.step = 0.25 * b.spacing() / c, .restitution = 0});
  while (run.time() < 0.1 + 6 * b.length / c) run.advance();
  EXPECT_GE(run.contacts().size(), 2u);
  double first = -1, last = -1;
  for (const auto& x : run.contacts()) {
    EXPECT_EQ(x.node, 0);
    if (x.begins && first < 0) first = x.t;
    if (!x.begins) last = x.t;
  }
  EXPECT_NEAR(first, 0.1, 1e-9);
  // What leaves is the momentum of an elastic rebound, less the mass of one node.
  EXPECT_NEAR(run.linear_momentum()[2], 1.25, 3.0 / elements);
  return (last - first) / (2 * b.length / c);
}
TEST(BeamRest, AnAxialImpactLastsTwoPassagesOfTheWave) {
  const double coarse = contact_time(20), fine = contact_time(80);
  EXPECT_NEAR(coarse, 1, 0.1);
  EXPECT_NEAR(fine, 1, 0.04);
  EXPECT_LT(std::abs(fine - 1), std::abs(coarse - 1));
}

TEST(BeamRest, ElasticTipsBounceWhileTheWaveTravels) {
  // The same with e = 1: the lumped tip bounces many times (as in the bars), all of it within about 2L/c, no energy
  // lost.
  const int elements = 40;
  auto b = test::paper_material<double>(elements);
  b.young = 1e6;
  b.nodes = bodies::poses_of_strain<double>(lie::SE3<double>::translation({0, 0, 0.1}),
                                            lie::join<double>({0, 0, 0}, {0, 0, 1}), b.length, elements);
  b.velocities.assign(elements + 1, {{0, 0, 0}, {0, 0, -1}});
  bodies::BeamsSpec<double> spec;
  spec.beams = {b};
  spec.planes.push_back({"floor", {0, 0, 0}, {0, 0, 1}});
  const double c = std::sqrt(1e3), passage = 2 * b.length / c;
  BeamRun run(spec, {.step = 0.25 * b.spacing() / c, .closure = BeamClosure::reflection});
  const double E = run.energy();
  while (run.time() < 0.1 + 3 * passage) run.advance();
  EXPECT_GE(run.impacts().size(), 10u);
  EXPECT_NEAR(run.impacts().front().t, 0.1, 1e-9);
  EXPECT_NEAR((run.impacts().back().t - 0.1) / passage, 1, 0.1);
  EXPECT_NEAR(run.energy(), E, 1e-2 * E);
  EXPECT_GE(run.lowest_gap(), -1e-12);
}

TEST(BeamRest, TheMiddleOfASaggingBeamComesToRestFirst) {
  // A beam bent upwards at its ends lies on its middle, is held there and rocks down; nothing passes through the floor,
  // and energy only goes with the impacts.
  auto spec = lying_beam(0);
  auto& b = spec.beams[0];
  lie::Mat3<double> R;
  R << 0, 0, 1, 0, 1, 0, -1, 0, 0;
  lie::Vec6<double> strain;
  strain << 0, -1, 0, 0, 0, 1;
  b.nodes = bodies::poses_of_strain<double>({R, {0, 0, 0}}, strain, b.length, 10);
  // Put the middle on the floor with its tangent level.
  const lie::SE3<double> middle = b.nodes[5], level{R, {0, 0, 0.002}};
  for (auto& g : b.nodes) g = level * middle.inverse() * g;
  BeamRun run(spec, {.step = 5e-4, .restitution = 0});
  ASSERT_GT(run.position(0)[2], 0.02);
  double last = run.energy();
  for (int k = 0; k < 2000; ++k) {
    run.advance();
    EXPECT_LE(run.energy(), last + 2e-4 * std::abs(last)) << k;
    last = run.energy();
  }
  EXPECT_EQ(run.contacts().front().node, 5);
  EXPECT_GE(run.lowest_gap(), -1e-12);
}

}  // namespace
}  // namespace ricochet
