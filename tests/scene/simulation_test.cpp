// Scenes run: the numbers of the C++ systems, checkpoints, ends, samples.
#include "ricochet/scene/simulation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/principle/strong.hpp"
#include "scene/support.hpp"
#include "support/systems.hpp"

namespace ricochet {
namespace {

using test::floor_scene;
using test::Keep;

std::unique_ptr<scene::Simulation> bundled(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return scene::simulate(scene::load_scene(RICOCHET_SOURCE_DIR "/scenes/" + name + ".toml", overrides));
}
std::unique_ptr<scene::Simulation> from_text(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return scene::simulate(scene::parse_scene(text, "s.toml", overrides));
}
Keep run(scene::Simulation& simulation) {
  Keep keep;
  simulation.begin(keep);
  simulation.advance(std::numeric_limits<std::int64_t>::max(), keep);
  simulation.conclude(keep);
  return keep;
}

TEST(StarScene, FirstImpactsOfThePaper) {
  auto star = bundled("star", {"time.end=3.1"});
  const Keep keep = run(*star);
  ASSERT_EQ(keep.hits.size(), 3u);
  // The reference numbers of tests/principle/strong_papers.cpp, computed independently.
  const double t[] = {0.755638888491, 2.262776477297, 3.028490579048};
  const double theta[] = {3.778194442455, -4.164110959624, -17.491134193945};
  const double py[] = {7.384565977514, 3.634158988474, 6.816421397461};
  const double pt[] = {-0.795958546861, -2.628834700072, 1.470953543099};
  const double tolerance[] = {1e-11, 1e-11, 1e-9};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(keep.hits[i].t, t[i], tolerance[i]);
    EXPECT_NEAR(keep.hits[i].q[2], theta[i], tolerance[i]);
    EXPECT_NEAR(keep.hits[i].p_plus[1], py[i], tolerance[i]);
    EXPECT_NEAR(keep.hits[i].p_plus[2], pt[i], tolerance[i]);
  }
}

TEST(StarScene, IsTheStarOfCppToTheLastDigit) {
  using Body = bodies::Generalized<test::Star>;
  const Body body({}, discrete::Rule<double>::trapezoid());
  principle::Strong<Body> cpp(body, body.node({0, 3.5, 0}, {-2, 0, 5}));
  auto scene = bundled("star", {"time.end=1e9"});
  scene::Sink nowhere;
  scene->begin(nowhere);
  // One digit more or less and chaos would show it after a few impacts.
  for (int k = 0; k < 20000; ++k) {
    cpp.step(0.005);
    scene->advance(1, nowhere);
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(scene->q()[static_cast<std::size_t>(i)], cpp.node().q[i]) << "step " << k;
      ASSERT_EQ(scene->p()[static_cast<std::size_t>(i)], cpp.node().p[i]) << "step " << k;
    }
  }
  EXPECT_GT(scene->impacts(), 80);
  EXPECT_EQ(scene->impacts(), cpp.impacts());
}

TEST(StarScene, InANonlinearPotentialToo) {
  using Body = bodies::Generalized<test::Star>;
  const Body body({.cubic = 0.1}, discrete::Rule<double>::trapezoid());
  principle::Strong<Body> cpp(body, body.node({0, 3.5, 0}, {-2, 0, 5}));
  auto scene = bundled("star-cubic", {"time.end=1e9"});
  scene::Sink nowhere;
  scene->begin(nowhere);
  // 3cy² is rounded differently by jets and by the sweep over the tape: one unit in the last place of the force per
  // step, over the 130 steps around the first impact.
  for (int k = 0; k < 130; ++k) {
    cpp.step(0.005);
    scene->advance(1, nowhere);
    for (int i = 0; i < 3; ++i) {
      ASSERT_NEAR(scene->q()[static_cast<std::size_t>(i)], cpp.node().q[i], 1e-12) << "step " << k;
      ASSERT_NEAR(scene->p()[static_cast<std::size_t>(i)], cpp.node().p[i], 1e-12) << "step " << k;
    }
  }
}

