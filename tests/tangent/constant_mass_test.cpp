// Tangents of systems with a constant mass: by the start and by parameters, for every rule, closure and law.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>

#include "tangent/against_differences.hpp"

namespace ricochet {
namespace {

using test::Compared;
using test::Kind;
using test::Trial;
using test::VectorLD;

Compared look(Kind kind, const Trial& c) {
  Compared r = test::compare<test::Zoo>(kind, c);
  if (std::getenv("RICOCHET_TELL") != nullptr) {
    std::cout << c.name << " " << c.rule << " " << c.closure << ": ";
    PrintTo(r, &std::cout);
    std::cout << std::endl;
  }
  return r;
}

struct Pair {
  std::string rule, closure;
};
/// Every closure with the trapezoid, every rule with the variational closure.
std::vector<Pair> some() {
  return {{"trapezoid", "variational"}, {"trapezoid", "reflection"},        {"trapezoid", "shadow2"},
          {"trapezoid", "shadow4"},     {"trapezoid", "interpolated"},      {"rectangle-left", "variational"},
          {"rectangle", "variational"}, {"rectangle-right", "variational"}, {"midpoint", "variational"},
          {"yoshida4", "variational"},  {"suzuki4", "variational"}};
}
/// Every rule with every closure that takes it.
std::vector<Pair> all() {
  std::vector<Pair> list;
  for (const char* closure : {"variational", "reflection", "shadow2", "shadow4", "interpolated"})
    for (const char* rule :
         {"rectangle-left", "rectangle-right", "rectangle", "midpoint", "trapezoid", "yoshida4", "suzuki4"})
      if (!std::string(closure).starts_with("shadow") || std::string(rule) == "trapezoid")
        list.push_back({rule, closure});
  return list;
}

void star(const std::vector<Pair>& pairs) {
  for (const auto& [rule, closure] : pairs) {
    // A start whose fourteen impacts magnify by less than 1e5; most starts do so 1e8 times and more, and with them the
    // rounding of the orbit that both sides of the comparison are taken at.
    const Compared r = look(Kind::star, {"star",
                                         rule,
                                         closure,
                                         {0, 0.72, 0.06},
                                         {-0.5, 0.6, -1.49},
                                         {9.81, 0.1, 0.02},
                                         0.02,
                                         150,
                                         "elastic",
                                         1e-8L,
                                         {}});
    EXPECT_GE(r.impacts, 10) << rule << " " << closure;
    // A rule of first order may touch where the others impact or miss: that is said, and there is no derivative.
    if (!rule.starts_with("rectangle") || r.irregular.none()) {
      EXPECT_LE(r.error, 1e-9) << rule << " " << closure;
    }
    test::expect_symplectic(r, rule, closure);
  }
}
TEST(TangentOfConstantMass, StarThroughTenImpacts) { star(some()); }
TEST(LongTangentOfConstantMass, StarThroughTenImpacts) { star(all()); }

void table(const std::vector<Pair>& pairs) {
  for (const auto& [rule, closure] : pairs) {
    const Compared r = look(
        Kind::table, {"table", rule, closure, {0.3, 0.1}, {1.1, 1.37}, {1.7, 0.6, 1}, 0.02, 850, "elastic", 1e-8L, {}});
    // With rectangle-right, of first order, and no balance the run meets the wall nine times only.
    EXPECT_GE(r.impacts, rule == "rectangle-right" && closure == "reflection" ? 9 : 10) << rule << " " << closure;
    EXPECT_LE(r.error, 1e-9) << rule << " " << closure;
    test::expect_symplectic(r, rule, closure);
  }
}
TEST(TangentOfConstantMass, TableThroughTenImpacts) {
  table({{"trapezoid", "variational"}, {"trapezoid", "shadow4"}, {"midpoint", "interpolated"}});
}
TEST(LongTangentOfConstantMass, TableThroughTenImpacts) { table(all()); }

TEST(TangentOfConstantMass, FullMassMatrix) {
  for (const char* closure : {"variational", "shadow2", "shadow4"}) {
    const Compared r = look(Kind::coupled, {"coupled",
                                            "trapezoid",
                                            closure,
                                            {0.1, 0.2, -0.1},
                                            {1.2, -0.7, 0.9},
                                            {0.7, 1.0, 0.8},
                                            0.04,
                                            300,
                                            "elastic",
                                            1e-8L,
                                            {}});
    EXPECT_GE(r.impacts, 10) << closure;
    EXPECT_LE(r.error, 1e-9) << closure;
    EXPECT_LE(r.symplectic, 1e-13) << closure;
  }
}

TEST(TangentOfConstantMass, SeveralImpactsInOneStep) {
  for (const auto& [rule, closure] : some()) {
    const Compared r =
        look(Kind::wedge, {"wedge", rule, closure, {0.05, 0.5}, {3, -1}, {2, 0.2, 1.3}, 0.2, 12, "elastic", 1e-7L, {}});
    EXPECT_GE(r.impacts, 10) << rule << " " << closure;
    EXPECT_GE(r.most_in_a_step, 2) << rule << " " << closure;
    EXPECT_LE(r.error, 1e-9) << rule << " " << closure;
    test::expect_symplectic(r, rule, closure);
  }
}

/// Falls on the round hill, bounces, comes to rest on it (an accumulation), slides, leaves it and falls on the floor.
Trial on_the_hill(const std::string& rule, const std::string& closure) {
  return {"hill", rule, closure, {0.05, 1.2}, {0.02, 0}, {9.81, 1, 0.3}, 0.02, 75, "newton", 1e-7L, {}};
}
void hill(const std::vector<Pair>& pairs) {
  for (const auto& [rule, closure] : pairs) {
    const Compared r = look(Kind::hill, on_the_hill(rule, closure));
    EXPECT_GE(r.impacts, 3) << rule << " " << closure;
    EXPECT_GE(r.held, 10) << rule << " " << closure;
    EXPECT_LE(r.error, 1e-9) << rule << " " << closure;
    EXPECT_TRUE(r.irregular.none()) << rule << " " << closure;
  }
}
TEST(TangentOfConstantMass, RestitutionAccumulationSlidingAndRelease) {
  hill({{"trapezoid", "variational"},
        {"trapezoid", "shadow4"},
        {"midpoint", "interpolated"},
        {"rectangle-left", "variational"}});
}
TEST(LongTangentOfConstantMass, RestitutionAccumulationSlidingAndRelease) {
  std::vector<Pair> pairs = all();
  std::erase_if(pairs, [](const Pair& x) { return x.rule == "rectangle-left" && x.closure == "interpolated"; });
  hill(pairs);
}
// The second impact leaves with 0.11, less than ah = 0.2: rectangle-left comes back from such a hop where its momentum
// vanishes, and rests there (docs/contact.md). Its interpolated curve has bounced below the momentum and entered
// before; both is told, and a rest that no impact precedes has no derivative. There is one up to that hop.
TEST(TangentOfConstantMass, AHopThatTheRuleDoesNotResolveEndsWithATouchDown) {
  Trial trial = on_the_hill("rectangle-left", "interpolated");
  const Compared whole = look(Kind::hill, trial);
  EXPECT_GE(whole.impacts, 3);
  EXPECT_GE(whole.held, 10);
  EXPECT_TRUE(std::isnan(whole.size) && std::isnan(whole.error));
  const auto& told = whole.irregular.first;
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.back().kind, tangent::IrregularKind::touch_down);
  for (std::size_t i = 0; i + 1 < told.size(); ++i) EXPECT_EQ(told[i].kind, tangent::IrregularKind::grazing);

