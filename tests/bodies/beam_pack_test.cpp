// Four nodes at a time are four nodes: packs against single nodes, for every remainder and for spins that need Newton.
#include <gtest/gtest.h>

#include "bodies/beam_cases.hpp"

namespace ricochet {
namespace {

using Beams = bodies::Beams<double>;

double difference(const bodies::BeamsSpec<double>& spec, double h, int steps, double* energy) {
  Beams one(spec), four(spec);
  one.use_packs(false);
  principle::Strong<Beams> single(one, one.start()), packed(four, four.start());
  single.run(h, steps);
  packed.run(h, steps);
  double worst = 0;
  for (int a = 0; a < one.nodes(); ++a) {
    worst = std::max(worst, (one.position(single.node(), a) - four.position(packed.node(), a)).norm());
    worst = std::max(worst, (one.velocity(single.node(), a) - four.velocity(packed.node(), a)).norm());
    worst =
        std::max(worst, (one.rotation(single.node(), a).coeffs() - four.rotation(packed.node(), a).coeffs()).norm());
  }
  *energy = std::abs(one.hamiltonian(single.node()) / four.hamiltonian(packed.node()) - 1);
  return worst;
}

TEST(BeamPacks, EqualSingleNodesForEveryRemainder) {
  for (int elements = 1; elements <= 18; ++elements) {
    double energy = 1;
    EXPECT_LE(difference(test::lively_beam<double>(elements, true), 5e-4, 500, &energy), 1e-13) << elements;
    EXPECT_LE(energy, 1e-13);
  }
}

TEST(BeamPacks, EqualSingleNodesAtTheirImpacts) {
  double energy = 1;
  EXPECT_LE(difference(test::paper_beam<double>(10, 4e-5), 2e-5, 600, &energy),
            1e-12);  // velocities of 30, three jumps
}

TEST(BeamPacks, FastSpinsFallBackToNewton) {
  // One step with |hω| up to 3: the contraction fails in some lanes and not in others.
  auto spec = test::lively_beam<double>(14, false);
  auto& b = spec.beams[0];
  b.nodes = bodies::poses_of_strain<double>({}, lie::join<double>({0, 0, 0}, {0, 0, 1}), b.length, 14);
  for (std::size_t a = 0; a < b.velocities.size(); ++a)
    b.velocities[a] = {{0, 0, a % 3 == 0 ? 1.0 : 1500.0}, {0, 0, 0}};
  b.young = 1e-9;  // nothing but spins
  double energy = 1;
  EXPECT_LE(difference(spec, 2e-3, 1, &energy), 1e-13);
  for (std::size_t a = 0; a < b.velocities.size(); ++a) b.velocities[a].spin = {a % 4 == 1 ? 900.0 : 2.0, 30, -600};
  EXPECT_LE(difference(spec, 2e-3, 1, &energy), 1e-12);
}

}  // namespace
}  // namespace ricochet
