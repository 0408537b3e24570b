// Many steps per sweep, many threads, gliding: all with the bits of single steps on one thread.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "ricochet/bodies/bar_redistributed.hpp"
#include "ricochet/bodies/bars.hpp"
#include "ricochet/principle/strong.hpp"

namespace ricochet {
namespace {

bodies::BarsSpec<double> bars(std::vector<int> elements, bool nonlinear, double speed) {
  bodies::BarsSpec<double> spec;
  double at = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    bodies::BarSpec<double> bar;
    bar.elements = elements[i];
    bar.length = 0.01 * elements[i];
    bar.position = at;
    bar.modulus = 1 + static_cast<double>(i) / 2;
    bar.mass = 1 + static_cast<double>(i) / 3;
    const double sign = i % 2 == 0 ? 1 : -1;
    bar.velocity_at = [=](double s) { return sign * speed + 0.01 * std::sin(20 * s); };
    if (nonlinear && i % 2 == 1) {
      bar.energy = bodies::BarEnergy<double>::pointwise(
          [](double e) { return 0.5 * (e - 1) * (e - 1) + 3 * std::pow(e - 1, 4); },
          [](double e) { return (e - 1) + 12 * std::pow(e - 1, 3); });
      bar.modulus = 0;
    }
    at += bar.length + 0.003;
    spec.bars.push_back(bar);
  }
  spec.walls = {{"", -0.002}, {"", at}};
  return spec;
}

void expect_same(std::span<const double> a, std::span<const double> b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(a[i], b[i]) << i;
}

TEST(BarSweep, BlockedStepsHaveTheBitsOfSingleSteps) {
  for (const bool nonlinear : {false, true})
    for (const int threads : {1, 2, 3}) {
      const auto spec = bars({1500, 7, 4100, 2, 900}, nonlinear, 0.1);
      bodies::RedistributedBars<double> one(spec), many(spec, {threads});
      for (const int n : {1, 5, 31, 32, 33, 100}) {
        for (int k = 0; k < n; ++k) one.step(0.006);
        many.step(0.006, n);
        expect_same(one.q(), many.q());
        expect_same(one.p(), many.p());
        EXPECT_EQ(one.hamiltonian(), many.hamiltonian());
        for (int i = 0; i < one.line().gaps(); ++i)
          ASSERT_EQ(one.contact(i).phases().size(), many.contact(i).phases().size());
      }
      double touched = 0;
      for (int i = 0; i < one.line().gaps(); ++i) touched += one.contact(i).impulse();
      EXPECT_GT(touched, 0);
    }
}

RC_GTEST_PROP(BarSweep, AnyBarsAnyThreads, ()) {
  std::vector<int> elements;
  for (int i = *rc::gen::inRange(1, 6); i > 0; --i) elements.push_back(*rc::gen::inRange(2, 3000));
  const auto spec = bars(elements, *rc::gen::arbitrary<bool>(), 0.2);
  bodies::RedistributedBars<double> one(spec), many(spec, {*rc::gen::inRange(2, 5)});
  const int n = *rc::gen::inRange(1, 80);
  for (int k = 0; k < n; ++k) one.step(0.005);
  many.step(0.005, n);
  for (std::size_t i = 0; i < one.q().size(); ++i) {
    RC_ASSERT(one.q()[i] == many.q()[i]);
    RC_ASSERT(one.p()[i] == many.p()[i]);
  }
}

TEST(BarSweep, FlightsHaveTheSameBitsOnAnyNumberOfThreads) {
  const auto spec = bars({20000, 7, 31000}, true, 0.1);
  const bodies::Bars<double> one(spec), many(spec, {3});
  bodies::Bars<double>::Work work;
  auto a = one.start(), b = many.start();
  for (int k = 0; k < 20; ++k) {
    auto next = a;
    const auto x = one.fly(a, {0.005, 0.005}, next, work);
    a = next;
    const auto y = many.fly(b, {0.005, 0.005}, b, work);  // in place
    ASSERT_EQ(x.energy, y.energy);
    expect_same(a.q, b.q);
    expect_same(a.p, b.p);
  }
}

TEST(BarSweep, GlidingStopsBeforeAContactAndHasTheSameBits) {
  // The tips of the first two bars meet after 0.0015/0.1: 3 steps; with the others farther away.
  const auto spec = bars({1500, 300, 700}, false, 0.1);
  const bodies::Bars<double> body(spec, {2});
  bodies::Bars<double>::Work work;
  using Strong = principle::Strong<bodies::Bars<double>>;
  Strong run(body, body.start());
  auto x = body.start(), scratch = x;
  const double h = 0.002;
  int steps = 0;
  for (;;) {
    const int n = body.glide(x, scratch, h, 1000, work);
    if (n == 0) break;
    steps += n;
    run.run(h, n);
    ASSERT_EQ(run.impacts(), 0);
    expect_same(x.q, run.node().q);
    expect_same(x.p, run.node().p);
  }
  EXPECT_GE(steps, 2);
  run.run(h, 1);
  EXPECT_GE(run.impacts(), 1);  // it stopped in the step of the contact, not earlier
}

TEST(BarSweep, GlidesOverManyBlocks) {
  auto spec = bars({4000}, false, 0.01);
  spec.walls = {{"", spec.bars[0].length + 1.0}};
  const bodies::Bars<double> body(spec);
  bodies::Bars<double>::Work work;
  auto x = body.start(), scratch = x;
  int steps = 0;
  while (steps < 500) {
    const int n = body.glide(x, scratch, 0.005, 500 - steps, work);
    ASSERT_GT(n, 0);
    steps += n;
  }
  auto y = body.start();
  for (int k = 0; k < 500; ++k) body.fly(y, {0.005, 0.005}, y, work);
  expect_same(x.q, y.q);
  expect_same(x.p, y.p);
}

TEST(BarSweep, ImpulsesAndMeasuredStepsDoNotDependOnTheGrouping) {
  const auto spec = bars({1500, 300, 700}, true, 0.2);
  bodies::RedistributedBars<double> at_once(spec), in_parts(spec), measured(spec);
  const double h = 0.002;
  at_once.step(h, 60);
  for (const int n : {1, 7, 32, 20}) in_parts.step(h, n);
  double worst = 0;
  const double H = measured.hamiltonian();
  for (int k = 0; k < 60; ++k) worst = std::max(worst, std::abs(measured.measured_step(h) - H) / H);
  double touched = 0;
  for (int i = 0; i < at_once.line().gaps(); ++i) {
    ASSERT_EQ(at_once.contact(i).impulse(), in_parts.contact(i).impulse());
    ASSERT_EQ(at_once.contact(i).impulse(), measured.contact(i).impulse());
    touched += at_once.contact(i).impulse();
  }
  EXPECT_GT(touched, 0);
  for (std::size_t a = 0; a < at_once.q().size(); ++a) {
    ASSERT_EQ(at_once.q()[a], measured.q()[a]);
    ASSERT_EQ(at_once.p()[a], measured.p()[a]);
  }
  EXPECT_EQ(at_once.t(), measured.t());
  EXPECT_LE(worst, 0.05);  // E_d and H differ by O((hω)²): a wrong sum would be off by the potential or kinetic energy
}

TEST(BarSweep, QuietStepsEndBeforeAContactBeginsOrEnds) {
  // Counted against steps one by one: as many as leave every gap as it is.
  for (const bool nonlinear : {false, true}) {
    bodies::RedistributedBars<double> run(bars({400, 30, 200}, nonlinear, 0.2));
    const double h = 0.002;
    int events = 0;
    for (int k = 0; k < 400;) {
      auto ahead = run;
      std::vector<bool> before;
      for (int i = 0; i < run.line().gaps(); ++i) before.push_back(run.chain().gap(i, run.q().data()) < 0);
      int expected = 0;
      for (bool same = true; same && expected < 32;) {
        ahead.step(h);
        for (int i = 0; i < run.line().gaps(); ++i)
          same = same && (ahead.chain().gap(i, ahead.q().data()) < 0) == before[static_cast<std::size_t>(i)];
        if (same) ++expected;
      }
      ASSERT_EQ(run.quiet_steps(h, 1000), expected) << "at step " << k;
      if (expected < 32) ++events;
      run.step(h, expected + 1);
      k += expected + 1;
    }
    EXPECT_GE(events, 2);
  }
}

TEST(BarSweep, TheStrongPrincipleGlidesWithTheSameBits) {
  // Through contacts and between them; run() glides where nobody looks, step() never does.
  const bodies::Bars<double> body(bars({1500, 300, 700}, false, 0.1));
  ASSERT_TRUE(body.glides());
  using Strong = principle::Strong<bodies::Bars<double>>;
  Strong gliding(body, body.start()), stepping(body, body.start());
  const double h = 0.002;
  long long glided = 0;
  for (int k = 0; k < 10; ++k) {
    glided += gliding.glide(h, 20);
    gliding.run(h, 40);
  }
  while (stepping.steps() < gliding.steps()) stepping.step(h);
  EXPECT_GT(glided, 0);
  EXPECT_GE(gliding.impacts(), 2);
  EXPECT_EQ(gliding.impacts(), stepping.impacts());
  EXPECT_EQ(gliding.node().t, stepping.node().t);
  expect_same(gliding.node().q, stepping.node().q);
  expect_same(gliding.node().p, stepping.node().p);
}

}  // namespace
}  // namespace ricochet
