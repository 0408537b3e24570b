// The tangent of a plain step allocates nothing, with parameters or without.
#include <gtest/gtest.h>

#include "closure/systems.hpp"
#include "tangent/zoo_runs.hpp"

// counted_malloc.cpp; a call, as compilers take it for granted that malloc changes no variable
long allocations();

namespace ricochet {
namespace {

template <class Closure, class System, class Family>
void plain_steps(const System& system, const Family& family, std::initializer_list<const char*> rules) {
  for (const char* rule : rules) {
    const bodies::Generalized<System> body(system, discrete::Rule<double>::named(rule));
    tangent::DifferentiatedRun run(body, body.node(Eigen::Vector2d(0.3, 0.1), Eigen::Vector2d(1.1, 1.37)), family,
                                   Closure(closure::Variational{}));
    int plain = 0;
    for (int k = 0; k < 400; ++k) {
      const long before = allocations();
      const long long impacts = run.impacts();
      run.step(0.01);
      const long made = allocations() - before;
      // The first steps and the first impact make what is then kept.
      if (run.impacts() == 0 || run.impacts() > impacts) continue;
      EXPECT_EQ(made, 0) << rule << ", step " << k;
      ++plain;
    }
    EXPECT_GT(plain, 100) << rule;
  }
}

/// The table, with parameters of the potential, of the mass and of the rim.
template <class P>
struct Table : test::Table {
  std::array<P, 3> theta;
  Eigen::Matrix<P, 2, 1> mass() const { return {P(1), theta[1]}; }
  template <class T>
  T potential(Point<T> q) const {
    return test::Table::potential(q) + T(theta[0]) * q[1] * q[1];
  }
  template <class T>
  T gap(int i, Point<T> q) const {
    return test::Table::gap(i, q) + T(theta[2]);
  }
};

TEST(AllocationsOfTangents, PlainStepsMakeNone) {
  plain_steps<closure::Variational>(test::Table{}, tangent::Fixed<test::Table>({}),
                                    {"trapezoid", "rectangle-left", "midpoint", "yoshida4"});
}
TEST(AllocationsOfTangents, NorWithParameters) {
  const tangent::Family family(
      []<class T>(Point<T> at) {
        return Table<T>{{}, {at[0], at[1], at[2]}};
      },
      {0.1, 1.2, 0.05});
  plain_steps<closure::Variational>(family.system(), family, {"trapezoid", "rectangle-left", "midpoint", "yoshida4"});
}
TEST(AllocationsOfTangents, NorOfALagrangianWithParameters) {
  const tangent::Family family(test::Make<test::Arms, test::Arm>{test::Arm::uneven}, {0.1, 0.6, 1});
  plain_steps<closure::AnyClosure>(family.system(), family, {"midpoint"});
}

TEST(AllocationsOfTangents, AreCounted) {
  long before = allocations();
  Eigen::VectorXd x(100);
  x.setLinSpaced(1, 100);
  EXPECT_GT(allocations(), before) << x.sum();
  before = allocations();
  std::vector<double> y(x.begin(), x.end());
  EXPECT_GT(allocations(), before) << y.back();
}

}  // namespace
}  // namespace ricochet
