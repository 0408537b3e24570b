// What runs on the grid tell, count and go on from.
#include <gtest/gtest.h>

#include <cmath>

#include "bodies/bar_rows.hpp"
#include "bodies/cases.hpp"
#include "principle/grid/bars.hpp"

namespace ricochet {
namespace {

using principle::Fallback;
using test::expect_same;
using test::MasslessTips;
using test::VirtualTip;

struct Change {
  int gap;
  double t;
  bool begins;
  bool operator==(const Change&) const = default;
};
/// Contacts only: steps may be made many at once.
struct Contacts {
  std::vector<Change> list;
  void contact(int gap, double t, bool begins) { list.push_back({gap, t, begins}); }
};
/// A reader of the log itself that looks at every step.
struct Reader final : principle::Log<double> {
  std::vector<Change> list;
  std::vector<double> times, energies;
  long long last = 0;
  const std::vector<double>* q = nullptr;

  void contact(int gap, double t, bool begins) override { list.push_back({gap, t, begins}); }
  void node(long long k, const motion::Node<double>& x, const discrete::Interval<double>& interval) override {
    last = k;
    times.push_back(x.t);
    energies.push_back(interval.energy);
    q = &x.as<principle::grid::ChainNode<double>>().q;
  }
};

template <class Run>
std::vector<Change> phases_of(const Run& run) {
  std::vector<Change> list;
  for (int i = 0; i < run.line().gaps(); ++i)
    for (const auto& phase : run.contact(i).phases()) {
      list.push_back({i, phase.begin, true});
      if (!std::isnan(phase.end)) list.push_back({i, phase.end, false});
    }
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.t < b.t; });
  return list;
}

TEST(GridLog, ContactsAreToldOnceAndInTheOrderOfTime) {
  // Two bars between which nothing else happens: the exact motion has one contact, from t = 1 on.
  const auto& c = test::bar_cases<double>[0];
  const auto exact = test::exact(c).contacts();
  ASSERT_EQ(exact.size(), 1u);
  MasslessTips<double> tips(test::two_bars(c));
  VirtualTip<double> tip(test::two_bars(c));
  Contacts of_tips, of_tip;
  tips.step(test::bar_step, test::bar_steps, of_tips);
  tip.step(test::bar_step, test::bar_steps, of_tip);
  ASSERT_EQ(of_tips.list.size(), 2u);
  EXPECT_NEAR(of_tips.list[0].t, exact[0].begin, 1e-12);
  EXPECT_TRUE(of_tips.list[0].begins);
  EXPECT_FALSE(of_tips.list[1].begins);
  EXPECT_NEAR(of_tip.list.at(0).t, exact[0].begin, 1e-12);
  EXPECT_EQ(of_tip.list.size(), static_cast<std::size_t>(tip.crossings()));
  EXPECT_EQ(of_tips.list, phases_of(tips));
  EXPECT_EQ(of_tip.list, phases_of(tip));
}

TEST(GridLog, WhoLooksAtStepsSeesAllOfThemAndTheSameContacts) {
  const auto spec = test::bar_row({300, 30, 200}, true, 0.2);
  MasslessTips<double> watched(spec), unwatched(spec);
  Reader reader;
  Contacts contacts;
  const double h = 0.002;
  watched.run(h, 1500, reader);
  unwatched.step(h, 1500, contacts);
  ASSERT_EQ(reader.times.size(), 1500u);
  EXPECT_EQ(reader.last, 1500);
  EXPECT_EQ(reader.times.back(), 1500 * h);
  EXPECT_EQ(watched.t(), unwatched.t());
  EXPECT_EQ(reader.energies.back(), watched.discrete_energy());
  EXPECT_EQ(reader.q->data(), watched.q().data());  // the state itself, no copy of it
  EXPECT_GE(reader.list.size(), 3u);
  EXPECT_EQ(reader.list, contacts.list);
  expect_same(watched.q(), unwatched.q());
}

