// A suite that finds nothing is worth what it would find: each check reports a fault that is seeded for it, by its
// name. Most faults are a thousandth of what they spoil.
#include "closure/systems.hpp"
#include "conformance/conforms.hpp"
#include "conformance/decorators.hpp"
#include "ricochet/bodies/generalized.hpp"
#include "ricochet/closure/any.hpp"

namespace ricochet {
namespace {

using namespace test;
using Body = bodies::Generalized<Wedge>;
using Own = Body::Node;
constexpr double thousandth = 1e-3;

conformance::Options<double> options() { return {.step = 0.04, .steps = 20, .full = 2}; }
/// A particle in a wedge, two gaps that close, flown by the rule's own curve.
const Bench<Body, closure::Variational>& wedge() {
  static const Body body({}, Body::Rule::trapezoid());
  static const Bench<Body, closure::Variational> bench(body, {}, body.node({0.05, 0.4}, {0.7, -0.6}), options());
  return bench;
}
/// The same, flown by a shadow that has an energy of its own.
const Bench<Body, closure::Shadow4>& shadow() {
  static const Body body({}, Body::Rule::trapezoid());
  static const Bench<Body, closure::Shadow4> bench(body, {}, body.node({0.05, 0.4}, {0.7, -0.6}), options());
  return bench;
}

void expect_found(const conformance::Report& report, const std::string& check) {
  EXPECT_TRUE(report.found(check)) << check << " was expected\n" << report.text();
  EXPECT_FALSE(report.found("no error")) << report.text();
}

TEST(ConformanceFaults, NothingIsFoundWithoutOne) {
  for (const auto& report : {wedge().with_body([](auto& b) { return PassingBody(b); }),
                             wedge().with_flier([](auto& f) { return PassingFlier(f); }),
                             wedge().with_gaps([](auto& g) { return PassingGaps(g); }),
                             shadow().with_flier([](auto& f) { return PassingFlier(f); })})
    expect_conforms(report, "untouched", conservative);
}

// ---- bodies --------------------------------------------------------------------------------------------------------

/// What a fault does to the one thing that it touches.
struct FaultyBody : PassingBody {
  using PassingBody::PassingBody;
  double kicks = 1, nudges = 1, couples = 1, one_way = 1, adds = 1, energy = 1, kinetic_part = 0, velocity = 1;
  double acceleration = 1, width = 1, gradient = 1, shown = 1, length = 1;
  int claims = 2;
  bool any_is_finite = false, stops = true, sets_time = true;

  bool finite(const Node& x) const override { return any_is_finite || of_.finite(x); }
  double hamiltonian(const Node& x) const override {
    return energy * of_.hamiltonian(x) + kinetic_part * of_.kinetic(x);
  }
  void kick(Node& x, const Covector& n, double lambda) const override { of_.kick(x, n, kicks * lambda); }
  void nudge(Node& x, const Covector& n, double a) const override { of_.nudge(x, n, nudges * a); }
  double couple(const Covector& a, const Covector& b) const override {
    return couples * of_.couple(a, b) * (of_.couple(a, a) < of_.couple(b, b) ? one_way : 1);
  }
  void add(Covector& n, double a, const Covector& other) const override { of_.add(n, adds * a, other); }
  void set_time(Node& x, double t) const override {
    if (sets_time) of_.set_time(x, t);
  }
  bool stop(Node& x) const override { return !stops || of_.stop(x); }
  int order() const override { return claims; }
  ErrorState state(const Node& x) const override {
    auto state = of_.state(x);
    for (double& q : state.q) q *= shown;
    return state;
  }
  motion::Stretch<double> stretch(const Trace& trace) const override {
    auto stretch = of_.stretch(trace);
    stretch.length *= length;
    return stretch;
  }
  motion::Coordinate<double> scalar(int k, const Node& x) const override {
    auto y = of_.scalar(k, x);
    y.velocity *= velocity, y.acceleration *= acceleration;
    return y;
  }
  Bound scalar(int k, const Trace& trace, double a, double b) const override {
    auto bound = of_.scalar(k, trace, a, b);
    bound.value.rad *= width;
    return bound;
  }
  void covector(const Node& x, std::span<const int> which, std::span<const double> values,
                Covector& out) const override {
    std::vector<double> wrong(values.begin(), values.end());
    for (double& v : wrong) v *= gradient;
    of_.covector(x, which, wrong, out);
  }
};

TEST(ConformanceFaults, OfBodies) {
  const auto found = [](const char* check, auto set) {
    expect_found(wedge().with_body([&](auto& b) {
      FaultyBody body(b);
      set(body);
      return body;
    }),
                 check);
  };
  found("kick", [](FaultyBody& b) { b.kicks = -1; });
  found("kick", [](FaultyBody& b) { b.kicks = 1 + thousandth; });
  found("covector", [](FaultyBody& b) { b.nudges = -1; });
  found("covector", [](FaultyBody& b) { b.nudges = 1 + thousandth; });
  found("couple", [](FaultyBody& b) { b.one_way = 1 + thousandth; });
  found("couple", [](FaultyBody& b) { b.couples = -1; });
  found("kick", [](FaultyBody& b) { b.couples = 1 + thousandth; });
  found("covector", [](FaultyBody& b) { b.couples = 1 + thousandth; });
  found("add", [](FaultyBody& b) { b.adds = 1 + thousandth; });
  found("flight of length 0", [](FaultyBody& b) { b.energy = 1 + thousandth; });
  found("energies", [](FaultyBody& b) { b.kinetic_part = thousandth; });
  found("kick", [](FaultyBody& b) { b.kinetic_part = thousandth; });
  found("stop", [](FaultyBody& b) { b.stops = false; });
  found("state", [](FaultyBody& b) { b.any_is_finite = true; });
  found("state", [](FaultyBody& b) { b.sets_time = false; });
  found("state", [](FaultyBody& b) { b.shown = 1 + thousandth; });
  found("order", [](FaultyBody& b) { b.claims = 4; });
  found("rate", [](FaultyBody& b) { b.velocity = 1 + thousandth; });
  found("acceleration", [](FaultyBody& b) { b.acceleration = 1 + thousandth; });
  found("coordinates", [](FaultyBody& b) { b.width = 0.9; });
  found("covector", [](FaultyBody& b) { b.gradient = 1 + thousandth; });
  found("flight", [](FaultyBody& b) { b.length = 1 + thousandth; });
}

// ---- fliers --------------------------------------------------------------------------------------------------------

struct FaultyFlier : PassingFlier {
  using PassingFlier::PassingFlier;
  double late = 0, damps = 0, shears = 0, at_start = 1, at_end = 1, action = 0, traced = 0, leaves = 1, gaps = 0;
  bool stays_plain = false, skips = false;

