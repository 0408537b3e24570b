// Noether's theorem on parts of a beam, through impacts.
#include "ricochet/observe/beam_noether.hpp"

#include <gtest/gtest.h>

#include "bodies/beam_cases.hpp"

namespace ricochet {
namespace {

using Beams = bodies::Beams<double>;

TEST(BeamNoether, EveryPartGainsWhatPassesThroughItsCuts) {
  for (const auto group : {bodies::TimeGroup::SO3xR3, bodies::TimeGroup::SE3})
    for (const auto& [first, last] : {std::pair{0, 10}, {0, 4}, {3, 7}, {8, 8}, {9, 10}}) {
      const Beams body(test::paper_beam<double>(10, 4e-5), group);
      principle::Strong<Beams> run(body, body.start());
      observe::SubdomainNoether<double> part(body, 0, first, last);
      run.run(1e-5, 1200, part);
      ASSERT_EQ(run.impacts(), 3);
      const auto residual = part.finish(run.node());
      EXPECT_LE(residual.norm(), 1e-12 * (1 + part.momentum(run.node()).norm())) << first << " " << last;
      EXPECT_GE(part.supplied().norm(), 1e-3) << first << " " << last;  // something did pass
    }
}

TEST(BeamNoether, StressesAreTheForcesOnTheNodes) {
  // Against the columns of a node: Σ over the nodes left of a cut of (x × F + ΛT, F), without gravity.
  const Beams body(test::lively_beam<double>(7, false));
  const auto x = body.start();
  const observe::SubdomainNoether<double> part(body, 0, 0, 7);
  for (int cut = 0; cut < 7; ++cut) {
    lie::Vec6<double> sum = lie::Vec6<double>::Zero();
    for (int a = 0; a <= cut; ++a) {
      const lie::Vec3<double> f = bodies::beams::eigen(x.f(a)), r = body.position(x, a);
      sum += lie::join<double>(r.cross(f) + body.rotation(x, a) * bodies::beams::eigen(x.torque(a)), f);
    }
    EXPECT_LE((sum - part.stress(x, cut)).norm(), 1e-13 * (1 + sum.norm()));
  }
}

}  // namespace
}  // namespace ricochet
