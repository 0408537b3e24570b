// The order in which gaps are listed means nothing, and gaps that are far away mean nothing either.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <sstream>
#include <vector>

#include "principle/corner_throws.hpp"
#include "support/effort.hpp"

namespace ricochet {
namespace {

using closure::AnyClosure;
using discrete::Rule;
using test::Outcome, test::Throw, test::fly;
using Body = test::CornerBody;

/// Starts on and near the walls, many of them grazing, a few steps each. A graze makes a square root of a rounding.
TEST(GapOrder, MeansNothing) {
  std::mt19937_64 engine(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const std::array<std::pair<Rule<double>, const char*>, 5> schemes{{{Rule<double>::trapezoid(), "auto"},
                                                                     {Rule<double>::trapezoid(), "variational"},
                                                                     {Rule<double>::midpoint(), "auto"},
                                                                     {Rule<double>::rectangle_right(), "variational"},
                                                                     {Rule<double>::trapezoid(), "reflection"}}};
  int compared = 0, impacts = 0;
  for (int trial = 0; trial < test::effort(3000); ++trial) {
    const auto& [rule, closure] = schemes[static_cast<std::size_t>(trial) % schemes.size()];
    Throw one{{3 * uniform(engine), 6 * uniform(engine), 4 * uniform(engine), 6 * uniform(engine), 3 * uniform(engine)},
              {0.25 * std::abs(uniform(engine)), 0.1 * std::abs(uniform(engine))},
              {2 * uniform(engine), uniform(engine)},
              trial % 3 == 0 ? 0.2 : 0.1,
              trial % 4 == 0   ? 0.0
              : trial % 4 == 1 ? 0.5
                               : 1.0,
              rule,
              closure};
    if (trial % 2) one.q[1] = 0;
    if (trial % 4 == 1) one.v[1] = 0;
    std::ostringstream what;
    what << trial << ' ' << rule.name() << ' ' << closure << " h " << one.h << " e " << one.e;
    const Outcome a = fly(one, {0, 1}, 4), b = fly(one, {1, 0}, 4), c = fly(one, {2, 0, 1}, 4);
    for (const Outcome& other : {b, c}) {
      EXPECT_EQ(a.impacts, other.impacts) << what.str();
      EXPECT_LE((a.q - other.q).norm() + (a.p - other.p).norm(), 1e-6) << what.str();
    }
    ++compared;
    impacts += static_cast<int>(a.impacts);
  }
  EXPECT_GT(impacts, compared / 2);
}

/// Pushed off the floor from its very start, and by a step's curve not quite.
TEST(GapOrder, LiftsOff) {
  const Body body({{0, -8, 0, 4.6, 2.8}, {1}}, Rule<double>::trapezoid());
  for (const double h : {0.1, 0.05, 0.025}) {
    principle::Strong<Body, AnyClosure> run(body, body.node({0.17, 0}, {-1, 0}), closure::named_closure("auto", body));
    const double E0 = body.hamiltonian(run.node());
    run.run(h, 4);
    EXPECT_GT(run.node().q[1], 0) << h;
    EXPECT_NEAR(body.hamiltonian(run.node()), E0, 3 * h * h) << h;  // Verlet's own oscillation
  }
}

/// A ball without restitution on a floor that shakes: within one long step it is thrown, lands, and is thrown again.
struct Shaken {
  static constexpr int dimension = 1;
  double w;
  Eigen::Matrix<double, 1, 1> mass() const { return Eigen::Matrix<double, 1, 1>(1.0); }
  template <class T>
  T potential(Point<T> q) const {
    return 9.81 * q[0];
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q, const T& t) const {
    using std::sin;
    return q[0] - 0.05 * sin(w * t);
  }
};
TEST(Released, IsHeldAgainInTheSameStep) {
  using Ball = bodies::Generalized<Shaken>;
  // Reactions are looked at where a flight ends: a step as long as the floor's period would see nothing.
  for (const double w : {25.0, 30.0})
    for (const double h : {0.31, 0.19, 0.07}) {
      const Ball body({w}, Rule<double>::trapezoid());
      principle::ImpactLaws<Ball> laws;
      laws.law = mechanics::Law<double>::newton();
      laws.restitution = [](int, const Ball::Node&) { return 0.0; };
      principle::Strong<Ball> run(body, body.node(Ball::Vec(0.0), Ball::Vec(0.05 * w)), {}, laws);
      run.run(h, static_cast<int>(5 / h));
      EXPECT_GE(body.gap(0, run.node()), -1e-12) << w << ' ' << h;
      EXPECT_GT(run.impacts(), 2) << w << ' ' << h;
    }
}

}  // namespace
}  // namespace ricochet
