// Where a body that slides on a curved surface leaves it, with rules of first order: their curves do not bend as the
// body accelerates, and where motion and surface part they would enter again (impact/push_off.hpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "principle/rough_systems.hpp"
#include "ricochet/bodies/generalized.hpp"
#include "ricochet/principle/strong.hpp"

namespace ricochet {
namespace {

using discrete::Rule;
using principle::Fallback;
using V2 = Eigen::Vector2d;
using V3 = Eigen::Vector3d;
constexpr double g = 9.81;

/// A particle on the unit circle or on the parabola y = 1 − x² + x³/10, over a floor.
struct Hill {
  static constexpr int dimension = 2;
  bool round = true;
  V2 mass() const { return {1, 1}; }
  template <class T>
  T potential(Point<T> q) const {
    return g * q[1];
  }
  int gaps() const { return 2; }
  template <class T>
  T gap(int i, Point<T> q) const {
    if (i == 1) return q[1] + 0.1 * q[0] + 0.5;
    if (round) return q[0] * q[0] + q[1] * q[1] - 1.0;
    return q[1] - 1.0 + q[0] * q[0] - 0.1 * q[0] * q[0] * q[0];
  }
  V2 on_top(double x) const { return {x, round ? std::sqrt(1 - x * x) : 1 - x * x + 0.1 * x * x * x}; }
  double slope(double x) const { return round ? -x / std::sqrt(1 - x * x) : -2 * x + 0.3 * x * x; }
};
using Body = bodies::Generalized<Hill>;

/// The root of an increasing function between two points.
template <class F>
double root(const F& f, double low, double high) {
  while (high - low > 1e-15) {
    const double middle = (low + high) / 2;
    (f(middle) < 0 ? low : high) = middle;
  }
  return low;
}

/// A particle of mass m along x and 1 along y, potential Fx + gy, that slides down the circle from angle `from` with
/// angular velocity `speed`: ½(m cos²θ + sin²θ)θ̇² + F sin θ + g cos θ is constant, and it leaves where the free motion
/// bends as much as the circle, θ̇² = (F/m) sin θ + g cos θ. With m = 1 and F = 0 that is cos θ = ⅔(energy)/g.
struct Leaving {
  double angle, t;
  V2 q, v, a;
  Leaving(double from, double speed, double m = 1, double F = 0) : a(-F / m, -g) {
    const auto inertia = [&](double x) { return m * std::cos(x) * std::cos(x) + std::sin(x) * std::sin(x); };
    const auto V = [&](double x) { return F * std::sin(x) + g * std::cos(x); };
    const double energy = inertia(from) * speed * speed / 2 + V(from);
    const auto rate = [&](double x) { return std::sqrt(2 * (energy - V(x)) / inertia(x)); };
    angle = root([&](double x) { return rate(x) * rate(x) - F / m * std::sin(x) - g * std::cos(x); }, from, 1.5);
    constexpr int n = 2000;  // Simpson's rule for ∫dθ/θ̇: 1e-12
    double sum = 1 / rate(from) + 1 / rate(angle);
    for (int k = 1; k < n; ++k) sum += (k % 2 == 1 ? 4 : 2) / rate(from + (angle - from) * k / n);
    t = sum * (angle - from) / (3 * n);
    q = {std::sin(angle), std::cos(angle)};
    v = rate(angle) * V2(std::cos(angle), -std::sin(angle));
  }
  V2 q_at(double time) const { return q + (time - t) * v + (time - t) * (time - t) / 2 * a; }
  V2 v_at(double time) const { return v + (time - t) * a; }
};

/// The node where a gap first lets go.
template <class B>
struct Watch {
  typename B::Node arrived, left;
  int releases = 0, grazes = 0;
  void arrive(long long, const typename B::Node& node) { arrived = node; }
  void contact(int, double, bool begins) {
    if (!begins && releases++ == 0) left = arrived;
  }
  void graze(int, const typename B::Node&) { ++grazes; }
};

std::vector<Rule<double>> first_order() {
  return {Rule<double>::rectangle_left(), Rule<double>::rectangle(0.7), Rule<double>::rectangle(0.3),
          Rule<double>::rectangle_right()};
}
double gamma_of(const Rule<double>& rule) { return 1 - rule.stage(0).c; }
std::string told(const Rule<double>& rule) { return "rectangle " + std::to_string(gamma_of(rule)); }
constexpr double steps[] = {0.02, 0.01, 0.005, 0.0025, 0.00125};

/// Errors over `steps` halve with h; what is of second order in them is less than a fifth at h = 0.02.
void expect_first_order(const std::vector<double>& errors, const std::string& what) {
  for (std::size_t k = 1; k < errors.size(); ++k) {
    EXPECT_GT(errors[k - 1] / errors[k], 1.8) << what << " " << steps[k];
    EXPECT_LT(errors[k - 1] / errors[k], 2.2) << what << " " << steps[k];
  }
}

TEST(Leaving, OfFirstOrderToTheExactPointAndAfterIt) {
  constexpr double from = 0.1, speed = 0.5, T = 0.8;
  const Leaving exact(from, speed);
  for (const auto& rule : first_order()) {
    const Body body({}, rule);
    std::vector<double> times, angles, states;
    for (const double h : steps) {
      const auto start = body.node(V2(std::sin(from), std::cos(from)), speed * V2(std::cos(from), -std::sin(from)));
      principle::Strong<Body> run(body, start, {}, {}, {.step = h});
      Watch<Body> watch;
      run.run(h, std::llround(T / h), watch);
      ASSERT_EQ(watch.releases, 1) << told(rule);
      EXPECT_EQ(watch.grazes, 0) << told(rule);
      EXPECT_EQ(run.impacts(), 0) << told(rule);
      // The curve enters for γ > ½ only, and is pushed off once.
      EXPECT_EQ(run.fallbacks(Fallback::push_off), gamma_of(rule) > 0.5 ? 1 : 0) << told(rule);
      times.push_back(std::abs(watch.left.t - exact.t));
      angles.push_back(std::abs(std::atan2(watch.left.q[0], watch.left.q[1]) - exact.angle));
      states.push_back((run.node().q - exact.q_at(T)).norm() + (run.node().p - exact.v_at(T)).norm());
      // The rule keeps H − (γ−½)h p·∇V, here p·∇V = g p_y, up to O(h²): that is 15h … 37h of H for γ = 0 and 1.
      // Holding and leaving add less than 0.3h.
      const double own = (gamma_of(rule) - 0.5) * h * g * (run.node().p[1] - start.p[1]);
      EXPECT_NEAR(body.hamiltonian(run.node()) - body.hamiltonian(start), own, 0.4 * h) << told(rule);
    }
    expect_first_order(times, told(rule) + " time");
    expect_first_order(angles, told(rule) + " place");
    expect_first_order(states, told(rule) + " state");
    EXPECT_LE(times.back(), 0.15 * steps[4]) << told(rule);
    EXPECT_LE(angles.back(), 0.85 * steps[4]) << told(rule);
  }
}

/// From rest beside the top: cos θ = ⅔ cos θ₀.
TEST(Leaving, FromRest) {
  constexpr double from = 0.02, h = 0.0005;
  for (const auto& rule : first_order()) {
    const Body body({}, rule);
    principle::Strong<Body> run(body, body.node(V2(std::sin(from), std::cos(from)), V2::Zero()), {}, {}, {.step = h});
    Watch<Body> watch;
    run.run(h, 4000, watch);
    ASSERT_GE(watch.releases, 1) << told(rule);
    EXPECT_NEAR(watch.left.q[1], 2.0 / 3 * std::cos(from), 1.5 * h) << told(rule);
  }
}

/// Starts on the hill and above it, with and without restitution: sliding, bouncing, landing where the motion just
/// leaves. No run ends, nothing is found inside, and a body is pushed off once or twice in its way down.
void sweep(int starts, std::initializer_list<double> lengths) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-1, 1);
  long long pushed = 0, most = 0, grazes = 0;
  for (int k = 0; k < starts; ++k) {
    const Hill hill{k % 2 == 0};
    const double x = 0.7 * any(random), vx = 2.5 * any(random), above = any(random), vy = any(random);
    V2 q = hill.on_top(x), v = vx * V2(1, hill.slope(x));
    if (above > 0) q[1] += 0.3 * above, v[1] = vy;
    for (const double gamma : {1.0, 0.9, 0.7, 0.55, 0.51, 0.501, 0.49, 0.3, 0.0})
      for (const double h : lengths) {
        const Body body(hill, Rule<double>::rectangle(gamma));
        const auto laws = test::newton<Body>(k % 3 == 0 ? 1 : k % 3 == 1 ? 0.3 : 0);
        principle::Strong<Body> run(body, body.node(q, v), {}, laws, {.step = h});
        const double H = body.hamiltonian(run.node());
        ASSERT_NO_THROW(run.run(h, std::llround(1.2 / h))) << "start " << k << ", gamma " << gamma << ", h " << h;
        for (int i = 0; i < 2; ++i) EXPECT_GE(body.gap(i, run.node()), -1e-11) << k << " " << gamma << " " << h;
        const long long push = run.fallbacks(Fallback::push_off);
        pushed += push;
        most = std::max(most, push);
        grazes += run.fallbacks(Fallback::graze);
        // What the rule keeps differs from H by (γ−½)h p·∇V, at most 60|γ−½|h here, at either end and on either side of
        // an elastic impact; the balance of its energy cancels most of that. Seen: 140|γ−½|h. A push adds O(h²).
        EXPECT_LE(body.hamiltonian(run.node()) - H, 200 * std::abs(gamma - 0.5) * h + 100 * h * h) << k << " " << gamma;
      }
  }
  EXPECT_GE(pushed, starts);
  EXPECT_LE(most, 2);
  EXPECT_LE(grazes, pushed);  // before, thousands in a step
}
TEST(Leaving, NoRunEnds) { sweep(60, {0.02, 0.01}); }
TEST(LongLeaving, NoRunEnds) { sweep(200, {0.02, 0.01, 0.005, 0.0025, 0.00125}); }

