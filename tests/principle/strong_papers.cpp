// The examples of Fetecau 2003, section 4, against reference numbers computed independently.
#include <gtest/gtest.h>

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/principle/strong.hpp"
#include "support/systems.hpp"

namespace ricochet {
namespace {

using discrete::Rule;

template <class Body>
struct Impacts {
  struct One {
    double t;
    typename Body::Vec q, p_plus;
  };
  std::vector<One> all;
  void impact(const principle::ImpactEvent<Body>& e) { all.push_back({double(e.t), e.after.q, e.after.p}); }
};

TEST(StrongParticle, ImpactTimesMomentumAndEnergy) {
  using Body = bodies::Generalized<test::Particle>;
  const Body body({}, Rule<double>::trapezoid());
  principle::Strong<Body> run(body, body.node({0, 1}, {-2, 0}));
  Impacts<Body> impacts;
  const double E0 = body.hamiltonian(run.node());
  double worst = 0;
  while (run.impacts() < 1000) {
    run.step(0.01, impacts);
    worst = std::max(worst, std::abs(body.hamiltonian(run.node()) - E0));
    ASSERT_GE(run.node().q[1], -1e-12);
  }
  const double expected[] = {0.451523640986, 1.354609418006, 2.257699519987, 3.160759729440, 4.063866892133};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(impacts.all[i].t, expected[i], 1e-12) << i;
  EXPECT_NEAR(run.node().p[0], -2, 1e-14);
  EXPECT_EQ(run.fallbacks(), 0);
  // Each impact kicks E by (g²h²/8)(1 − 2α) (errata F11); the phases α of a free particle are quasi-periodic, so the sum
  // stays bounded: within 10 such units here and (Long) over 2e5 impacts.
  EXPECT_LE(worst, 10 * 9.81 * 9.81 * 1e-4 / 8);
}

TEST(StrongStar, FirstImpacts) {
  using Body = bodies::Generalized<test::Star>;
  const Body body({}, Rule<double>::trapezoid());
  principle::Strong<Body> run(body, body.node({0, 3.5, 0}, {-2, 0, 5}));
  Impacts<Body> impacts;
  while (run.impacts() < 3) run.step(0.005, impacts);
  const double t[] = {0.755638888491, 2.262776477297, 3.028490579048};
  const double theta[] = {3.778194442455, -4.164110959624, -17.491134193945};
  const double py[] = {7.384565977514, 3.634158988474, 6.816421397461};
  const double pt[] = {-0.795958546861, -2.628834700072, 1.470953543099};
  const double tolerance[] = {1e-11, 1e-11, 1e-9};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(impacts.all[i].t, t[i], tolerance[i]);
    EXPECT_NEAR(impacts.all[i].q[2], theta[i], tolerance[i]);
    EXPECT_NEAR(impacts.all[i].p_plus[1], py[i], tolerance[i]);
    EXPECT_NEAR(impacts.all[i].p_plus[2], pt[i], tolerance[i]);
  }
}

}  // namespace
}  // namespace ricochet
