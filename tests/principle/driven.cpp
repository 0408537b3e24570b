// Forces, V(q,t), moving walls and bilateral constraints: order 2 through impacts, against closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/observe/monitor.hpp"
#include "ricochet/principle/strong.hpp"

namespace ricochet {
namespace {

using LD = long double;
using discrete::Rule;

/// x'' + 2ζx' + x = F cos(ωt) against a wall x ≤ 0.6 + A sin(3t), the forcing as a force or as a potential.
struct Oscillator {
  static constexpr int dimension = 1;
  double damping, amplitude, omega, wall_amplitude;
  bool as_potential;

  Eigen::Matrix<double, 1, 1> mass() const { return Eigen::Matrix<double, 1, 1>(1.0); }
  bool depends_on_time() const { return as_potential; }
  template <class T>
  T potential(Point<T> q, const T& t) const {
    using std::cos;
    const T elastic = 0.5 * q[0] * q[0];
    return as_potential ? T(elastic - amplitude * q[0] * cos(omega * t)) : elastic;
  }
  bool has_force() const { return damping != 0 || !as_potential; }
  template <class T>
  void force(Point<T>, Point<T> v, const T& t, std::span<T> f) const {
    using std::cos;
    f[0] = -2.0 * damping * v[0];
    if (!as_potential) f[0] += amplitude * cos(omega * t);
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q, const T& t) const {
    using std::sin;
    return 0.6 + wall_amplitude * sin(3.0 * t) - q[0];
  }
};
using Body = bodies::Generalized<Oscillator, LD>;
using V1 = Body::Vec;

/// The same motion in closed form between impacts, impacts by bisection.
class Exact {
 public:
  Exact(const Oscillator& o, LD x, LD v, LD e) : o_(o), e_(e) { start(0, x, v); }
  void advance(LD until) {
    LD a = t0_;
    for (LD b = t0_ + 1e-3L; b <= until; b += 1e-3L) {
      if (gap(b) >= 0) {
        a = b;
        continue;
      }
      LD lo = a, hi = b;
      for (int it = 0; it < 80; ++it) {
        const LD m = (lo + hi) / 2;
        (gap(m) >= 0 ? lo : hi) = m;
      }
      const LD wall_speed = 3 * o_.wall_amplitude * std::cos(3 * lo);
      impact_time = lo;
      impact_speed = velocity(lo);
      ++impacts;
      start(lo, position(lo), wall_speed - e_ * (velocity(lo) - wall_speed));
      a = b = lo;
    }
    t_ = until;
  }
  LD x() const { return position(t_); }
  LD v() const { return velocity(t_); }
  int impacts = 0;
  LD impact_time = 0, impact_speed = 0;

  LD position(LD t) const {
    const LD s = t - t0_;
    return std::exp(-o_.damping * s) * (a_ * std::cos(w_ * s) + b_ * std::sin(w_ * s)) + particular(t);
  }
  LD velocity(LD t) const {
    const LD s = t - t0_, E = std::exp(-o_.damping * s), z = o_.damping;
    return E * ((w_ * b_ - z * a_) * std::cos(w_ * s) - (w_ * a_ + z * b_) * std::sin(w_ * s)) + particular_rate(t);
  }

 private:
  void start(LD t, LD x, LD v) {
    t0_ = t_ = t;
    w_ = std::sqrt(1 - LD(o_.damping) * o_.damping);
    const LD D = (1 - LD(o_.omega) * o_.omega), G = 2 * LD(o_.damping) * o_.omega, n = D * D + G * G;
    c_ = o_.amplitude * D / n;
    s_ = o_.amplitude * G / n;
    a_ = x - particular(t);
    b_ = (v - particular_rate(t) + o_.damping * a_) / w_;
  }
  LD particular(LD t) const { return c_ * std::cos(o_.omega * t) + s_ * std::sin(o_.omega * t); }
  LD particular_rate(LD t) const { return o_.omega * (s_ * std::cos(o_.omega * t) - c_ * std::sin(o_.omega * t)); }
  LD gap(LD t) const { return 0.6L + o_.wall_amplitude * std::sin(3 * t) - position(t); }

