// Contact as it really is: laws in the loop, accumulation, rest, sliding, release, constraints, forces, moving walls.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <string>
#include <vector>

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/observe/monitor.hpp"
#include "ricochet/observe/symplectic.hpp"
#include "ricochet/principle/strong.hpp"
#include "support/systems.hpp"

namespace ricochet {
namespace {

using discrete::Rule;

template <class Body>
struct Log {
  std::vector<double> t, v_plus;
  struct Span {
    int gap;
    double from, to;
  };
  std::vector<Span> contacts;
  std::vector<principle::Accumulation<typename Body::Real>> accumulations;
  void impact(const principle::ImpactEvent<Body>& e) { t.push_back(double(e.t)); }
  void contact(int gap, typename Body::Real at, bool begins) {
    if (begins) contacts.push_back({gap, double(at), HUGE_VAL});
    for (auto& c : contacts)
      if (!begins && c.gap == gap && c.to == HUGE_VAL) c.to = double(at);
  }
  void accumulation(const principle::Accumulation<typename Body::Real>& a) { accumulations.push_back(a); }
};

template <class Body>
principle::ImpactLaws<Body> law(const char* name, double e) {
  principle::ImpactLaws<Body> laws;
  laws.law = *mechanics::Law<typename Body::Real>::named(name);
  laws.restitution = [e](int, const typename Body::Node&) { return typename Body::Real(e); };
  return laws;
}

/// A ball on a line over a floor.
struct Ball {
  static constexpr int dimension = 1;
  double g = 9.81;
  Eigen::Matrix<double, 1, 1> mass() const { return Eigen::Matrix<double, 1, 1>(1.0); }
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
using BallBody = bodies::Generalized<Ball>;
using V1 = BallBody::Vec;

TEST(Accumulation, CounterExampleFour) {
  // Ballard's counter-example 4: f = 2, e = ½, from height 1 at rest: impacts at 1, 2, 2.5, 2.75, …; rest from t = 3.
  const BallBody body(Ball{2.0}, Rule<double>::trapezoid());
  principle::Strong<BallBody> run(body, body.node(V1(1.0), V1(0.0)), {}, law<BallBody>("newton", 0.5));
  Log<BallBody> log;
  run.run(0.01, 500, log);
  const double expected[] = {1, 2, 2.5, 2.75, 2.875, 2.9375};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(log.t[i], expected[i], 1e-11);
  ASSERT_EQ(log.accumulations.size(), 1u);
  EXPECT_NEAR(log.accumulations[0].t, 3, 1e-8);
  EXPECT_GT(log.accumulations[0].skipped, 5);
  ASSERT_EQ(log.contacts.size(), 1u);
  EXPECT_EQ(log.contacts[0].to, HUGE_VAL);
  EXPECT_EQ(run.node().q[0], 0);
  EXPECT_EQ(run.node().p[0], 0);
}

TEST(Accumulation, BallOfEveryRestitutionComesToRest) {
  const BallBody body({}, Rule<double>::trapezoid());
  for (const double e : {0.1, 0.3, 0.5, 0.9, 0.99, 0.999}) {
    principle::Strong<BallBody> run(body, body.node(V1(1.0), V1(0.0)), {}, law<BallBody>("newton", e));
    Log<BallBody> log;
    const double fall = std::sqrt(2 / 9.81), rest = fall * (1 + e) / (1 - e);
    run.run(0.01, static_cast<long long>(rest / 0.01) + 50, log);
    ASSERT_EQ(log.accumulations.size(), 1u) << e;
    if (e == 0.5) {
      EXPECT_NEAR(log.accumulations[0].t, 1.3545709229571927, 1e-8);
    }
    EXPECT_NEAR(log.accumulations[0].t, rest, 1e-8 * std::max(1.0, rest)) << e;
    EXPECT_LE(std::abs(run.node().q[0]), 1e-14);
    EXPECT_LE(std::abs(run.node().p[0]), 1e-14);
  }
}

TEST(Accumulation, PlasticImpactRestsAtOnce) {
  const BallBody body({}, Rule<double>::trapezoid());
  principle::Strong<BallBody> run(body, body.node(V1(1.0), V1(0.0)), {}, law<BallBody>("newton", 0));
  Log<BallBody> log;
  run.run(0.01, 200, log);
  EXPECT_EQ(log.t.size(), 1u);
  ASSERT_EQ(log.contacts.size(), 1u);
  EXPECT_NEAR(log.contacts[0].from, std::sqrt(2 / 9.81), 1e-13);
  EXPECT_TRUE(log.accumulations.empty());
}

TEST(Rest, ParticleOnTheFloorStays) {
  using Body = bodies::Generalized<test::Particle>;
  const Body body({}, Rule<double>::trapezoid());
  principle::Strong<Body> run(body, body.node({0, 0}, {0.5, 0}));  // elastic law, sliding along the floor
  double worst = 0, fastest = 0;
  for (int k = 0; k < 100000; ++k) {
    run.step(0.01);
    worst = std::max(worst, std::abs(run.node().q[1]));
    fastest = std::max(fastest, std::abs(run.node().p[1]));
  }
  EXPECT_LE(worst, 1e-14);
  EXPECT_LE(fastest, 1e-14);
  EXPECT_EQ(run.impacts(), 0);
  EXPECT_NEAR(run.node().q[0], 500, 1e-9);
  EXPECT_EQ(run.node().p[0], 0.5);
}

/// A particle on the unit hemisphere x² + y² ≥ 1 in gravity.
struct Hemisphere {
  static constexpr int dimension = 2;
  Eigen::Vector2d mass() const { return {1, 1}; }
  template <class T>
  T potential(Point<T> q) const {
    return 9.81 * q[1];
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    return q[0] * q[0] + q[1] * q[1] - 1.0;
  }
};

TEST(Release, SlidesOffAHemisphereAtTheRightPlaceAndTime) {
  // cosθ = (2gR + v0²)/(3gR); t by quadrature of dt = R dθ/√(v0² + 2gR(1−cosθ)).
  using Body = bodies::Generalized<Hemisphere>;
  const Body body({}, Rule<double>::trapezoid());
  double error[2][2];
  for (int level = 0; level < 2; ++level) {
    principle::Strong<Body> run(body, body.node({0, 1}, {1, 0}));
    struct Leave {
      double t = -1, y = 0;
      principle::Strong<Body>* run;
      void contact(int, double at, bool begins) {
        if (!begins && t < 0) t = at, y = run->node().q[1];
      }
    } leave;
    leave.run = &run;
    const double h = level == 0 ? 0.01 : 0.005;
    while (leave.t < 0 && run.steps() < 200) run.step(h, leave);
    error[level][0] = std::abs(leave.y - 0.700645599728169);
    error[level][1] = std::abs(leave.t - 0.527002185637040);
    EXPECT_LE(error[level][0], 2e-4);
    EXPECT_LE(error[level][1], 2e-4);
  }
  EXPECT_NEAR(std::log2(error[0][0] / error[1][0]), 2, 0.25);
  EXPECT_NEAR(std::log2(error[0][1] / error[1][1]), 2, 0.25);
}

/// A bead inside a bowl, in contact for ever: the pendulum as persistent contact.
struct Bowl {
  static constexpr int dimension = 2;
  Eigen::Vector2d mass() const { return {1, 1}; }
  template <class T>
  T potential(Point<T> q) const {
    return 9.81 * q[1];
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    return 1.0 - q[0] * q[0] - q[1] * q[1];
  }
};

TEST(Rest, BeadInABowlSlidesForEver) {
  using Body = bodies::Generalized<Bowl>;
  const Body body({}, Rule<double>::trapezoid());
  const double a = 1.2;
  principle::Strong<Body> run(body, body.node({std::sin(a), -std::cos(a)}, {0, 0}));
  Log<Body> log;
  const double E0 = body.hamiltonian(run.node());
  double worst = 0, off = 0;
  for (int k = 0; k < 100000; ++k) {
    run.step(0.01, log);
    worst = std::max(worst, std::abs(body.hamiltonian(run.node()) - E0));
    off = std::max(off, std::abs(body.gap(0, run.node())));
  }
  EXPECT_EQ(run.impacts(), 0);
  ASSERT_EQ(log.contacts.size(), 1u);
  EXPECT_EQ(log.contacts[0].to, HUGE_VAL);
  EXPECT_LE(off, 1e-14);
  EXPECT_LE(worst, 2e-3 * 9.81);  // O(h²) oscillation, no drift: RATTLE
}

TEST(Rest, SlidingInTheBowlIsSymplecticOnItsManifold) {
  // In the angle θ and its momentum pθ = x p_y − y p_x the contact map is a map of the plane: its determinant is 1.
  using LD = long double;
  using Body = bodies::Generalized<Bowl, LD>;
  const Body body({}, Rule<LD>::trapezoid());
  auto map = [&](const Eigen::Matrix<LD, Eigen::Dynamic, 1>& x) {
    const LD s = std::sin(x[0]), c = std::cos(x[0]);
    principle::Strong<Body> run(body, Body::Node{0, {s, -c}, {x[1] * c, x[1] * s}});
    run.run(0.02L, 40);
    const auto& n = run.node();
    Eigen::Matrix<LD, Eigen::Dynamic, 1> y(2);
    y << std::atan2(n.q[0], -n.q[1]), -n.q[1] * n.p[0] + n.q[0] * n.p[1];
    return y;
  };
  Eigen::Matrix<LD, Eigen::Dynamic, 1> x(2);
  x << 0.7L, 0.4L;
  const auto J = observe::jacobian<LD>(map, x, 1e-3L);
  EXPECT_NEAR(static_cast<double>(J.determinant()), 1, 1e-12);
}

/// Newton's cradle: unit balls of radius ½ on a line, gaps x_{i+1} − x_i − 1.
struct Cradle {
  int n;
  int dimension() const { return n; }
  static constexpr int max_dimension = 8;
  Eigen::VectorXd mass() const { return Eigen::VectorXd::Ones(n); }
  template <class T>
  T potential(Point<T>) const {
    return T(0);
  }
  int gaps() const { return n - 1; }
  template <class T>
  T gap(int i, Point<T> q) const {
    return q[static_cast<std::size_t>(i) + 1] - q[static_cast<std::size_t>(i)] - 1.0;
  }
};

TEST(Cradle, EveryLawAndGapsOfRoundingSize) {
  using Body = bodies::Generalized<Cradle>;
  struct Case {
    int n;
    const char* law;
    double e;
    std::vector<double> v;
  };
  const std::vector<Case> cases{{3, "canonical", 1, {-1.0 / 3, 2.0 / 3, 2.0 / 3}},
                                {5, "canonical", 1, {-0.6, 0.4, 0.4, 0.4, 0.4}},
                                {3, "elastic", 1, {-1.0 / 3, 2.0 / 3, 2.0 / 3}},
                                {3, "canonical", 0.5, {0, 0.5, 0.5}},
                                {3, "sequential", 1, {0, 0, 1}},
                                {5, "sequential", 1, {0, 0, 0, 0, 1}}};
  for (const auto& c : cases)
    for (const double offset : {0.0, 1e-16, -1e-16, 1e-14}) {
      const Body body(Cradle{c.n}, Rule<double>::trapezoid());
      Body::Vec q(c.n), v = Body::Vec::Zero(c.n);
      for (int i = 0; i < c.n; ++i) q[i] = i + (i % 2) * offset;
      q[0] -= 0.3;
      v[0] = 1;
      principle::Strong<Body> run(body, body.node(q, v), {}, law<Body>(c.law, c.e));
      run.run(0.1, 5);
      for (int i = 0; i < c.n; ++i)
        EXPECT_NEAR(run.node().p[i], c.v[static_cast<std::size_t>(i)], 1e-12)
            << c.law << " " << c.n << " ball " << i << " offset " << offset;
    }
}

void bounce_elastically(double seconds) {
  for (const double h : {0.1, 0.01, 0.001}) {
    const BallBody body({}, Rule<double>::trapezoid());
    principle::Strong<BallBody> run(body, body.node(V1(1.0), V1(0.0)));
    run.run(h, std::llround(seconds / h));
    const double period = 2 * std::sqrt(2 / 9.81);
    EXPECT_NEAR(static_cast<double>(run.impacts()), seconds / period, 0.01 * seconds / period) << h;
    EXPECT_NEAR(body.hamiltonian(run.node()), 9.81, 9.81 * 9.81 * h * h) << h;
  }
}
TEST(Rest, ElasticBallForTenThousandSeconds) { bounce_elastically(1e4); }
TEST(LongRest, ElasticBallForAMillionSeconds) { bounce_elastically(1e6); }

/// A box of half widths a, b on the floor, as a rigid body: lands on two corners at once and rests on both.
struct Box {
  static constexpr int dimension = 3;
  Eigen::Vector3d mass() const { return {1, 1, 0.1}; }
  template <class T>
  T potential(Point<T> q) const {
    return 9.81 * q[1];
  }
  int gaps() const { return 2; }
  template <class T>
  T gap(int i, Point<T> q) const {
    using std::cos;
    using std::sin;
    return q[1] + (i == 0 ? -0.5 : 0.5) * sin(q[2]) - 0.3 * cos(q[2]);
  }
};

using BoxBody = bodies::Generalized<Box>;

/// A law of the user's in the loop: judged like every other.
principle::ImpactLaws<BallBody> own_law(double factor) {
  principle::ImpactLaws<BallBody> laws;
  laws.law = mechanics::Law<double>::user(
      "own", [factor](const mechanics::Contacts<double>& A, mechanics::Impulse<double> lambda) {
        lambda[0] = -factor * A.v[0] / A.W(0, 0);
        mechanics::Outcome<double> outcome;
        outcome.dissipated = -lambda[0] * (A.v[0] + mechanics::rate_after(A, lambda, 0)) / 2;
        return outcome;
      });
  return laws;
}
TEST(OwnLaw, ActsOnTheMomentumAndIsJudged) {
  const BallBody body({}, Rule<double>::trapezoid());
  const double speed = std::sqrt(2 * 9.81);
  principle::Strong<BallBody> half(body, body.node(V1(1.0), V1(0.0)), {}, own_law(1.5));
  half.run(0.01, 46);  // the ball arrives at t = 0.4515
  EXPECT_EQ(half.impacts(), 1);
  EXPECT_NEAR(half.node().p[0], speed / 2 - 9.81 * (0.46 - std::sqrt(2 / 9.81)), 1e-12);
  principle::Strong<BallBody> gain(body, body.node(V1(1.0), V1(0.0)), {}, own_law(2.1));
  EXPECT_THROW(gain.run(0.01, 46), Error);
  auto allowed = own_law(2.1);
  allowed.allow_energy_gain = true;
  principle::Strong<BallBody> told(body, body.node(V1(1.0), V1(0.0)), {}, allowed);
  told.run(0.01, 46);
  EXPECT_EQ(told.fallbacks(principle::Fallback::energy_gain), 1);
  EXPECT_NEAR(told.node().p[0], 1.1 * speed - 9.81 * (0.46 - std::sqrt(2 / 9.81)), 1e-12);
  principle::Strong<BallBody> closing(body, body.node(V1(1.0), V1(0.0)), {}, own_law(0.9));
  EXPECT_THROW(closing.run(0.01, 46), Error);  // it still moves into the floor
}

/// F(q, v⁻): a floor that is elastic on one side of x = 0 and plastic on the other, and knows its name.
struct TwoFloors {
  static constexpr int dimension = 2;
  Eigen::Vector2d mass() const { return {1, 1}; }
  template <class T>
  T potential(Point<T> q) const {
    return 2 * q[1];
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    return q[1];
  }
  std::string gap_name(int) const { return "floor"; }
};
TEST(OwnLaw, SeesThePlaceAndTheNamesOfItsGaps) {
  using Body = bodies::Generalized<TwoFloors>;
  const Body body({}, Rule<double>::trapezoid());
  principle::ImpactLaws<Body> laws;
  laws.constant_restitution = false;
  std::vector<double> x, speed;
  laws.law = mechanics::Law<double>::user(
      "sided", [&](const mechanics::Contacts<double>& A, mechanics::Impulse<double> lambda) {
        EXPECT_EQ(A.place->gaps, std::vector<std::string>{"floor"});
        x.push_back(A.place->q[0]);
        speed.push_back(A.place->p_minus[0]);
        lambda[0] = -(A.place->q[0] < 0 ? 1.0 : 2.0) * A.v[0] / A.W(0, 0);
        mechanics::Outcome<double> outcome;
        outcome.dissipated = -lambda[0] * (A.v[0] + mechanics::rate_after(A, lambda, 0)) / 2;
        return outcome;
      });
  // It falls from 1 within a time of 1, bounces on the right, comes down 2 later on the left, and stays there.
  principle::Strong<Body> run(body, body.node({1.75, 1}, {-1, 0}), {}, laws);
  run.run(0.013, 400);
  ASSERT_EQ(x.size(), 2u);
  EXPECT_NEAR(x[0], 0.75, 1e-12);
  EXPECT_NEAR(x[1], -1.25, 1e-12);
  EXPECT_NEAR(speed[0], -1, 1e-12);
  EXPECT_NEAR(run.node().q[1], 0, 1e-14);
}

/// Sized by E⁺ = E⁻ − D the law holds to O(h²); on the momentum it holds exactly (errata F14).
TEST(OwnLaw, BalanceDiffersFromTheMomentumBySecondOrder) {
  const BallBody body({}, Rule<double>::trapezoid());
  const double speed = std::sqrt(2 * 9.81);
  double last = 0;
  for (const double h : {0.02, 0.01, 0.005}) {
    auto laws = law<BallBody>("newton", 0.5);
    laws.dissipation = principle::Dissipation::balance;
    principle::Strong<BallBody> run(body, body.node(V1(1.0), V1(0.0)), {}, laws);
    const double t = 0.46;
    run.run(h, std::llround(t / h));
    const double error = std::abs(run.node().p[0] - (speed / 2 - 9.81 * (t - std::sqrt(2 / 9.81))));
    EXPECT_GT(error, 1e-9) << h;
    EXPECT_LT(error, 9.81 * 9.81 * h * h / speed) << h;
    last = error;
  }
  EXPECT_LT(last, 9.81 * 9.81 * 0.005 * 0.005 / speed);
}

TEST(Cradle, CanonicalTakesTheSmallestRestitutionAndCountsIt) {
  const BoxBody body({}, Rule<double>::trapezoid());
  principle::ImpactLaws<BoxBody> laws = law<BoxBody>("canonical", 0.5);
  laws.restitution = [](int gap, const BoxBody::Node&) { return gap == 0 ? 0.5 : 0.25; };
  principle::Strong<BoxBody> run(body, body.node({0, 0.8, 0}, {0, 0, 0}), {}, laws);
  while (run.impacts() == 0) run.step(0.01);
  EXPECT_EQ(run.fallbacks(principle::Fallback::smallest_restitution), 1);
  const double fall = 1 / std::sqrt(9.81);  // half a metre
  EXPECT_NEAR(run.node().p[1], 0.25 * 9.81 * fall - 9.81 * (run.node().t - fall), 1e-9);
}

TEST(Rest, BoxComesToRestOnTwoCorners) {
  using Body = bodies::Generalized<Box>;
  const Body body({}, Rule<double>::trapezoid());
  principle::Strong<Body> run(body, body.node({0, 0.8, 0}, {0.2, 0, 0}), {}, law<Body>("newton", 0));
  Log<Body> log;
  run.run(0.01, 10000, log);
  EXPECT_EQ(log.contacts.size(), 2u);
  EXPECT_NEAR(run.node().q[1], 0.3, 1e-13);
  EXPECT_NEAR(run.node().q[2], 0, 1e-13);
  EXPECT_NEAR(run.node().p[1], 0, 1e-13);
  EXPECT_NEAR(run.node().p[0], 0.2, 1e-13);
}

/// A log with a monitor beside it.
template <class Body>
struct Watched : Log<Body> {
  observe::Monitor<Body> monitor;
  explicit Watched(const Body& body) : monitor(body) {}
  template <class GapAt>
  void flight(const typename Body::Node& from, typename Body::Step step, const typename Body::Interval& interval,
              const typename Body::Trace& trace, const GapAt& gap_at) {
    monitor.flight(from, step, interval, trace, gap_at);
  }
  void impact(const principle::ImpactEvent<Body>& e) {
    Log<Body>::impact(e);
    monitor.impact(e);
  }
  void node(long long k, const typename Body::Node& node, const typename Body::Interval& interval) {
    monitor.node(k, node, interval);
  }
};

TEST(Rest, TiltedBoxRocksToRest) {
  using Body = bodies::Generalized<Box>;
  const Body body({}, Rule<double>::trapezoid());
  principle::Strong<Body> run(body, body.node({0, 0.9, 0.2}, {0, 0, 0}), {}, law<Body>("newton", 0.4));
  Watched<Body> log(body);
  log.monitor.start(run.node());
  for (int k = 0; k < 2000; ++k) run.step(0.005, log);
  EXPECT_NEAR(run.node().q[1], 0.3, 1e-9);
  EXPECT_NEAR(run.node().q[2], 0, 1e-9);
  EXPECT_LE(run.node().p.norm(), 1e-9);
  EXPECT_GT(log.t.size(), 5u);
  // It never enters the floor, and its weight has fallen by 0.6: the impacts have all of that.
  EXPECT_GE(log.monitor.min_gap, -1e-12);
  EXPECT_NEAR(log.monitor.dissipated, 9.81 * 0.6, 1e-6);
  EXPECT_NEAR(log.monitor.balance_error(), 0, 1e-6);
}

}  // namespace
}  // namespace ricochet