  Interval spoil(const Node& from, Step step, Node& out, Interval interval, double kinetic) const {
    auto& x = out.of<Own>();
    out.t += late;
    x.t += late;
    x.p *= 1 - damps * step.s;
    x.p[0] += shears * step.s * x.q[1];  // a force that has no potential
    interval.start *= at_start, interval.end *= at_end;
    for (double* E : {&interval.energy, &interval.start, &interval.end}) *E += action * step.s * kinetic;
    (void)from;
    return interval;
  }
  Interval fly(const Node& from, Step step, Node& out) override {
    const double kinetic = from.as<Own>().p.squaredNorm() / 2;
    const auto interval = of_.fly(from, step, out);
    return spoil(from, step, out, interval, kinetic);
  }
  Interval fly(const Node& from, Step step, Node& out, Trace& trace) override {
    const double kinetic = from.as<Own>().p.squaredNorm() / 2;
    const auto interval = of_.fly(from, step, out, trace);
    out.of<Own>().p *= 1 + traced;
    return spoil(from, step, out, interval, kinetic);
  }
  Interval leave(const Node& from, Step step, Node& scratch) override {
    auto interval = of_.leave(from, step, scratch);
    interval.start *= leaves;
    return interval;
  }
  double gap_along(const motion::Island<double>& island, int i, const Node& from, Step step,
                   const Trace& trace) override {
    return of_.gap_along(island, i, from, step, trace) + gaps;
  }
  void fly_as_usual() override {
    if (!stays_plain) of_.fly_as_usual();
  }
  long long many(Node& x, Node& scratch, double h, long long n) override {
    if (!skips) return of_.many(x, scratch, h, n);
    of_.fly(x, {2 * h, 2 * h}, x);
    return 2;
  }
};

TEST(ConformanceFaults, OfFliers) {
  const auto found_on = [](const auto& bench, const char* check, auto set) {
    expect_found(bench.with_flier([&](auto& f) {
      FaultyFlier flier(f);
      set(flier);
      return flier;
    }),
                 check);
  };
  const auto found = [&](const char* check, auto set) { found_on(wedge(), check, set); };
  found("flight of length 0", [](FaultyFlier& f) { f.late = 1e-9; });
  found("flight", [](FaultyFlier& f) { f.late = 1e-9; });
  found("flight of length 0", [](FaultyFlier& f) { f.at_end = 1 + thousandth; });
  found("energies", [](FaultyFlier& f) { f.at_start = 1 + thousandth; });
  found("energies", [](FaultyFlier& f) { f.at_end = 1 + thousandth; });
  found("energy of the action", [](FaultyFlier& f) { f.action = 0.01; });
  found("energies", [](FaultyFlier& f) { f.damps = thousandth; });
  found("canonical", [](FaultyFlier& f) { f.damps = thousandth; });
  found("canonical", [](FaultyFlier& f) { f.shears = 0.01; });
  found("backward flight", [](FaultyFlier& f) { f.damps = thousandth; });
  found("flight", [](FaultyFlier& f) { f.traced = 1e-9; });
  found("flight", [](FaultyFlier& f) { f.leaves = 1 + thousandth; });
  found("gap along", [](FaultyFlier& f) { f.gaps = 1e-9; });
  found("many steps", [](FaultyFlier& f) { f.skips = true; });
  found_on(shadow(), "energies", [](FaultyFlier& f) { f.at_start = 1 + thousandth; });
  found_on(shadow(), "flight of length 0", [](FaultyFlier& f) { f.at_start = 1 + thousandth; });
  found_on(shadow(), "energy of the action", [](FaultyFlier& f) { f.action = 0.01; });
}
TEST(ConformanceFaults, OfPlainFlights) {
  using Any = closure::AnyClosure;
  const Body body({}, Body::Rule::trapezoid());
  const Bench<Body, Any> bench(body, Any(closure::Shadow4{}), body.node({0.05, 0.4}, {0.7, -0.6}), options());
  EXPECT_TRUE(bench.with_flier([](auto& f) { return PassingFlier(f); }).passed());
  expect_found(bench.with_flier([](auto& f) {
    FaultyFlier flier(f);
    flier.stays_plain = true;
    return flier;
  }),
               "plain flight");
}

// ---- gaps ----------------------------------------------------------------------------------------------------------

struct FaultyGaps : PassingGaps {
  using PassingGaps::PassingGaps;
  double value_of = 0, rate = 1, acceleration = 1, wall = 0, gradient = 0, middle = 0;
  double values = 1, ranges = 1, slopes = 1, curvatures = 1, shifts = 0;
  const motion::Body<double>* body = nullptr;
  int leaves_out = -1, adds = -1, not_closable = -1, never_closed = -1;
  bool one_name = false, slips_smoothly = false;