  Oscillator o_;
  LD e_, t0_ = 0, t_ = 0, w_ = 1, a_ = 0, b_ = 0, c_ = 0, s_ = 0;
};

/// Observed order at T = 2 after the impacts of the exact motion; RMS over neighbouring steps per level (phases of α).
double order(const Oscillator& o, double e, const Rule<LD>& rule) {
  Exact exact(o, -0.3L, 0.9L, e);
  exact.advance(2);
  EXPECT_GE(exact.impacts, 1);
  const Body body(o, rule);
  double sx = 0, sxx = 0, sy = 0, sxy = 0;
  const int levels = 6;
  for (int level = 0; level < levels; ++level) {
    double x = 0, square = 0;
    for (int k = 0; k < 12; ++k) {
      const int n = static_cast<int>(60 * std::pow(1.6, level) * (1 + k / 24.0));
      principle::ImpactLaws<Body> laws;
      laws.law = mechanics::Law<LD>::newton();
      laws.restitution = [e](int, const Body::Node&) { return LD(e); };
      principle::Strong<Body> run(body, body.node(V1(-0.3L), V1(0.9L)), {}, laws);
      run.run(LD(2) / n, n);
      EXPECT_EQ(run.impacts(), exact.impacts);
      EXPECT_EQ(run.fallbacks(), 0);
      const LD dx = run.node().q[0] - exact.x(), dv = run.node().p[0] - exact.v();
      x += std::log(2.0 / n) / 12;
      square += static_cast<double>(dx * dx + dv * dv);
    }
    const double y = std::log(square) / 2;
    sx += x, sxx += x * x, sy += y, sxy += x * y;
  }
  return (levels * sxy - sx * sy) / (levels * sxx - sx * sx);
}

TEST(DrivenOrder, ForcingAndDamping) {
  const Oscillator o{0.1, 0.7, 2.2, 0, false};
  for (const double e : {1.0, 0.8}) {
    EXPECT_NEAR(order(o, e, Rule<LD>::trapezoid()), 2, 0.1) << e;
    EXPECT_NEAR(order(o, e, Rule<LD>::midpoint()), 2, 0.1) << e;
  }
}
TEST(DrivenOrder, TimeDependentPotential) {
  const Oscillator o{0, 0.7, 2.2, 0, true};
  for (const double e : {1.0, 0.8}) EXPECT_NEAR(order(o, e, Rule<LD>::trapezoid()), 2, 0.1) << e;
  EXPECT_NEAR(order(o, 1.0, Rule<LD>::yoshida4()), 4, 0.25);
}
TEST(DrivenOrder, MovingWall) {
  const Oscillator o{0, 0, 1.5, 0.2, true};
  for (const double e : {1.0, 0.8}) EXPECT_NEAR(order(o, e, Rule<LD>::trapezoid()), 2, 0.1) << e;
}
TEST(DrivenOrder, EverythingAtOnce) {
  const Oscillator o{0.05, 0.5, 1.7, 0.15, false};
  EXPECT_NEAR(order(o, 1.0, Rule<LD>::trapezoid()), 2, 0.1);
}

TEST(DrivenEnergy, WorkAndDissipationBalance) {
  // H(T) − H0 = work of forces − impacts + work of the wall, to the second order of the rule (Ballard's Prop. 4.5).
  const Oscillator o{0.05, 0.5, 1.7, 0.15, false};
  double error[2];
  for (int level = 0; level < 2; ++level) {
    double worst = 0;
    for (int k = 0; k < 8; ++k) {
      const int n = (level == 0 ? 400 : 800) + 7 * k;
      const Body body(o, Rule<LD>::trapezoid());
      principle::ImpactLaws<Body> laws;
      laws.law = mechanics::Law<LD>::newton();
      laws.restitution = [](int, const Body::Node&) { return LD(0.8); };
      principle::Strong<Body> run(body, body.node(V1(-0.3L), V1(0.9L)), {}, laws);
      observe::Monitor<Body> monitor(body);
      monitor.start(run.node());
      for (int i = 0; i < n; ++i) run.step(LD(8) / n, monitor);
      EXPECT_GE(run.impacts(), 2);
      EXPECT_GT(static_cast<double>(monitor.dissipated), 0.01);
      EXPECT_GT(static_cast<double>(std::abs(monitor.wall_work)), 1e-3);
      worst = std::max(worst, static_cast<double>(std::abs(monitor.balance_error())));
    }
    error[level] = worst;
  }
  EXPECT_LE(error[1], 1e-3);
  EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.4);
}

TEST(ImpactOscillator, PeriodOneOrbitOfTheClosedForm) {
  // Forced, damped, e = 0.7: the exact period-one orbit (one impact per period) from Newton on the closed form, then
  // our own stroboscopic fixed point; impact time and speed agree to second order in h.
  const Oscillator o{0.05, 0.8, 1.2, 0, false};
  const double e = 0.7;
  const LD period = 2 * std::acos(-1.0L) / LD(1.2);
  Exact exact(o, 0.1L, 0.3L, e);
  exact.advance(120 * period);  // the orbit attracts
  const int before = exact.impacts;
  exact.advance(121 * period);
  ASSERT_EQ(exact.impacts - before, 1);
  const LD exact_phase = std::fmod(exact.impact_time, period), exact_speed = exact.impact_speed;

  struct Last {
    LD t = 0, v = 0;
    int n = 0;
    void impact(const principle::ImpactEvent<Body>& event) { t = event.t, v = event.before.p[0], ++n; }
  };
  double error[2];
  int level = 0;
  for (const int n : {200, 400}) {
    const Body body(o, Rule<LD>::trapezoid());
    principle::ImpactLaws<Body> laws;
    laws.law = mechanics::Law<LD>::newton();
    laws.restitution = [e](int, const Body::Node&) { return LD(e); };
    principle::Strong<Body> run(body, body.node(V1(0.1L), V1(0.3L)), {}, laws);
    Last last;
    run.run(period / n, 200LL * n, last);
    const auto there = run.node();
    const int count = last.n;
    run.run(period / n, n, last);
    EXPECT_EQ(last.n - count, 1);
    EXPECT_LE(static_cast<double>(std::abs(run.node().q[0] - there.q[0]) + std::abs(run.node().p[0] - there.p[0])),
              1e-9);
    const LD phase = std::fmod(last.t, period);
    error[level++] = static_cast<double>(std::abs(phase - exact_phase) + std::abs(last.v - exact_speed));
  }
  EXPECT_LE(error[1], 1e-4);
  EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.5);  // the phase α of the impact differs between the two
}