TEST(Systems, MassMatrixMassOfQAndLagrangianAgree) {
  // One system four times: a constant matrix, the same as M(q), and as a Lagrangian. The explicit and the implicit
  // solution of the same discrete equations agree to the accuracy of the implicit one.
  const std::string head =
      "[time]\nstep = 0.01\nend = 2\n[system]\ncoordinates = [\"x\", \"y\"]\n"
      "position = [0, 1]\nvelocity = [-2, 0.5]\n";
  const std::string tail = "[[gap]]\nexpression = \"y\"\n[integrator]\nclosure = \"variational\"\n";
  auto a = from_text(head + "mass = [[2, 0.5], [0.5, 1]]\npotential = \"9.81*y + x^2\"\n" + tail);
  auto b = from_text(head + "mass = [[\"2 + 0*x\", 0.5], [0.5, 1]]\npotential = \"9.81*y + x^2\"\n" + tail);
  auto c = from_text(head + "lagrangian = \"v_x^2 + 0.5*v_x*v_y + v_y^2/2 - 9.81*y - x^2\"\n" + tail);
  EXPECT_TRUE(a->model().constant_mass);
  EXPECT_FALSE(b->model().constant_mass);
  const Keep ka = run(*a), kb = run(*b), kc = run(*c);
  ASSERT_GE(ka.hits.size(), 2u);
  for (const Keep* other : {&kb, &kc}) {
    ASSERT_EQ(other->hits.size(), ka.hits.size());
    for (std::size_t i = 0; i < ka.hits.size(); ++i) EXPECT_NEAR(other->hits[i].t, ka.hits[i].t, 1e-12);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(other->rows.back().q[i], ka.rows.back().q[i], 1e-11);
  }
}

TEST(Systems, MoreCoordinatesThanTheStackHolds) {
  // Twenty particles, each over the floor: all do what one does.
  std::string q, m, x, v, V, gaps;
  for (int i = 0; i < 20; ++i) {
    const std::string n = std::to_string(i), comma = i > 0 ? ", " : "";
    q += comma + "\"y" + n + "\"";
    m += comma + "1";
    x += comma + "1";
    v += comma + "0";
    V += std::string(i > 0 ? " + " : "").append("9.81*y").append(n);
    gaps += "[[gap]]\nexpression = \"y" + n + "\"\n";
  }
  auto many = from_text("[time]\nstep = 0.01\nend = 0.5\n[system]\ncoordinates = [" + q + "]\nmass = [" + m +
                        "]\npotential = \"" + V + "\"\nposition = [" + x + "]\nvelocity = [" + v + "]\n" + gaps);
  const Keep keep = run(*many);
  ASSERT_EQ(keep.hits.size(), 1u);  // all at once
  EXPECT_EQ(keep.hits[0].multipliers.size(), 20u);
  EXPECT_NEAR(keep.hits[0].t, std::sqrt(2 / 9.81), 1e-12);
  for (std::size_t i = 1; i < 20; ++i) EXPECT_NEAR(keep.rows.back().q[i], keep.rows.back().q[0], 1e-13);
}

TEST(Start, MomentumInsteadOfVelocity) {
  auto a = from_text(floor_scene()), b = from_text(floor_scene(), {"system.mass=[2, 3]"});
  EXPECT_EQ(a->p()[0], -2);
  EXPECT_EQ(b->p()[0], -4);
  std::string text = floor_scene();
  text.replace(text.find("velocity"), 8, "momentum");
  EXPECT_EQ(from_text(text, {"system.mass=[2, 3]"})->p()[0], -2);
}

TEST(End, ShorterLastStep) {
  auto run_to = [](const char* end) {
    auto s = from_text(floor_scene(), {std::string("time.end=") + end});
    const Keep keep = run(*s);
    return std::pair(s->steps(), keep.rows.back().t);
  };
  EXPECT_EQ(run_to("1").first, 100);
  EXPECT_EQ(run_to("1").second, 1);
  EXPECT_EQ(run_to("0.995").first, 100);
  EXPECT_NEAR(run_to("0.995").second, 0.995, 1e-15);
  EXPECT_EQ(run_to("0.003").first, 1);
  EXPECT_NEAR(run_to("0.003").second, 0.003, 1e-18);
  // 0.3/0.01 is 30 in exact arithmetic and less in doubles: no step of length 1e-17
  EXPECT_EQ(run_to("0.3").first, 30);
}

TEST(End, StepOfTheLastImpactIsFinished) {
  auto s = from_text(floor_scene(), {"time.end=100", "time.impacts=2"});
  const Keep keep = run(*s);
  EXPECT_EQ(keep.hits.size(), 2u);
  EXPECT_EQ(keep.rows.back().step, keep.hits.back().step + 1);
  EXPECT_NEAR(keep.rows.back().t, 0.01 * static_cast<double>(s->steps()), 1e-15);
}

