// The order in which gaps are listed means nothing, and gaps that are far away mean nothing either.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <sstream>
#include <vector>

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/impact/any_closure.hpp"
#include "ricochet/principle/strong.hpp"
#include "support/effort.hpp"

namespace ricochet {
namespace {

using discrete::Rule;
using impact::AnyClosure;

/// A particle in the corner x, y ≥ 0 under a quadratic potential; its walls in any order, and as many as are listed.
struct Corner {
  static constexpr int dimension = 2;
  std::array<double, 5> V;  // x, y, x², y², xy
  std::vector<int> walls;   // 0: x ≥ 0, 1: y ≥ 0, 2: x ≤ 9
  Eigen::Vector2d mass() const { return {1, 2}; }
  template <class T>
  T potential(Point<T> q) const {
    return V[0] * q[0] + V[1] * q[1] + V[2] * q[0] * q[0] + V[3] * q[1] * q[1] + V[4] * q[0] * q[1];
  }
  int gaps() const { return static_cast<int>(walls.size()); }
  template <class T>
  T gap(int i, Point<T> q) const {
    const int wall = walls[static_cast<std::size_t>(i)];
    return wall == 2 ? T(9.0 - q[0]) : T(q[wall]);
  }
};
using Body = bodies::Generalized<Corner>;

struct Throw {
  std::array<double, 5> V;
  Eigen::Vector2d q, v;
  double h, e;
  Rule<double> rule;
  std::string closure;
};

struct Outcome {
  Eigen::Vector2d q, p;
  long long impacts = 0;
};

Outcome fly(const Throw& one, const std::vector<int>& walls, int steps) {
  const Body body({one.V, walls}, one.rule);
  principle::ImpactLaws<Body> laws;
  if (one.e < 1) {
    laws.law = mechanics::Law<double>::newton();
    laws.restitution = [e = one.e](int, const Body::Node&) { return e; };
  }
  principle::Strong<Body, AnyClosure> run(body, body.node(one.q, one.v), impact::named_closure(one.closure, body),
                                          laws);
  run.run(one.h, steps);
  return {run.node().q, run.node().p, run.impacts()};
}

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
    principle::Strong<Body, AnyClosure> run(body, body.node({0.17, 0}, {-1, 0}), impact::named_closure("auto", body));
    const double E0 = body.hamiltonian(run.node());
    run.run(h, 4);
    EXPECT_GT(run.node().q[1], 0) << h;
    EXPECT_NEAR(body.hamiltonian(run.node()), E0, 3 * h * h) << h;  // Verlet's own oscillation
  }
}