TEST(GridLog, ForgottenContactsAreNotToldAgain) {
  const auto spec = test::bar_row({300, 30, 200}, true, 0.2);
  MasslessTips<double> one(spec), other(spec);
  VirtualTip<double> third(spec), fourth(spec);
  const auto compare = [](auto& keeps, auto& forgets, double h) {
    Contacts all, parts;
    for (int k = 0; k < 3000; ++k) {
      keeps.step(h, 1, all);
      forgets.step(h, 1, parts);
      forgets.forget();
      for (int i = 0; i < forgets.line().gaps(); ++i) {
        ASSERT_LE(forgets.contact(i).phases().size(), 1u);
        ASSERT_EQ(forgets.contact(i).touching(), keeps.contact(i).touching());
      }
    }
    EXPECT_GE(all.list.size(), 3u);
    EXPECT_EQ(all.list, parts.list);
  };
  compare(one, other, 0.002);
  compare(third, fourth, 0.001);
}

TEST(GridLog, ARunGoesOnFromItsStateBitForBit) {
  // From within a contact and with steps of two lengths: grid times count from where the length changed.
  const auto spec = test::bar_row({300, 30, 200}, true, 0.2);
  const auto compare = [&](auto run, double h) {
    using Run = decltype(run);
    Contacts before;
    run.step(h / 2, 7);
    int touching = -1;
    for (int k = 0; k < 400 && touching < 0; ++k) {
      run.step(h, 1, before);
      for (int i = 0; i < run.line().gaps(); ++i)
        if (run.contact(i).touching()) touching = i;
    }
    ASSERT_GE(touching, 0);
    std::vector<double> begin;
    for (int i = 0; i < run.line().gaps(); ++i)
      begin.push_back(run.contact(i).touching() ? run.contact(i).phases().back().begin : 0);
    const auto state = run.state();
    Run other(spec);
    other.restore(state, begin);
    Reader first, second;
    run.run(h, 200, first);
    other.run(h, 200, second);
    EXPECT_EQ(run.t(), other.t());
    EXPECT_EQ(run.steps(), other.steps());
    EXPECT_EQ(run.discrete_energy(), other.discrete_energy());
    EXPECT_EQ(first.times, second.times);
    EXPECT_EQ(first.energies, second.energies);
    EXPECT_EQ(first.list, second.list);
    EXPECT_GE(first.list.size(), 1u);
    expect_same(run.q(), other.q());
    expect_same(run.p(), other.p());
    for (int i = 0; i < run.line().gaps(); ++i) {
      EXPECT_EQ(run.contact(i).impulse(), other.contact(i).impulse());
      EXPECT_EQ(run.contact(i).touching(), other.contact(i).touching());
    }
  };
  compare(MasslessTips<double>(spec), 0.002);
  compare(VirtualTip<double>(spec), 0.001);
}

TEST(GridLog, CrossingsWithoutABalanceAreCountedByName) {
  // Errata D8: case 3 of the paper has two of them.
  VirtualTip<double> tip(test::two_bars(test::bar_cases<double>[2]));
  tip.step(test::bar_step, test::bar_steps);
  EXPECT_EQ(tip.fallbacks(Fallback::unbalanced_crossing), 2);
  EXPECT_EQ(tip.fallbacks(Fallback::reflection), 0);
  const auto list = principle::fallbacks_of(tip, principle::first_of_grid, Fallback::count_);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].first, "unbalanced_crossing");
  EXPECT_EQ(list[0].second, 2);
  for (const auto& [name, count] : principle::fallbacks_of(tip)) EXPECT_NE(name, "unbalanced_crossing");
}

TEST(GridLog, TheClockKnowsTheTimesOfStepsToCome) {
  principle::Clock<double> clock(0.25);
  EXPECT_EQ(clock.after(0.1, 3), 0.25 + 3 * 0.1);
  clock.end(0.1, 7);
  EXPECT_EQ(clock.state().start, 0.25 + 7 * 0.1);
  EXPECT_EQ(clock.after(0.1, 3), 0.25 + 10 * 0.1);  // not a running sum
  EXPECT_EQ(clock.after(0.01, 3), (0.25 + 7 * 0.1) + 3 * 0.01);
  EXPECT_EQ(clock.steps(), 7);
}

}  // namespace
}  // namespace ricochet