TEST(Checkpoint, GoesOnBitForBit) {
  struct Case {
    const char* scene;
    std::vector<std::string> set;
  };
  const Case cases[] = {{"star", {"time.end=20"}},
                        {"double-pendulum", {"time.end=3"}},
                        {"resting-ball", {}},
                        {"slider-crank", {"time.end=2"}},
                        {"impact-oscillator", {"time.end=60", "record.every=1", "record.section=x + 0.1"}},
                        {"moving-wall", {"time.end=10.003"}}};
  for (const auto& c : cases) {
    auto whole = bundled(c.scene, c.set);
    const Keep expected = run(*whole);
    for (const std::int64_t at : {1, 37, 111}) {
      auto first = bundled(c.scene, c.set);
      Keep keep;
      first->begin(keep);
      first->advance(at, keep);
      const std::string state = first->save();
      auto second = bundled(c.scene, c.set);
      second->restore(state);
      EXPECT_EQ(second->save(), state);
      second->advance(std::numeric_limits<std::int64_t>::max(), keep);
      second->conclude(keep);
      EXPECT_TRUE(keep.rows == expected.rows) << c.scene << " at " << at;
      EXPECT_TRUE(keep.hits == expected.hits) << c.scene << " at " << at;
      EXPECT_EQ(second->save(), whole->save()) << c.scene << " at " << at;  // reports too
    }
  }
}

TEST(Checkpoint, RefusesOtherBytes) {
  auto s = bundled("star", {"time.end=1"});
  const std::string state = s->save();
  EXPECT_THROW(s->restore(""), Error);
  EXPECT_THROW(s->restore(state.substr(0, state.size() - 1)), Error);
  EXPECT_THROW(s->restore(state + "x"), Error);
  EXPECT_THROW(s->restore(bundled("particle", {})->save()), Error);
}

TEST(Samples, StroboscopeFollowsTheFlight) {
  // A particle before its first impact flies a parabola exactly; the samples lie between the nodes.
  auto s = from_text(floor_scene("[record]\nevery = 0\nstroboscope = 0.0137\n"), {"time.end=0.4"});
  const Keep keep = run(*s);
  ASSERT_EQ(keep.rows.size(), 30u);  // t = 0, …, 29·0.0137 = 0.3973
  for (std::size_t i = 0; i < keep.rows.size(); ++i) {
    const double t = 0.0137 * static_cast<double>(i);
    EXPECT_EQ(keep.rows[i].series, scene::Series::stroboscope);
    EXPECT_NEAR(keep.rows[i].t, t, 1e-15);
    EXPECT_NEAR(keep.rows[i].q[0], -2 * t, 1e-14);
    // Verlet's parabola over a part of a step: its velocity at the nodes is exact, so its position is.
    EXPECT_NEAR(keep.rows[i].q[1], 1 - 9.81 / 2 * t * t, 1e-13);
  }
}

TEST(Samples, SectionIsWhereTheExpressionVanishes) {
  auto s = from_text(floor_scene("[record]\nevery = 0\nsection = \"y - 0.5\"\n"), {"time.end=1.4"});
  const Keep keep = run(*s);
  ASSERT_EQ(keep.rows.size(), 3u);  // down, up, down: impacts at 0.4515 and 1.3546
  for (const auto& row : keep.rows) EXPECT_NEAR(row.q[1], 0.5, 1e-13);
  EXPECT_NEAR(keep.rows[0].t, std::sqrt(2 * 0.5 / 9.81), 1e-13);
  EXPECT_LT(keep.rows[0].p[1], 0);
  EXPECT_GT(keep.rows[1].p[1], 0);
}

TEST(Samples, EveryAndTheLastState) {
  auto s = from_text(floor_scene("[record]\nevery = 7\n"));
  const Keep keep = run(*s);
  ASSERT_EQ(keep.rows.size(), 16u);  // 0, 7, …, 98, and the last
  EXPECT_EQ(keep.rows[14].step, 98);
  EXPECT_EQ(keep.rows[15].step, 100);
}

TEST(Laws, RestitutionOfVelocity) {
  // e = exp(-|v|/10) at the speed before the impact.
  auto s = from_text(floor_scene("[impact]\nlaw = \"newton\"\nrestitution = \"exp(v_y/10)\"\n"), {"time.end=0.5"});
  const Keep keep = run(*s);
  ASSERT_EQ(keep.hits.size(), 1u);
  const double before = keep.hits[0].p_minus[1];
  EXPECT_NEAR(before, -std::sqrt(2 * 9.81), 1e-2);
  EXPECT_NEAR(keep.hits[0].p_plus[1], -before * std::exp(before / 10), 1e-14);
}