/// Rules of second order leave by themselves.
TEST(Leaving, OnlyRulesOfFirstOrderArePushed) {
  for (const char* name : {"midpoint", "trapezoid", "yoshida4", "suzuki4"}) {
    const Body body({}, Rule<double>::named(name));
    principle::Strong<Body> run(body, body.node(V2(0, 1), V2(1, 0)), {}, {}, {.step = 0.01});
    Watch<Body> watch;
    run.run(0.01, 80, watch);
    EXPECT_EQ(watch.releases, 1) << name;
    EXPECT_EQ(run.fallbacks(), 0) << name;
  }
}

/// On the circle and at once on a wall that leans on it, z ≥ x/2 with a force against it: normals that couple. The
/// wall stays when the hill lets go.
struct Ridge {
  static constexpr int dimension = 3;
  V3 mass() const { return {1, 1, 1}; }
  template <class T>
  T potential(Point<T> q) const {
    return g * q[1] + 4.0 * q[2];
  }
  int gaps() const { return 2; }
  template <class T>
  T gap(int i, Point<T> q) const {
    return i == 0 ? T(q[0] * q[0] + q[1] * q[1] - 1.0) : T(q[2] - 0.5 * q[0]);
  }
};
TEST(Leaving, AnotherGapStaysHeld) {
  using Third = bodies::Generalized<Ridge>;
  constexpr double from = 0.3, speed = 1, T = 0.7;
  const Leaving exact(from, speed, 1.25, 2);  // on the wall z = x/2
  const V2 q(std::sin(from), std::cos(from)), v = speed * V2(std::cos(from), -std::sin(from));
  for (const auto& rule : first_order()) {
    std::vector<double> angles, states;
    for (const double h : steps) {
      const Third body({}, rule);
      principle::Strong<Third> run(body, body.node(V3(q[0], q[1], q[0] / 2), V3(v[0], v[1], v[0] / 2)), {}, {},
                                   {.step = h});
      Watch<Third> watch;
      run.run(h, std::llround(T / h), watch);
      ASSERT_EQ(watch.releases, 1) << told(rule);
      EXPECT_EQ(run.held(), motion::GapList{1}) << told(rule);
      EXPECT_LE(std::abs(body.gap(1, run.node())), 1e-13) << told(rule);
      EXPECT_EQ(run.impacts(), 0) << told(rule);
      EXPECT_EQ(watch.grazes, 0) << told(rule);
      angles.push_back(std::abs(std::atan2(watch.left.q[0], watch.left.q[1]) - exact.angle));
      states.push_back((run.node().q.head(2) - exact.q_at(T)).norm() + (run.node().p.head(2) - exact.v_at(T)).norm());
    }
    expect_first_order(angles, told(rule) + " place");
    expect_first_order(states, told(rule) + " state");
  }
}