/// Long steps (hω up to 0.7) and slow bounces of an implicit rule. In the first four the measured enclosure of a curve
/// is too narrow, and crossings were found behind the true ones; in the others curve and momentum disagree about hop
/// after hop. Against the rule's own curves over a fiftieth of the step.
TEST(FlatHops, ComeToAnEnd) {
  const auto midpoint = Rule<double>::midpoint();
  const std::array<Throw, 10> throws{
      {{{1.7377032134572681, 2.8356865204073554, 3.7908330919472908, -0.64978394139379159, -1.0923569661467232},
        {0.001612862958625616, 0},
        {0.97329121541507924, -0.033512715463410281},
        0.2,
        1,
        midpoint,
        "interpolated"},
       {{-1.8116055076877222, 5.5234342897231121, 3.6755353205012975, 0.89560298480516431, -1.4726599344843125},
        {0.24114364352097539, 0},
        {-1.3291224885935213, 0.011279235935478304},
        0.2,
        1,
        midpoint,
        "interpolated"},
       {{2.0847623003927342, 5.897783116722783, -3.9048420403149113, -0.56697455244014816, -1.6446285135499565},
        {0.12319765421093828, 0},
        {-0.78923545996585553, 0.0027579375865891542},
        0.2,
        1,
        midpoint,
        "interpolated"},
       {{0.14019532019294534, 4.4192763680575826, -2.0556551052147629, -1.1133738303151202, -1.7873919347800158},
        {0.14664063368290292, 0},
        {-1.5882120929515056, 0.033162293525937692},
        0.2,
        1,
        midpoint,
        "interpolated"},
       {{-1.3559916742653175, -0.31967117297005299, 3.5141241795342193, 0.1379084185623527, 0.083745630708739638},
        {0.050676467985630025, 0.038535979897360843},
        {-1.0118857931809313, -0.80107594562064499},
        0.1,
        0,
        midpoint,
        "interpolated"},
       {{-1.9946335472718573, -0.55834374367118378, -1.1078083619752177, -0.95165767904301224, 0.91540661550191738},
        {0.14522033755972141, 0.04572516857439133},
        {0.82689166388961999, -0.16118104453386117},
        0.2,
        0,
        midpoint,
        "interpolated"},
       {{2.661624086263644, -0.025714125301311785, -3.4039531770310041, 2.7519108941403712, 0.39986972194880899},
        {0.059427182397087941, 0},
        {1.09574534892836, 0},
        0.1,
        0.5,
        midpoint,
        "interpolated"},
       {{-2.9289325017314489, 1.2632006664923008, -3.0143319302886318, -0.8523690340868384, 2.0123079490879481},
        {0.11586357730241159, 0},
        {1.6315779298498283, -0.12371006568704135},
        0.2,
        1,
        midpoint,
        "interpolated"},
       {{-1.6281017392490207, 3.6232745682687351, -3.2383594348199281, -5.4318925477276059, 2.2556624503894573},
        {0.22431191760000957, 0},
        {-0.64390396961176677, 0.017214009310606793},
        0.2,
        1,
        midpoint,
        "interpolated"},
       {{-0.094836842933022303, -0.038237299920976353, -3.6887480681342497, 4.7898096374850638, 1.7114807483912675},
        {0.01900434931135625, 0},
        {1.8251807264543802, 0},
        0.2,
        0.5,
        midpoint,
        "interpolated"}}};
  long long plain = 0;
  for (const Throw& one : throws) {
    const Body body({one.V, {0, 1}}, one.rule);
    principle::ImpactLaws<Body> laws;
    laws.law = mechanics::Law<double>::newton();
    laws.restitution = [e = one.e](int, const Body::Node&) { return e; };
    auto fly = [&](const char* closure, int steps) {
      principle::Strong<Body, AnyClosure> run(body, body.node(one.q, one.v), impact::named_closure(closure, body),
                                              laws);
      run.run(4 * one.h / steps, steps);
      EXPECT_GE(run.node().q.minCoeff(), -1e-13);
      EXPECT_EQ(run.closure().name(), closure);
      plain += run.fallbacks(principle::Fallback::plain_flight);
      return run.node();
    };
    const auto node = fly("interpolated", 4), fine = fly("reflection", 200);
    // The rule's frequencies are wrong by h²ω²/12, 4 %, over ωt < 2.8.
    EXPECT_LE((node.q - fine.q).norm(), 0.12 * (fine.q.norm() + fine.p.norm() * one.h)) << one.V[0];
    EXPECT_NEAR(body.hamiltonian(node), body.hamiltonian(fine), 0.06 * (1 + std::abs(body.kinetic(fine)))) << one.V[0];
  }
  EXPECT_GE(plain, 6);
}

/// A flight of rectangle-right does not move from rest. What lies on the floor lies there, whichever side of zero the
/// rounding fell on, and slides along it: x¨ = −V_x = −3.
TEST(Rest, IsSeenFromBothSidesOfZero) {
  for (const double e : {0.0, 0.9})
    for (const double y : {-1e-17, 0.0, 1e-17}) {
      const Body body({{3, 5, 0, 0, 0}, {0, 1}}, Rule<double>::rectangle_right());
      principle::ImpactLaws<Body> laws;
      laws.law = mechanics::Law<double>::newton();
      laws.restitution = [e](int, const Body::Node&) { return e; };
      principle::Strong<Body> run(body, body.node({9, y}, {1, 0}), {}, laws, {.step = 0.1});
      run.run(0.1, 10);
      EXPECT_EQ(run.impacts(), 0) << e << ' ' << y;
      EXPECT_EQ(run.held(), impact::GapList{1}) << e << ' ' << y;
      EXPECT_NEAR(run.node().p[0], 1 - 3 * 1.0, 1e-12);
      EXPECT_NEAR(run.node().q[1], 0, 1e-16);
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