TEST(Laws, RestitutionOutOfRangeStopsTheRun) {
  auto s = from_text(floor_scene("[impact]\nlaw = \"newton\"\nrestitution = \"1 + x^2\"\n"));
  Keep keep;
  s->begin(keep);
  EXPECT_THROW(s->advance(1000, keep), Error);
  EXPECT_GT(keep.rows.size(), 40u);
}

TEST(Contact, RestingBallReports) {
  auto s = bundled("resting-ball");
  run(*s);
  const auto report = s->report();
  ASSERT_EQ(report.accumulations.size(), 1u);
  EXPECT_NEAR(report.accumulations[0].t, 1.3545709229571927, 1e-8);
  ASSERT_EQ(report.contacts.size(), 1u);
  EXPECT_EQ(report.contacts[0].gap, "floor");
  EXPECT_FALSE(report.contacts[0].to.has_value());
  // All of the energy is gone, and the account says so: impacts took m g times the height, those passed at the
  // accumulation included. Flights under a constant force are exact.
  EXPECT_NEAR(report.energy.last, 0, 1e-12);
  EXPECT_NEAR(report.dissipated, 9.81, 1e-11);
}

TEST(Contact, HemisphereLetsGo) {
  auto s = bundled("hemisphere");
  run(*s);
  const auto report = s->report();
  ASSERT_EQ(report.contacts.size(), 1u);
  ASSERT_TRUE(report.contacts[0].to.has_value());
  EXPECT_NEAR(*report.contacts[0].to, 0.527002185637040, 2e-6);  // second order: 2e-4 at ten times the step
}

TEST(Contact, CradleIsTheLawsChoice) {
  const auto speeds = [](const std::vector<std::string>& set) {
    auto s = bundled("newton-cradle", set);
    run(*s);
    return std::vector<double>(s->p().begin(), s->p().end());
  };
  const auto sequential = speeds({}), canonical = speeds({"impact.law=canonical"});
  const double expected[2][5] = {{0, 0, 0, 0, 1}, {-0.6, 0.4, 0.4, 0.4, 0.4}};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(sequential[i], expected[0][i], 1e-12);
    EXPECT_NEAR(canonical[i], expected[1][i], 1e-12);
  }
}

TEST(Contact, TwoMassesCountThePi) {
  auto s = bundled("two-masses");
  run(*s);
  EXPECT_EQ(s->impacts(), 31);
}

TEST(Contact, MovingWallDoesTheWork) {
  auto s = bundled("moving-wall", {"time.end=50"});
  const Keep keep = run(*s);
  EXPECT_GT(keep.hits.size(), 20u);
  const auto report = s->report();
  EXPECT_NEAR(report.balance_error, 0, 1e-12);  // flights are exact, the walls do all the work
  // p+ - p- = 2 (w - v): reflection in the frame of the wall.
  for (const auto& hit : keep.hits) {
    const double wall = hit.gaps == "fixed wall" ? 0 : 0.05 * 1.3 * std::cos(1.3 * hit.t);
    EXPECT_NEAR(hit.p_plus[0], 2 * wall - hit.p_minus[0], 1e-12);
  }
}

TEST(Contact, TwoMotionsOfTheSameData) {
  auto stays = bundled("counter-example-5");
  run(*stays);
  EXPECT_EQ(stays->q()[0], 0);
  EXPECT_EQ(stays->impacts(), 0);
  auto leaves = bundled("counter-example-5", {"impact.start=perturbed"});
  run(*leaves);
  // Ballard 2001: the n-th impact happens with the speed 1/(n+3)!; the run ends with the last, n = 0. Over eighteen
  // impacts the speed has grown by nineteen orders of magnitude.
  EXPECT_GE(leaves->impacts(), 17);
  EXPECT_NEAR(std::abs(leaves->p()[0]), 1.0 / 6, 1e-9);
}

TEST(Describe, SymmetriesThatHoldAndThatDoNot) {
  auto s = bundled("star", {"symmetry[0].generator=[1, 0, 0]"});
  const auto d = s->describe();
  ASSERT_EQ(d.symmetries.size(), 1u);
  EXPECT_TRUE(d.symmetries[0].holds);
  EXPECT_EQ(d.symmetries[0].momentum, -2);
  EXPECT_TRUE(d.explicit_rule);
  EXPECT_NEAR(d.energy, 2 + 29.0 / 192 * 12.5 + 9.81 * 3.5, 1e-13);
  const auto broken = bundled("star", {"symmetry[0].generator=[0, 1, 0]"})->describe();
  EXPECT_FALSE(broken.symmetries[0].holds);
  EXPECT_FALSE(broken.symmetries[0].why_not.empty());
}

}  // namespace
}  // namespace ricochet