/// A ball from height 1 rests after √(2/g)(1+e)/(1−e). A rule that falls late by a part ℓ of a step comes back ℓgh too
/// fast from every bounce and would go on at eℓgh/(1−e) for ever, which lasts 2eℓh/(1−e)².
struct Rested {
  double t = -1;
  void contact(int, double at, bool begins) {
    if (begins && t < 0) t = at;
  }
};
TEST(Leaving, RulesThatFallLateComeToRest) {
  using V1 = Eigen::Matrix<double, 1, 1>;
  using Bouncing = bodies::Generalized<test::Ball>;
  for (const double gamma : {0.0, 0.3, 0.45, 1.0})
    for (const double e : {0.1, 0.3, 0.5, 0.7})
      for (const double h : {0.002, 0.001}) {
        const Bouncing body({}, Rule<double>::rectangle(gamma));
        principle::Strong<Bouncing> run(body, body.node(V1(1), V1(0)), {}, test::newton<Bouncing>(e), {.step = h});
        Rested rested;
        const double T = std::sqrt(2 / g) * (1 + e) / (1 - e);
        // Every bounce of some log(1/h) adds to that: by an independent iteration of the bounces at most 8.6 times as
        // much for γ < ½, and 4h with e = 0.1. With γ = 1 as much is missing.
        const double allowed = (20 * e * std::abs(1 - 2 * gamma) / ((1 - e) * (1 - e)) + 5) * h;
        run.run(h, std::llround((T + allowed) / h) + 2, rested);
        EXPECT_EQ(run.held().size(), 1U) << gamma << " " << e << " " << h;
        EXPECT_NEAR(rested.t, T, allowed) << gamma << " " << e << " " << h;
      }
}

