// Many steps per sweep, many threads: all with the bits of single steps on one thread.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "bodies/bar_rows.hpp"
#include "principle/grid/bars.hpp"

namespace ricochet {
namespace {

/// Looks at every step, which keeps them from being made many at once.
struct EveryStep {
  double energy = 0;
  void node(long long, const auto&, const auto& interval) { energy = interval.energy; }
};

using test::expect_same;
using test::MasslessTips;

TEST(ManySteps, BlockedStepsHaveTheBitsOfSingleSteps) {
  for (const bool nonlinear : {false, true})
    for (const int threads : {1, 2, 3}) {
      const auto spec = test::bar_row({1500, 7, 4100, 2, 900}, nonlinear, 0.1);
      MasslessTips<double> one(spec), many(spec, {threads});
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

RC_GTEST_PROP(ManySteps, AnyBarsAnyThreads, ()) {
  std::vector<int> elements;
  for (int i = *rc::gen::inRange(1, 6); i > 0; --i) elements.push_back(*rc::gen::inRange(2, 3000));
  const auto spec = test::bar_row(elements, *rc::gen::arbitrary<bool>(), 0.2);
  MasslessTips<double> one(spec), many(spec, {*rc::gen::inRange(2, 5)});
  const int n = *rc::gen::inRange(1, 80);
  for (int k = 0; k < n; ++k) one.step(0.005);
  many.step(0.005, n);
  for (std::size_t i = 0; i < one.q().size(); ++i) {
    RC_ASSERT(one.q()[i] == many.q()[i]);
    RC_ASSERT(one.p()[i] == many.p()[i]);
  }
}

TEST(ManySteps, ImpulsesAndMeasuredStepsDoNotDependOnTheGrouping) {
  const auto spec = test::bar_row({1500, 300, 700}, true, 0.2);
  MasslessTips<double> at_once(spec), in_parts(spec), measured(spec);
  const double h = 0.002;
  at_once.step(h, 60);
  for (const int n : {1, 7, 32, 20}) in_parts.step(h, n);
  double worst = 0;
  EveryStep watched;
  const double H = measured.hamiltonian();
  for (int k = 0; k < 60; ++k) {
    measured.step(h, 1, watched);
    worst = std::max(worst, std::abs(watched.energy - H) / H);
  }
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

TEST(ManySteps, QuietStepsEndBeforeAContactBeginsOrEnds) {
  // Counted against steps one by one: as many as leave every gap as it is.
  for (const bool nonlinear : {false, true}) {
    MasslessTips<double> run(test::bar_row({400, 30, 200}, nonlinear, 0.2));
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

}  // namespace
}  // namespace ricochet