  std::string name(int i) const override { return of_.name(one_name ? 0 : i); }
  int slips(int i) const override { return slips_smoothly ? 1 : of_.slips(i); }
  Contact at(int i, const Node& x, double h, Covector& normal) const override {
    auto c = of_.at(i, x, h, normal);
    c.value += value_of, c.rate *= rate, c.acceleration *= acceleration, c.wall_rate += wall;
    if (gradient != 0) {
      auto& n = normal.of<Body::Normal>();
      n.n[0] *= 1 + gradient, n.inverse_mass_n[0] *= 1 + gradient;
    }
    return c;
  }
  bool may_be_closed(int i, const Node& x, double h) const override {
    return i != never_closed && of_.may_be_closed(i, x, h);
  }
  void candidates(Trace& trace, GapList& list) const override {
    of_.candidates(trace, list);
    std::erase(list, leaves_out);
    if (adds >= 0) list.push_back(adds);
  }
  const GapList* closable() const override {
    if (not_closable < 0) return of_.closable();
    closable_.clear();
    for (int i = 0; i < count(); ++i)
      if (i != not_closable) closable_.push_back(i);
    return &closable_;
  }
  Bound bound(int i, const Trace& trace, double a, double b) const override {
    auto y = of_.bound(i, trace, a, b);
    y.value.rad *= values, y.slope.rad *= slopes, y.curvature.rad *= curvatures;
    y.value.mid += shifts;
    return y;
  }
  numerics::Ball<double> range(int i, const Trace& trace, double a, double b) const override {
    auto y = of_.range(i, trace, a, b);
    y.rad *= ranges;
    return y;
  }
  double in_middle(int i, const Trace& trace, double s) const override { return of_.in_middle(i, trace, s) + middle; }

 private:
  mutable GapList closable_;
};

TEST(ConformanceFaults, OfGaps) {
  const auto found = [](const char* check, auto set) {
    expect_found(wedge().with_gaps([&](auto& g) {
      FaultyGaps gaps(g);
      set(gaps);
      return gaps;
    }),
                 check);
  };
  found("value", [](FaultyGaps& g) { g.value_of = 1e-9; });
  found("rate", [](FaultyGaps& g) { g.rate = 1 + thousandth; });
  found("acceleration", [](FaultyGaps& g) { g.acceleration = 1 + thousandth; });
  found("kick", [](FaultyGaps& g) { g.wall = thousandth; });
  found("covector", [](FaultyGaps& g) { g.gradient = thousandth; });
  found("kick", [](FaultyGaps& g) { g.gradient = thousandth; });
  found("enclosure", [](FaultyGaps& g) { g.values = 0.5; });
  found("enclosure", [](FaultyGaps& g) { g.ranges = 0.5; });
  found("enclosure", [](FaultyGaps& g) { g.shifts = -0.1; });
  found("slope enclosure", [](FaultyGaps& g) { g.slopes = 0.5; });
  found("curvature enclosure", [](FaultyGaps& g) { g.curvatures = 0; });
  found("candidates", [](FaultyGaps& g) { g.leaves_out = 0; });
  found("candidates", [](FaultyGaps& g) { g.adds = 7; });
  found("closable", [](FaultyGaps& g) { g.not_closable = 0; });
  found("may be closed", [](FaultyGaps& g) { g.never_closed = 0; });
  found("gap along", [](FaultyGaps& g) { g.middle = 1e-9; });
  found("names", [](FaultyGaps& g) { g.one_name = true; });
  found("names", [](FaultyGaps& g) { g.slips_smoothly = true; });
}

}  // namespace
}  // namespace ricochet