/// With friction: (v²)' = 2g sin θ − 2μ(g cos θ − v²), so v²(θ) = A cos θ + B sin θ + C exp(2μθ); v² = g cos θ where it
/// leaves.
struct RoughHill {
  static constexpr int dimension = 2;
  double mu;
  V2 mass() const { return {1, 1}; }
  template <class T>
  T potential(Point<T> q) const {
    return T(g) * q[1];
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    return T(0.5) * (q[0] * q[0] + q[1] * q[1] - T(1));
  }
  int tangents(int) const { return 1; }
  template <class T>
  T tangent(int, int, Point<T> q) const {
    using std::atan;
    return atan(q[0] / q[1]);
  }
  double friction(int) const { return mu; }
};
TEST(Leaving, WithFriction) {
  using Rough = test::RoughBody<RoughHill>;
  constexpr double mu = 0.3, from = 0.2, speed = 1.5;
  const double A = -2 * g * (1 - 2 * mu * mu) / (1 + 4 * mu * mu), B = 2 * mu * (A - g);
  const double C = (speed * speed - A * std::cos(from) - B * std::sin(from)) * std::exp(-2 * mu * from);
  const double exact =
      root([&](double x) { return (A - g) * std::cos(x) + B * std::sin(x) + C * std::exp(2 * mu * x); }, from, 1.5);
  for (const auto& rule : first_order()) {
    std::vector<double> angles;
    for (const double h : steps) {
      const Rough body(RoughHill{mu}, rule);
      const auto start = body.node(V2(std::sin(from), std::cos(from)), speed * V2(std::cos(from), -std::sin(from)));
      test::RoughRun<RoughHill> run(body, start, {}, test::rough_law<RoughHill>("newton", 0), {.step = h});
      Watch<Rough> watch;
      run.run(h, std::llround(0.8 / h), watch);
      ASSERT_EQ(watch.releases, 1) << told(rule);
      angles.push_back(std::abs(std::atan2(watch.left.q[0], watch.left.q[1]) - exact));
    }
    expect_first_order(angles, told(rule));
  }
}

}  // namespace
}  // namespace ricochet
