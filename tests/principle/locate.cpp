// Location: no crossing is missed, on random flights over random smooth gaps, against dense sampling.
#include "ricochet/contact/locate.hpp"

#include <gtest/gtest.h>

#include <random>

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/closure/variational.hpp"
#include "support/effort.hpp"

namespace ricochet {
namespace {

/// A random smooth landscape: V and φ are sums of a few plane waves and a quadratic form.
struct Landscape {
  static constexpr int dimension = 2;
  struct Wave {
    double kx, ky, phase, amplitude;
  };
  std::array<Wave, 3> hills, walls;
  double level = 0, bend = 0;
  Eigen::Vector2d m{1, 1};

  Eigen::Vector2d mass() const { return m; }
  template <class T>
  static T sum(const std::array<Wave, 3>& waves, Point<T> q) {
    using std::sin;
    T y(0);
    for (const Wave& w : waves) y += w.amplitude * sin(w.kx * q[0] + w.ky * q[1] + w.phase);
    return y;
  }
  template <class T>
  T potential(Point<T> q) const {
    return sum(hills, q);
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    return level + sum(walls, q) + bend * (q[0] * q[0] - q[1] * q[1]);
  }
};

struct Tally {
  long flights = 0, crossings = 0, hidden = 0, missed = 0, wrong = 0;
};

/// `wildness` scales how far a flight goes relative to the wave length of the gap.
Tally compare(const discrete::Rule<double>& rule, long flights, int samples, double wildness, unsigned seed) {
  using Body = bodies::Generalized<Landscape>;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Tally tally;
  while (tally.flights < flights) {
    Landscape land;
    for (auto* waves : {&land.hills, &land.walls})
      for (auto& w : *waves) w = {3 * uniform(random), 3 * uniform(random), 3 * uniform(random), uniform(random)};
    land.bend = uniform(random);
    land.m = {1 + 0.5 * uniform(random), 1 + 0.5 * uniform(random)};
    for (auto& w : land.hills) w.amplitude *= 3;
    Body::Node start{0, {uniform(random), uniform(random)}, {uniform(random), uniform(random)}};
    // Start a little above the boundary, so that a good part of the flights cross, many of them in and out.
    const Eigen::Vector2d q = start.q;
    land.level = -land.gap(0, Point<double>(q.data(), 2)) + 0.05 * wildness * std::abs(uniform(random));
    const Body body(land, rule);
    if (!(body.gap(0, start) > 1e-6)) continue;
    ++tally.flights;
    const double h = 0.3 * wildness;
    const bodies::ErasedBody<Body> seen(body);
    const auto gaps = bodies::own_gaps(seen);
    const motion::Island<double> island(seen, gaps.get());
    bodies::ErasedFlier<Body, closure::Variational> flier(seen, {});
    const auto from = seen.node(start);
    motion::Node<double> last;
    motion::Trace trace;
    motion::GapList list;
    motion::Covector normal;
    flier.fly(from, {h, h}, last, trace);
    island.candidates(trace, list);
    const auto found =
        contact::locate<double>(island, flier, from, {h, h}, last, trace, 0.0, list, normal, [](int) { return false; });
    const Body::Node& end = seen.own(last);
    double first = 2 * h;
    for (int k = 1; k <= samples; ++k) {
      const double s = h * k / samples;
      if (flier.gap_along(island, 0, from, {s, h}, trace) < -1e-13) {
        first = s;
        break;
      }
    }
    if (first <= h) {
      ++tally.crossings;
      if (body.gap(0, end) > 0) ++tally.hidden;
      if (!found || found->s > first) ++tally.missed;
    }
    if (found) {
      // It is a root, and nothing before it is negative.
      if (std::abs(flier.gap_along(island, 0, from, {found->s, h}, trace)) > 1e-13) ++tally.wrong;
      if (first < found->s) ++tally.wrong;
    }
  }
  return tally;
}

void expect_all_found(const Tally& tally) {
  EXPECT_EQ(tally.missed, 0);
  EXPECT_EQ(tally.wrong, 0);
  EXPECT_GT(tally.crossings, tally.flights / 20);  // the test would be idle without crossings
  EXPECT_GT(tally.hidden, 0);
}

TEST(Locate, MillionExplicitFlights) {
  expect_all_found(compare(discrete::Rule<double>::trapezoid(), test::effort(500000), 60, 1, 1));
  expect_all_found(compare(discrete::Rule<double>::rectangle_right(), test::effort(250000), 60, 0.3, 2));
  // several wave lengths per flight
  expect_all_found(compare(discrete::Rule<double>::trapezoid(), test::effort(250000), 120, 4, 3));
}

TEST(Locate, ImplicitAndComposedFlights) {
  expect_all_found(compare(discrete::Rule<double>::midpoint(), test::effort(10000), 60, 0.3, 4));
  expect_all_found(compare(discrete::Rule<double>::yoshida4(), test::effort(10000), 60, 0.3, 5));
}

TEST(Locate, GrazingDipsAreDecidedByTheirDepth) {
  // φ = (s − ½)² − d along the flight: crosses for d > 0, not for d < 0, down to |d| = 1e-15.
  for (const double d : {1e-3, 1e-6, 1e-9, 1e-12, 1e-15}) {
    for (const double sign : {1.0, -1.0}) {
      auto value = [&](double s) { return (s - 0.5) * (s - 0.5) - sign * d; };
      auto bound = [&](double a, double b) {
        using Ball = numerics::Ball<double>;
        const auto s = Ball::between(a, b);
        return motion::Bound<double>{pow(s - Ball(0.5), 2) - Ball(sign * d), Ball(2.0) * (s - Ball(0.5)), Ball(2.0)};
      };
      const auto root = contact::first_root<double>(value, bound, 0.0, 1.0, contact::Start::open);
      EXPECT_EQ(root.has_value(), sign > 0) << sign * d;
      if (root.has_value()) {
        EXPECT_NEAR(*root, 0.5 - std::sqrt(d), 1e-15 / std::sqrt(d) + 1e-15);
      }
    }
  }
}

TEST(Locate, WhereTheGapIsNoNumber) {
  using Ball = numerics::Ball<double>;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  auto line = [](double r) { return [r](double s) { return r - s; }; };
  auto line_bound = [](double r, double end) {
    return [r, end](double a, double b) {
      const auto s = Ball::between(a, b);
      const auto slope = b <= end ? Ball(-1.0) : Ball(nan);
      return motion::Bound<double>{b <= end ? Ball(r) - s : Ball(nan), slope, b <= end ? Ball(0.0) : Ball(nan)};
    };
  };
  // Defined until 0.7: a root before that is found, and where there is none the end is.
  for (const double r : {0.3, 0.69, 2.0}) {
    auto value = [&](double s) { return s <= 0.7 ? line(r)(s) : nan; };
    const auto bound = line_bound(r, 0.7);
    if (r < 0.7) {
      EXPECT_NEAR(*contact::first_root<double>(value, bound, 0.0, 1.0, contact::Start::open), r, 1e-15);
      continue;
    }
    try {
      contact::first_root<double>(value, bound, 0.0, 1.0, contact::Start::open);
      ADD_FAILURE() << "nothing was said";
    } catch (const contact::Unresolved<double>& at) {
      EXPECT_NEAR(at.s, 0.7, 1e-14);
      EXPECT_FALSE(at.defined);
    }
  }
  // An enclosure that says nothing however short the piece: the search ends all the same.
  auto nothing = [&](double a, double b) {
    return motion::Bound<double>{Ball::between(a - b, b - a), Ball(nan), Ball(nan)};
  };
  try {
    contact::first_root<double>(line(2.0), nothing, 0.0, 1.0, contact::Start::open);
    ADD_FAILURE() << "nothing was said";
  } catch (const contact::Unresolved<double>& at) {
    EXPECT_TRUE(at.defined);
  }
}

TEST(Locate, TheRootAtAFreshStartIsDeflated) {
  // φ = s(s − r)(…): leaves at once, comes back at r.
  for (const double r : {0.9, 1e-3, 1e-8}) {
    auto value = [&](double s) { return s * (r - s); };
    auto bound = [&](double a, double b) {
      using Ball = numerics::Ball<double>;
      const auto s = Ball::between(a, b);
      return motion::Bound<double>{s * (Ball(r) - s), Ball(r) - Ball(2.0) * s, Ball(-2.0)};
    };
    const auto root = contact::first_root<double>(value, bound, 0.0, 1.0, contact::Start::fresh);
    ASSERT_TRUE(root.has_value());
    EXPECT_NEAR(*root, r, 4e-16 * r);
  }
}

}  // namespace
}  // namespace ricochet
