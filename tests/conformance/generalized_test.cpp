// Generalized bodies of every kind of system, with each rule and each closure, pass the conformance suite.
#include "ricochet/bodies/generalized.hpp"

#include "closure/systems.hpp"
#include "conformance/conforms.hpp"
#include "ricochet/closure/any.hpp"
#include "ricochet/conformance/conformance.hpp"

namespace ricochet {
namespace {

using bodies::Generalized;
using test::expect_conforms;

const std::vector<const char*> closures{"variational", "reflection", "shadow2", "shadow4", "interpolated"};
/// What every body of this kind shows besides.
const std::vector<std::string> coordinates{"coordinates", "stop", "add", "acceleration"};

template <class R>
void table_with_every_closure() {
  using Body = Generalized<test::Table, R>;
  const Body body({}, Body::Rule::trapezoid());
  const std::vector<typename Body::Node> starts{body.node({R(0.1), R(0.2)}, {R(0.7), R(-0.4)}),
                                                body.node({R(-0.3), R(0.4)}, {R(1.3), R(0.9)})};
  for (const char* name : closures)
    expect_conforms(conformance::check(body, starts, closure::named_closure(name, body), {.step = R(0.05)}), name,
                    test::with(coordinates, test::conservative));
}
TEST(Conformance, TableWithEveryClosure) { table_with_every_closure<double>(); }
TEST(Conformance, TableInLongDouble) { table_with_every_closure<long double>(); }

TEST(Conformance, FullMassMatrixWithEveryRule) {
  using Body = Generalized<test::Coupled>;
  using Rule = Body::Rule;
  for (const Rule& rule : {Rule::rectangle_left(), Rule::rectangle_right(), Rule::rectangle(0.3), Rule::midpoint(),
                           Rule::trapezoid(), Rule::yoshida4(), Rule::suzuki4(), Rule::yoshida4(Rule::midpoint())}) {
    const Body body({}, rule);
    const std::vector<Body::Node> starts{body.node({0.3, -0.2, 0.1}, {0.4, 0.9, -0.8}),
                                         body.node({0.0, 0.1, -0.3}, {1.5, 0.2, 0.6})};
    for (const char* name : closures) {
      if (name == std::string("shadow2") || name == std::string("shadow4"))
        if (rule.name() != "trapezoid") continue;
      auto checks = test::with({"coordinates", "stop", "canonical", "energy of the action"}, {"add"});
      if (rule.symmetric()) checks.push_back("backward flight");
      if (rule.order() > 1) checks.push_back("acceleration");
      expect_conforms(conformance::check(body, starts, closure::named_closure(name, body), {.step = 0.04}),
                      rule.name() + " " + name, checks);
    }
  }
}

TEST(Conformance, MassOfTheConfiguration) {
  using Body = Generalized<test::DoublePendulum>;
  for (const auto& rule : {Body::Rule::midpoint(), Body::Rule::trapezoid()}) {
    const Body body({}, rule);
    const std::vector<Body::Node> starts{body.node({0.2, -0.5}, {1.0, 2.0})};
    for (const char* name : {"variational", "interpolated"})
      expect_conforms(conformance::check(body, starts, closure::named_closure(name, body), {.step = 0.03}),
                      rule.name() + " " + name, test::with(coordinates, test::conservative));
  }
}

/// A kinetic energy that is no quadratic form: a relativistic particle in a slanted box.
struct Relativistic {
  static constexpr int dimension = 2;
  template <class T>
  T lagrangian(Point<T> q, Point<T> v) const {
    using std::sqrt;
    return -1.3 * sqrt(1.0 - v[0] * v[0] - v[1] * v[1]) - 0.4 * q[0] * q[0] - 0.3 * q[1];
  }
  int gaps() const { return 2; }
  template <class T>
  T gap(int i, Point<T> q) const {
    return i == 0 ? q[1] + 0.2 * q[0] : 0.7 - q[0] + 0.1 * q[1] * q[1];
  }
};
TEST(Conformance, KineticEnergyThatIsNotQuadratic) {
  using Body = Generalized<Relativistic>;
  const Body body({}, Body::Rule::midpoint());
  const std::vector<Body::Node> starts{body.node({0.1, 0.4}, {0.5, -0.3})};
  for (const char* name : {"variational", "interpolated"})
    expect_conforms(conformance::check(body, starts, closure::named_closure(name, body), {.step = 0.05}), name,
                    test::with(coordinates, test::conservative));
}

/// Forces, a potential that depends on time, and a wall that moves.
struct Driven {
  static constexpr int dimension = 2;
  Eigen::Vector2d mass() const { return {1.0, 2.5}; }
  template <class T>
  T potential(Point<T> q, const T& t) const {
    using std::cos;
    return 0.5 * q[0] * q[0] + q[1] * q[1] * q[1] * q[1] - 0.4 * q[0] * q[1] * cos(2.0 * t);
  }
  template <class T>
  void force(Point<T> q, Point<T> v, const T& t, std::span<T> f) const {
    using std::sin;
    f[0] = -0.1 * v[0] + 0.3 * sin(t);
    f[1] = -0.2 * v[1] * q[0] * q[0];
  }
  int gaps() const { return 2; }
  template <class T>
  T gap(int i, Point<T> q, const T& t) const {
    using std::sin;
    return i == 0 ? T(0.6 + 0.2 * sin(3.0 * t) - q[0]) : T(q[1] + 0.5 + 0.1 * q[0]);
  }
};
TEST(Conformance, ForcesTimeAndMovingWalls) {
  using Body = Generalized<Driven>;
  for (const auto& rule : {Body::Rule::midpoint(), Body::Rule::trapezoid(), Body::Rule::yoshida4()}) {
    const Body body({}, rule);
    const std::vector<Body::Node> starts{body.node({-0.3, 0.2}, {0.9, -0.7}, 0.4)};
    for (const char* name : {"variational", "reflection"})
      expect_conforms(conformance::check(body, starts, closure::named_closure(name, body), {.step = 0.04}),
                      rule.name() + " " + name, coordinates);
  }
}

/// Slips in the plane and in space, and a bilateral constraint between two blocks; the first gap is curved.
struct Rough {
  static constexpr int dimension = 6;
  Eigen::Matrix<double, 6, 1> mass() const { return Eigen::Matrix<double, 6, 1>(1, 1, 1, 3, 3, 3); }
  template <class T>
  T potential(Point<T> q) const {
    return 9.81 * (q[2] + 3.0 * q[5]) + 0.2 * q[0] * q[4];
  }
  int gaps() const { return 2; }
  template <class T>
  T gap(int i, Point<T> q) const {
    return i == 0 ? T(q[2] + 0.2 * q[0] * q[0]) : T(q[5] - 0.1 * q[4]);
  }
  int constraints() const { return 1; }
  template <class T>
  T constraint(int, Point<T> q) const {
    const T x = q[3] - q[0], y = q[4] - q[1], z = q[5] - q[2];
    return 0.5 * (x * x + y * y + z * z - 1.0);
  }
  int tangents(int i) const { return i == 0 ? 2 : 1; }
  template <class T>
  T tangent(int i, int a, Point<T> q) const {
    if (i == 0) return a == 0 ? T(q[0] + 0.3 * q[1] * q[1]) : T(q[1] + q[2] * q[2]);
    return q[3] + 0.2 * q[4];
  }
  double friction(int i) const { return i == 0 ? 0.3 : 0.5; }
};
TEST(Conformance, FrictionAndConstraints) {
  using Body = Generalized<Rough>;
  const Body body({}, Body::Rule::trapezoid());
  const Body::Vec q = (Body::Vec() << 0.1, 0.2, 0.3, 1.1, 0.2, 0.3).finished();
  const Body::Vec v = (Body::Vec() << 0.4, -0.3, -0.5, 0.4, 0.1, -0.9).finished();
  for (const char* name : {"variational", "reflection"}) {
    const auto report = conformance::check(body, {body.node(q, v)}, closure::named_closure(name, body), {.step = 0.02});
    expect_conforms(report, name, test::with(coordinates, test::conservative));
  }
}

}  // namespace
}  // namespace ricochet
