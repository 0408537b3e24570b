// Friction with the strong principle: belts, space, several contacts, constraints.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "principle/rough_systems.hpp"
#include "ricochet/observe/monitor.hpp"

namespace ricochet {
namespace {

using namespace test;
using discrete::Rule;

// A block on a belt of speed 2 is carried along with μg until it moves with the belt; then nothing works any more.
TEST(Friction, BlockOnABelt) {
  const double mu = 0.5, belt = 2;
  const RoughBody<Belt> body(Belt{mu, belt}, Rule<double>::trapezoid());
  RoughRun<Belt> run(body, body.node({0, 0}, {0, 0}), {}, rough_law<Belt>("newton", 0));
  observe::Monitor<RoughBody<Belt>> monitor(body);
  monitor.start(run.node());
  run.run(0.01, 100, monitor);
  const double caught = belt / (mu * g);
  EXPECT_NEAR(run.node().p[0], belt, 1e-13);
  EXPECT_NEAR(run.node().q[0], belt * caught / 2 + belt * (1 - caught), 1e-12);
  EXPECT_NEAR(monitor.dissipated, belt * belt / 2, 1e-12);  // as much as the block gained
  EXPECT_NEAR(monitor.wall_work, belt * belt, 1e-12);
  EXPECT_NEAR(monitor.balance_error(), 0, 1e-12);
}

// In space: a particle thrown across a rough incline turns until it slides straight down. Independent integration of
// the two slip velocities, dv/dt = (g sin α, 0) − μg cos α v/|v|. The scheme is exact under constant forces, whatever
// the step; the reference has errors of 1e-11.
TEST(Friction, ParticleAcrossAnInclineInSpaceIsExact) {
  const double alpha = 0.5, mu = 0.4;
  double vx = 0, vy = 2, x = 0, y = 0;
  const int steps = 400000;
  const double dt = 1.0 / steps;
  for (int k = 0; k < steps; ++k) {  // midpoint with tiny steps
    const auto force = [&](double a, double b, double& fx, double& fy) {
      const double n = std::hypot(a, b);
      fx = g * std::sin(alpha) - mu * g * std::cos(alpha) * a / n;
      fy = -mu * g * std::cos(alpha) * b / n;
    };
    double fx, fy;
    force(vx, vy, fx, fy);
    const double mx = vx + dt / 2 * fx, my = vy + dt / 2 * fy;
    force(mx, my, fx, fy);
    vx += dt * fx, vy += dt * fy, x += dt * mx, y += dt * my;
  }
  for (const double h : {0.1, 0.02, 0.005}) {
    const RoughBody<Slope> body(Slope{alpha, mu}, Rule<double>::trapezoid());
    RoughRun<Slope> run(body, body.node({0, 0, 0}, {0, 2, 0}), {}, rough_law<Slope>("newton", 0));
    run.run(h, std::llround(1 / h));
    EXPECT_NEAR(run.node().q[0], x, 1e-10) << h;
    EXPECT_NEAR(run.node().q[1], y, 1e-10) << h;
    EXPECT_NEAR(run.node().p[0], vx, 1e-10) << h;
    EXPECT_NEAR(run.node().p[1], vy, 1e-10) << h;
  }
}

// On a plane it goes straight and stops after v²/(2μg) at an angle to both slip coordinates; on a steep enough friction
// cone it stays there, on a slope with little it starts to slide by itself straight down.
TEST(Friction, SpatialSlipStopsAndStarts) {
  const double mu = 0.4;
  const RoughBody<Slope> flat(Slope{0, mu}, Rule<double>::trapezoid());
  RoughRun<Slope> run(flat, flat.node({0, 0, 0}, {0.6, -0.8, 0}), {}, rough_law<Slope>("newton", 0));
  run.run(0.01, 100);
  EXPECT_NEAR(run.node().q[0], 0.6 / (2 * mu * g), 1e-12);
  EXPECT_NEAR(run.node().q[1], -0.8 / (2 * mu * g), 1e-12);
  EXPECT_LE(run.node().p.norm(), 1e-14);
  const RoughBody<Slope> steep(Slope{0.6, mu}, Rule<double>::trapezoid());
  RoughRun<Slope> down(steep, steep.node({0, 0, 0}, {0, 0, 0}), {}, rough_law<Slope>("newton", 0));
  down.run(0.01, 100);
  const double a = g * (std::sin(0.6) - mu * std::cos(0.6));
  EXPECT_NEAR(down.node().q[0], a / 2, 1e-12);
  EXPECT_NEAR(down.node().p[0], a, 1e-12);
  EXPECT_LE(std::abs(down.node().q[1]), 1e-14);
}

// A box on two rough corners: reactions are not unique when it sticks (four forces, three equations), its rest is;
// sliding it has the acceleration of the block, and rests on both corners as long as its weight lies between them.
TEST(Friction, BoxOnTwoCorners) {
  for (const double mu : {0.2, 0.5}) {
    const double alpha = 0.4, a = std::max(0.0, g * (std::sin(alpha) - mu * std::cos(alpha)));
    const RoughBody<Box> body(Box{alpha, mu}, Rule<double>::trapezoid());
    RoughRun<Box> run(body, body.node({0, 0.3, 0}, {0, 0, 0}), {}, rough_law<Box>("newton", 0));
    run.run(0.01, 100);
    EXPECT_NEAR(run.node().q[0], a / 2, 1e-12) << mu;
    EXPECT_NEAR(run.node().q[1], 0.3, 1e-14);
    EXPECT_NEAR(run.node().q[2], 0, 1e-14);
    EXPECT_EQ(run.held().size(), 2u);
  }
  // Pushed, it stops in the middle of a step: both slips at once.
  const RoughBody<Box> body(Box{0, 0.3}, Rule<double>::trapezoid());
  RoughRun<Box> run(body, body.node({0, 0.3, 0}, {1, 0, 0}), {}, rough_law<Box>("newton", 0));
  run.run(0.01, 100);
  EXPECT_NEAR(run.node().q[0], 1 / (2 * 0.3 * g), 1e-12);
  EXPECT_LE(run.node().p.norm(), 1e-13);
}

// Beyond μ = 1e6 rounding decides what friction does to the normal: both principles say so at once.
TEST(Friction, AbsurdCoefficientsAreRefused) {
  const auto refused = [](auto&& make) {
    try {
      make();
      return std::string("accepted");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_model);
      return std::string(error.what());
    }
  };
  for (const double mu : {1e13, 1e308, -0.1, std::nan("")}) {
    const RoughBody<Incline> rough(Incline{0.1, mu}, Rule<double>::trapezoid());
    const BodyOf<Incline> body(Incline{0.1, mu}, Rule<double>::trapezoid());
    for (const std::string& why :
         {refused([&] {
            RoughRun<Incline>(rough, rough.node({0, 0}, {0, 0}), {}, rough_law<Incline>("newton", 0));
          }),
          refused([&] {
            principle::Weak<BodyOf<Incline>>(body, body.node({0, 0}, {0, 0}));
          })})
      EXPECT_NE(why.find("between 0 and 1e+06"), std::string::npos) << mu << ": " << why;
  }
}

// Two blocks of unequal mass and roughness on one floor, joined by a rod: together they slow down with
// g(m1μ1 + m2μ2)/(m1 + m2), the rod carries the difference, and a smooth wall in the way throws them back with e.
TEST(Friction, TwoBlocksJoinedByARodHitAWall) {
  const double mu1 = 0.2, mu2 = 0.5, a = g * (1 * mu1 + 3 * mu2) / 4, v = 2, e = 0.5;
  const RoughBody<Train> body(Train{mu1, mu2, 0.3}, Rule<double>::trapezoid());
  for (const char* name : {"newton", "poisson"}) {
    RoughRun<Train> run(body, body.node({0, 0, 1, 0}, {v, 0, v, 0}), {}, rough_law<Train>(name, e));
    run.run(0.01, 10);
    EXPECT_NEAR(run.node().p[0], v - a * 0.1, 1e-12);
    EXPECT_NEAR(run.node().p[2] / 3, v - a * 0.1, 1e-12);
    EXPECT_NEAR(run.node().q[0], v * 0.1 - a * 0.01 / 2, 1e-12);
    run.run(0.01, 190);
    const double arrives = std::sqrt(v * v - 2 * a * 0.3), back = e * arrives;
    EXPECT_EQ(run.impacts(), 1) << name;
    EXPECT_NEAR(run.node().q[0], 0.3 - back * back / (2 * a), 1e-11) << name;
    EXPECT_NEAR(run.node().q[2] - run.node().q[0], 1, 1e-14);
    EXPECT_LE(run.node().p.norm(), 1e-13);
  }
}

}  // namespace
}  // namespace ricochet