  trial.steps = 14;
  const Compared before = look(Kind::hill, trial);
  EXPECT_GE(before.impacts, 1);
  EXPECT_LE(before.error, 1e-9);
  EXPECT_TRUE(before.irregular.none());
}

void driven(const std::vector<Pair>& pairs) {
  for (const auto& [rule, closure] : pairs) {
    const Compared r =
        look(Kind::driven,
             {"driven", rule, closure, {0.3, 0.5}, {0.4, 0.1}, {0.05, 0.1, 9.81}, 0.02, 150, "elastic", 1e-8L, {}});
    EXPECT_GE(r.impacts, 3) << rule << " " << closure;
    EXPECT_LE(r.error, 1e-9) << rule << " " << closure;
  }
}
TEST(TangentOfConstantMass, ForcesTimeAndAMovingWall) {
  driven({{"trapezoid", "variational"}, {"midpoint", "reflection"}, {"yoshida4", "variational"}});
}
TEST(LongTangentOfConstantMass, ForcesTimeAndAMovingWall) {
  std::vector<Pair> pairs;
  for (const Pair& pair : all())
    if (pair.closure == "variational" || pair.closure == "reflection") pairs.push_back(pair);
  driven(pairs);
}

TEST(TangentOfConstantMass, BilateralConstraint) {
  for (const char* closure : {"variational", "reflection"})
    for (const double e : {1.0, 0.8}) {
      Trial c{"pendulum", "trapezoid", closure, {0.3}, {2}, {9.81, 0.5, e}, 0.02, 200, e == 1 ? "elastic" : "newton",
              1e-7L,      {}};
      c.start = [](const VectorLD& x) {
        VectorLD y(4);
        y << std::sin(x[0]), -std::cos(x[0]), x[1] * std::cos(x[0]), x[1] * std::sin(x[0]);
        return y;
      };
      const Compared r = look(Kind::pendulum, c);
      EXPECT_GE(r.impacts, 3) << closure << " " << e;
      EXPECT_LE(r.error, 1e-9) << closure << " " << e;
    }
}

// ---- where there is no derivative --------------------------------------------------------------------------------

tangent::Irregularities irregularities(const tangent::Family<test::Make<test::Zoo, Kind>>& family,
                                       const Eigen::Vector2d& q, const Eigen::Vector2d& v, double h, int steps) {
  const bodies::Generalized<test::Zoo<double>> body(family.system(), discrete::Rule<double>::trapezoid());
  test::DifferentiatedRunOf<test::Zoo, Kind> run(body, body.node(q, v), family,
                                                 closure::AnyClosure(closure::Variational{}));
  run.run(h, steps);
  return run.irregularities();
}
bool has(const tangent::Irregularities& list, tangent::IrregularKind kind) {
  for (const auto& x : list.first)
    if (x.kind == kind) return true;
  return false;
}

TEST(TangentOfConstantMass, SaysWhereThereIsNoDerivative) {
  using tangent::IrregularKind;
  // Slides along the hill from the start.
  const tangent::Family hill(test::Make<test::Zoo, Kind>{Kind::hill}, {9.81, 1, 1});
  EXPECT_TRUE(has(irregularities(hill, {0, 1}, {0.5, 0}, 0.01, 5), IrregularKind::held_start));
  // Tangent to the hill: a straight flight (no gravity) at the height of its top.
  const tangent::Family calm(test::Make<test::Zoo, Kind>{Kind::hill}, {0, 1, 1});
  EXPECT_TRUE(has(irregularities(calm, {-1, 1}, {1, 0}, 0.03, 60), IrregularKind::grazing));
  EXPECT_FALSE(has(irregularities(calm, {-1, 1.001}, {1, 0}, 0.03, 60), IrregularKind::grazing));
  // An eighth of a unit per step towards the floor half a unit below: on a node, exactly.
  EXPECT_FALSE(has(irregularities(calm, {3, 0.23}, {0, -1}, 0.125, 10), IrregularKind::grid_node));
  EXPECT_TRUE(has(irregularities(calm, {3, 0.2}, {0, -1}, 0.125, 10), IrregularKind::grid_node));
}

}  // namespace
}  // namespace ricochet
