// Many steps per sweep, many threads, gliding: all with the bits of single steps on one thread.
#include <gtest/gtest.h>

#include "bodies/bar_rows.hpp"
#include "ricochet/bodies/bars.hpp"
#include "ricochet/principle/strong.hpp"

namespace ricochet {
namespace {

using test::expect_same;

TEST(BarSweep, FlightsHaveTheSameBitsOnAnyNumberOfThreads) {
  const auto spec = test::bar_row({20000, 7, 31000}, true, 0.1);
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
  const auto spec = test::bar_row({1500, 300, 700}, false, 0.1);
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
  auto spec = test::bar_row({4000}, false, 0.01);
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

TEST(BarSweep, TheStrongPrincipleGlidesWithTheSameBits) {
  // Through contacts and between them; run() glides where nobody looks, step() never does.
  const bodies::Bars<double> body(test::bar_row({1500, 300, 700}, false, 0.1));
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