/// A pendulum as a particle on a rod: x² + y² = 1, with a stop at x ≥ −0.5.
struct Rod {
  static constexpr int dimension = 2;
  Eigen::Vector2d mass() const { return {1, 1}; }
  template <class T>
  T potential(Point<T> q) const {
    return 9.81 * q[1];
  }
  int constraints() const { return 1; }
  template <class T>
  T constraint(int, Point<T> q) const {
    return q[0] * q[0] + q[1] * q[1] - 1.0;
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    return q[0] + 0.5;
  }
};
/// The same in its angle: an independent model.
struct Angle {
  static constexpr int dimension = 1;
  Eigen::Matrix<double, 1, 1> mass() const { return Eigen::Matrix<double, 1, 1>(1.0); }
  template <class T>
  T potential(Point<T> q) const {
    using std::cos;
    return -9.81 * cos(q[0]);
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    using std::sin;
    return sin(q[0]) + 0.5;
  }
};

/// The energy in the first and in the last tenth of a run: a drift shows as a difference of their means.
class Tenths {
 public:
  explicit Tenths(int steps) : steps_(steps), tenth_(steps / 10) {}
  void add(int k, double H) {
    if (k < tenth_) first_ += H, low_ = std::min(low_, H), high_ = std::max(high_, H);
    if (k >= steps_ - tenth_) last_ += H;
  }
  double drift() const { return (last_ - first_) / tenth_; }
  double spread() const { return high_ - low_; }  ///< within the first tenth

 private:
  int steps_, tenth_;
  double first_ = 0, last_ = 0, low_ = HUGE_VAL, high_ = -HUGE_VAL;
};

TEST(Constraint, PendulumOnARodAgainstAStop) {
  using RodBody = bodies::Generalized<Rod>;
  const RodBody body({}, Rule<double>::trapezoid());
  principle::Strong<RodBody> run(body, body.node({std::sin(0.9), -std::cos(0.9)}, {0, 0}));
  double off = 0;
  Tenths energy(100000);
  for (int k = 0; k < 100000; ++k) {
    run.step(0.01);
    off = std::max(off, std::abs(body.gap(1, run.node())));
    energy.add(k, body.hamiltonian(run.node()));
    ASSERT_GE(body.gap(0, run.node()), -1e-12);
  }
  EXPECT_LE(off, 1e-12);
  EXPECT_GT(run.impacts(), 500);
  EXPECT_LE(energy.spread(), 6e-3);           // O(h²): measured 3.3e-3
  EXPECT_LE(std::abs(energy.drift()), 3e-4);  // measured 3e-5, a hundredth of the oscillation
}

