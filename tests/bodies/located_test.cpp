// Bars under the strong principle: Demoures 2016, integrator 1.
#include <gtest/gtest.h>

#include "bodies/cases.hpp"
#include "ricochet/bodies/bars.hpp"
#include "ricochet/observe/space_time.hpp"
#include "ricochet/principle/strong.hpp"

namespace ricochet {
namespace {

using Bars = bodies::Bars<double>;
using Strong = principle::Strong<Bars>;
static_assert(bodies::Body<Bars>);
static_assert(bodies::Body<bodies::Bars<long double>>);

struct Summary {
  observe::ImpulseRecorder<double> impulses;
  double energy_error = 0, momentum_error = 0, lowest_gap = 0;
  long long fallbacks = 0;
};
Summary run_case(const test::TwoBarCase<double>& c) {
  const Bars body(test::two_bars(c));
  Strong run(body, body.start());
  Summary out;
  const double E0 = body.hamiltonian(run.node()), P0 = body.readings(run.node()).momentum();
  const double scale = test::size_of(run.node().p);
  for (int k = 0; k < test::bar_steps; ++k) {
    run.step(test::bar_step, out.impulses);
    out.energy_error = std::max(out.energy_error, std::abs(body.hamiltonian(run.node()) - E0) / E0);
    out.momentum_error = std::max(out.momentum_error, std::abs(body.readings(run.node()).momentum() - P0) / scale);
    out.lowest_gap = std::min(out.lowest_gap, body.gap(0, run.node()));
  }
  out.fallbacks = run.fallbacks();
  return out;
}

// Reference numbers from an independent prototype of (4.5)–(4.8) (issue text); the paper's multipliers have the other
// sign.
TEST(LocatedBars, ContactTimesAndMultipliersOfThePaper) {
  const auto one = run_case(test::bar_cases<double>[0]);
  const double times[] = {1, 1.2845719234, 1.5450949559, 1.8196027833};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(one.impulses.all[i].t, times[i], 1e-9);
  EXPECT_NEAR(static_cast<double>(one.impulses.all.size()), 74, 1);
  const double first[] = {0.019987508, 0.033315288, 0.019962570};
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(run_case(test::bar_cases<double>[i]).impulses.all[0].lambda, first[i], 1e-8);
}

TEST(LocatedBars, AllCasesKeepMomentumAndBoundEnergy) {
  for (const auto& c : test::bar_cases<double>) {
    const auto out = run_case(c);
    EXPECT_LE(out.momentum_error, 1e-14) << c.name;
    EXPECT_LE(out.energy_error, 2e-3) << c.name;  // errata D6: the scheme's own, not the paper's claim
    EXPECT_GE(out.lowest_gap, -1e-13) << c.name;
    EXPECT_GT(out.impulses.all.size(), 10u) << c.name;
    for (const auto& x : out.impulses.all) ASSERT_GT(x.lambda, 0) << c.name;
    // The impulses add up to what the exact motion exchanges: first order in ℓ (the coarse bar of case 5 has ℓ = 5).
    const auto exact = test::exact(c);
    double total = 0;
    for (std::size_t i = 0; i + 1 < exact.pieces().size(); ++i)
      total += exact.pieces()[i].force * (exact.pieces()[i + 1].t - exact.pieces()[i].t);
    EXPECT_NEAR(out.impulses.total(0), total, (c.elements[1] == 2 ? 0.15 : 0.05) * total) << c.name;
  }
}

TEST(LocatedBars, RunsBackwards) {
  for (const int number : {1, 2}) {  // cases 2 and 3: unequal bars
    const Bars body(test::two_bars(test::bar_cases<double>[number]));
    const auto start = body.start();
    Strong forward(body, start);
    forward.run(test::bar_step, 200);
    ASSERT_GE(forward.impacts(), 5);
    Strong backward(body, forward.node().reversed());
    backward.run(test::bar_step, 200);
    EXPECT_EQ(backward.impacts(), forward.impacts());
    double error = 0;
    for (std::size_t a = 0; a < start.q.size(); ++a) {
      error = std::max(error, std::abs(backward.node().q[a] - start.q[a]));
      error = std::max(error, std::abs(backward.node().p[a] + start.p[a]));
    }
    EXPECT_LE(error, 1e-10);
  }
}

TEST(LocatedBars, LongDoubleAgrees) {
  using Long = bodies::Bars<long double>;
  const Long body(test::two_bars(test::bar_cases<long double>[2]));
  principle::Strong<Long> run(body, body.start());
  observe::ImpulseRecorder<long double> impulses;
  run.run(0.015L, 150, impulses);
  const auto shorter = run_case(test::bar_cases<double>[2]);
  ASSERT_GE(impulses.all.size(), 5u);
  for (std::size_t i = 0; i < impulses.all.size(); ++i) {
    EXPECT_NEAR(shorter.impulses.all[i].t, static_cast<double>(impulses.all[i].t), 1e-11);
    EXPECT_NEAR(shorter.impulses.all[i].lambda, static_cast<double>(impulses.all[i].lambda), 1e-11);
  }
}

bodies::BarSpec<double> bar(double position, double velocity, int elements = 20, double length = 2) {
  bodies::BarSpec<double> b;
  b.position = position, b.velocity = velocity, b.elements = elements, b.length = length, b.modulus = 1;
  return b;
}

TEST(LocatedBars, ThreeBarsCloseTwoGapsAtOnce) {
  // Mirror symmetry: the outer bars reach the middle one at the same instant, and it never moves as a whole.
  bodies::BarsSpec<double> spec;
  spec.bars = {bar(0, 0.5), bar(2.25, 0), bar(4.5, -0.5)};
  const Bars body(spec);
  Strong run(body, body.start());
  observe::ImpulseRecorder<double> impulses;
  const double E0 = body.hamiltonian(run.node()), scale = test::size_of(run.node().p);
  for (int k = 0; k < 400; ++k) {
    run.step(0.02, impulses);
    ASSERT_NEAR(body.hamiltonian(run.node()), E0, 5e-3 * E0);
    ASSERT_NEAR(body.readings(run.node()).momentum(), 0, 1e-14 * scale);
    for (int i : {0, 1}) ASSERT_GE(body.gap(i, run.node()), -1e-13);
  }
  ASSERT_GE(impulses.all.size(), 2u);
  EXPECT_NEAR(impulses.all[0].t, 0.5, 1e-14);
  EXPECT_NEAR(impulses.all[1].t, 0.5, 1e-14);
  EXPECT_NE(impulses.all[0].gap, impulses.all[1].gap);
  EXPECT_NEAR(impulses.all[0].lambda, impulses.all[1].lambda, 1e-15);
  EXPECT_NEAR(impulses.total(0), impulses.total(1), 1e-9);
}

TEST(LocatedBars, WallContactLastsAsLongAsTheWaveTakes) {
  // Exact: contact from 1 to 1 + 2L/c = 5, then the bar leaves with −v, unstrained.
  bodies::BarsSpec<double> spec;
  spec.bars = {bar(0, 0.1, 100)};
  spec.walls = {{"wall", 2.1}};
  const Bars body(spec);
  Strong run(body, body.start());
  observe::ImpulseRecorder<double> impulses;
  run.run(0.005, 1600, impulses);
  EXPECT_NEAR(impulses.all.front().t, 1, 1e-12);
  EXPECT_NEAR(impulses.all.back().t, 5, 0.1);                // a few elements of length 0.02: dispersion
  EXPECT_NEAR(impulses.total(0), 2 * 0.1 * 2, 0.01 * 0.4);   // what stays in the lattice as vibration
  EXPECT_NEAR(impulses.mean_force(0, 1.5, 4.5), 0.1, 3e-3);  // Z v
}

TEST(LocatedBars, FixedEndsHoldAndActAsWalls) {
  bodies::BarsSpec<double> spec;
  spec.bars = {bar(0, 0.3), bar(2.2, 0)};
  spec.bars[1].ends = {bodies::BarEnd::free, bodies::BarEnd::fixed};
  const Bars body(spec);
  EXPECT_EQ(body.gaps(), 1);
  Strong run(body, body.start());
  const double E0 = body.hamiltonian(run.node());
  run.run(0.02, 500);
  EXPECT_EQ(run.node().q.back(), 0);
  EXPECT_NEAR(body.hamiltonian(run.node()), E0, 5e-3 * E0);
  EXPECT_LT(body.readings(run.node()).bar(0).momentum, 0);  // sent back by the fixed end
}

TEST(LocatedBars, NonlinearBarsKeepTheirEnergyBounded) {
  bodies::BarsSpec<double> spec;
  spec.bars = {bar(0, 0.2), bar(2.1, -0.2)};
  for (auto& b : spec.bars) {
    b.modulus = 0;
    b.energy =
        bodies::BarEnergy<double>::pointwise([](double e) { return 0.5 * (e - 1) * (e - 1) + 5 * std::pow(e - 1, 4); },
                                             [](double e) { return (e - 1) + 20 * std::pow(e - 1, 3); });
  }
  const Bars body(spec);
  auto worst = [&](double h, int steps) {
    Strong run(body, body.start());
    const double E0 = body.hamiltonian(run.node()), scale = test::size_of(run.node().p);
    double worst = 0;
    for (int k = 0; k < steps; ++k) {
      run.step(h);
      worst = std::max(worst, std::abs(body.hamiltonian(run.node()) - E0) / E0);
      EXPECT_NEAR(body.readings(run.node()).momentum(), 0, 1e-14 * scale);
    }
    EXPECT_GT(run.impacts(), 3);
    return worst;
  };
  const double coarse = worst(0.01, 3000), fine = worst(0.0025, 12000);
  EXPECT_LE(coarse, 1e-2);
  EXPECT_LE(fine, coarse / 6);  // second order would be 16; single impacts scatter (errata F11)
}

TEST(LocatedBars, CradleOfTouchingBars) {
  // Bars 2 and 3 start at rest against each other: their contact is held until the wave of the first one arrives. In
  // the continuum the first bar stops and the last one leaves with its velocity.
  bodies::BarsSpec<double> spec;
  spec.bars = {bar(0, 0.1), bar(2.1, 0), bar(4.1, 0)};
  const Bars body(spec);
  Strong run(body, body.start());
  const double E0 = body.hamiltonian(run.node());
  run.run(0.005, 3000);
  const auto r = body.readings(run.node());
  EXPECT_NEAR(body.hamiltonian(run.node()), E0, 2e-3 * E0);
  EXPECT_NEAR(r.momentum(), 0.2, 1e-14);
  EXPECT_NEAR(r.bar(2).momentum, 0.2, 0.1 * 0.2);
  EXPECT_NEAR(r.bar(0).momentum, 0, 0.1 * 0.2);
  for (int i : {0, 1}) EXPECT_GE(body.gap(i, run.node()), -1e-13);
}

TEST(LocatedBars, VeryDifferentStiffness) {
  // c_B = 100: its element must be as long as that to share the step of A.
  bodies::BarsSpec<double> spec;
  spec.bars = {bar(0, 0.1), bar(2.2, -0.1, 1)};
  spec.bars[1].modulus = 1e4;
  const Bars body(spec);
  EXPECT_NEAR(body.stable_step(), 0.02, 1e-15);
  Strong run(body, body.start());
  const double E0 = body.hamiltonian(run.node()), scale = test::size_of(run.node().p);
  double worst = 0;
  for (int k = 0; k < 1000; ++k) {
    run.step(0.01);
    worst = std::max(worst, std::abs(body.hamiltonian(run.node()) - E0) / E0);
    ASSERT_NEAR(body.readings(run.node()).momentum(), 0, 2e-14 * scale);
    ASSERT_GE(body.gap(0, run.node()), -1e-13);
  }
  EXPECT_GT(run.impacts(), 0);
  // ω h = 1 for the stiff bar: E_d ≠ H by a quarter of its strain energy. Bounded, not small.
  EXPECT_LE(worst, 0.5);
}

}  // namespace
}  // namespace ricochet