TEST(Constraint, AgreesWithTheAngleToSecondOrder) {
  using RodBody = bodies::Generalized<Rod>;
  using AngleBody = bodies::Generalized<Angle>;
  const AngleBody angle({}, Rule<double>::suzuki4());
  principle::Strong<AngleBody> reference(angle, angle.node(AngleBody::Vec(0.9), AngleBody::Vec(0.0)));
  reference.run(0.0005, 2400);
  ASSERT_EQ(reference.impacts(), 1);
  double error[2];
  for (int level = 0; level < 2; ++level) {
    double square = 0;
    for (int k = 0; k < 16; ++k) {
      const int n = (level == 0 ? 120 : 240) + 3 * k;
      const RodBody body({}, Rule<double>::trapezoid());
      principle::Strong<RodBody> run(body, body.node({std::sin(0.9), -std::cos(0.9)}, {0, 0}));
      run.run(1.2 / n, n);
      EXPECT_EQ(run.impacts(), 1);
      const double theta = std::atan2(run.node().q[0], -run.node().q[1]) - reference.node().q[0];
      square += theta * theta * std::pow(n / (level == 0 ? 120.0 : 240.0), 4);
    }
    error[level] = std::sqrt(square / 16);
  }
  EXPECT_LE(error[1], 1e-3);
  EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.3);
}

/// Slider–crank in redundant coordinates: crank pin (x,y) on the unit circle, slider at s on the axis, rod of length 2,
/// a stop for the slider.
struct SliderCrank {
  static constexpr int dimension = 3;
  Eigen::Vector3d mass() const { return {1, 1, 0.5}; }
  template <class T>
  T potential(Point<T> q) const {
    return 9.81 * q[1];
  }
  int constraints() const { return 2; }
  template <class T>
  T constraint(int j, Point<T> q) const {
    if (j == 0) return q[0] * q[0] + q[1] * q[1] - 1.0;
    const T d = q[2] - q[0];
    return d * d + q[1] * q[1] - 4.0;
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    return 2.2 - q[2];
  }
};

TEST(Constraint, SliderCrankWithAStop) {
  using CrankBody = bodies::Generalized<SliderCrank>;
  const CrankBody body({}, Rule<double>::trapezoid());
  const double a = -2.2, x = std::cos(a), y = std::sin(a), s = x + std::sqrt(4 - y * y);
  principle::Strong<CrankBody> run(body, body.node({x, y, s}, {0, 0, 0}));
  double off = 0;
  Tenths energy(100000);
  for (int k = 0; k < 100000; ++k) {
    run.step(0.01);
    off = std::max({off, std::abs(body.gap(1, run.node())), std::abs(body.gap(2, run.node()))});
    energy.add(k, body.hamiltonian(run.node()));
    ASSERT_GE(body.gap(0, run.node()), -1e-12);
  }
  EXPECT_GT(run.impacts(), 100);
  EXPECT_LE(off, 1e-12);
  EXPECT_LE(energy.spread(), 2e-3);           // O(h²): measured 8e-4
  EXPECT_LE(std::abs(energy.drift()), 2e-4);  // measured 3e-5
}

/// A redundant copy of the rod's constraint.
struct TwiceTied : Rod {
  int constraints() const { return 2; }
  template <class T>
  T constraint(int j, Point<T> q) const {
    const T c = Rod::constraint(0, q);
    return j == 0 ? c : T(2.0 * c);
  }
};

TEST(Constraint, RedundantViolatedAndMovingStartsAreRefused) {
  using Twice = bodies::Generalized<TwiceTied>;
  const Twice twice({}, Rule<double>::trapezoid());
  try {
    principle::Strong<Twice> run(twice, twice.node({1, 0}, {0, 0}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_model);
    EXPECT_NE(std::string(error.what()).find("constraint 1"), std::string::npos);
  }
  using RodBody = bodies::Generalized<Rod>;
  const RodBody rod({}, Rule<double>::trapezoid());
  EXPECT_THROW(principle::Strong<RodBody>(rod, rod.node({1, 0.1}, {0, 0})), Error);
  EXPECT_THROW(principle::Strong<RodBody>(rod, rod.node({1, 0}, {0.1, 0})), Error);
}

}  // namespace
}  // namespace ricochet
