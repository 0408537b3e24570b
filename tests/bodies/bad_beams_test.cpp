// What cannot be a beam is refused with a sentence that says what would be right.
#include <gtest/gtest.h>

#include "bodies/beam_cases.hpp"
#include "ricochet/principle/beam_run.hpp"

namespace ricochet {
namespace {

using principle::BeamRun;

void refused(const bodies::BeamsSpec<double>& spec, ErrorKind kind, const std::string& words, double h = 1e-5) {
  try {
    BeamRun run(spec, {.step = h});
    run.advance(1);
    ADD_FAILURE() << "accepted: " << words;
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), kind) << e.what();
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
  }
}
bodies::BeamsSpec<double> good() { return test::paper_beam<double>(10, 4e-5); }

TEST(BadBeams, AreNamed) {
  refused({}, ErrorKind::invalid_model, "there are no beams");
  auto change = [](auto edit, ErrorKind kind, const std::string& words) {
    auto spec = good();
    edit(spec);
    refused(spec, kind, words);
  };
  const auto invalid = ErrorKind::invalid_model;
  change([](auto& s) { s.beams[0].section = bodies::BeamSection<double>::square(0); }, invalid,
         "the area of the section of beam must be positive and finite, but is 0");
  change([](auto& s) { s.beams[0].section.I2 = 0; }, invalid, "second moment I2");
  change([](auto& s) { s.beams[0].young = -1; }, invalid, "the modulus (young) of beam must be positive");
  change([](auto& s) { s.beams[0].poisson = -1; }, invalid, "must lie in (-1, 0.5]");
  change([](auto& s) { s.beams[0].density = std::nan(""); }, invalid, "the density of beam");
  change([](auto& s) { s.beams[0].elements = 0; }, invalid, "at least one element");
  change([](auto& s) { s.beams[0].nodes.pop_back(); }, invalid, "needs 11 nodes, not 10");
  change([](auto& s) { s.beams[0].velocities.resize(3); }, invalid, "needs 11 velocities, not 3");
  change([](auto& s) { s.beams[0].nodes[4].R *= 1.1; }, invalid, "the orientation of node 4 of beam is no rotation");
  change([](auto& s) { s.beams[0].nodes[4].R.col(0) *= -1; }, invalid, "is no rotation");
  change([](auto& s) { s.beams[0].nodes[2].r[1] = std::nan(""); }, invalid, "node 2 of beam is not finite");
  change([](auto& s) { s.planes[0].normal.setZero(); }, invalid, "a normal that is not zero");
  change(
      [](auto& s) {
        s.spheres.push_back({"ball", {0, 0, 9}, -1});
      },
      invalid, "ball needs a finite centre and a positive");
  change([](auto& s) { s.planes[0].point[2] = 0.01; }, ErrorKind::inadmissible_start,
         "violates the gap \"beam[0]|plane\" by");
  change(
      [](auto& s) {
        s.spheres.push_back({"ball", s.beams[0].nodes[7].r + Eigen::Vector3d(0, 0, 1e-4), 1e-3});
      },
      ErrorKind::inadmissible_start, "violates the gap \"beam[7]|ball\" by 0.0009");
  change(
      [](auto& s) {
        s.spheres.push_back({"ball", s.beams[0].nodes[7].r, 1e-3});  // at its centre, where it has no normal
      },
      ErrorKind::inadmissible_start, "violates the gap \"beam[7]|ball\" by 0.001");
}

TEST(BadBeams, StepsBeyondTheStabilityLimitAreRefusedWithTheLimit) {
  refused(good(), ErrorKind::invalid_model, "beyond the stability limit 0.0463456 of the beams", 0.05);
  refused(good(), ErrorKind::invalid_model, "the time step of beams must be positive", 0);
}

TEST(BadBeams, TheLimitIsTheLimit) {
  // Just below it a straight beam with noise in every direction stays bounded, just above it does not.
  for (const double side : {0.05, 0.01}) {
    auto b = test::paper_material<double>(12);
    b.section = bodies::BeamSection<double>::square(side);
    for (int a = 0; a <= 12; ++a) {
      const double n = 1e-9 * std::sin(7.0 * a * a + 1);
      b.velocities.push_back({{n, -n, n * a}, {n, 2 * n, -n}});
    }
    bodies::BeamsSpec<double> spec;
    spec.beams = {b};
    const bodies::Beams<double> body(spec);
    const double limit = body.stable_step();
    for (const double factor : {0.98, 1.05}) {
      // The chain itself, without the check of the body.
      auto x = body.start();
      bodies::Beams<double>::Work work;
      const double before = body.hamiltonian(x);
      bool grew = false;
      for (int k = 0; k < 3000 && !grew; ++k) {
        auto y = x;
        y.potential = body.chain().fly(x.data, y.data, work.loads, factor * limit).potential;
        x = y;
        grew = !(body.hamiltonian(x) < 1e4 * before);
      }
      EXPECT_EQ(grew, factor > 1) << side;
    }
  }
}

TEST(BadBeams, RelativeRotationsNearPiAreRefused) {
  // Curvature so large that neighbours differ by almost half a turn: τ(Δs η) with |Δs Ω| = 300 is 179.2 degrees.
  auto spec = good();
  spec.planes.clear();
  lie::Vec6<double> strain;
  strain << 300 / spec.beams[0].spacing(), 0, 0, 0, 0, 1;
  spec.beams[0].nodes = bodies::poses_of_strain<double>({}, strain, 0.5, 10);
  refused(spec, ErrorKind::no_convergence, " of beam is within 1.2 degrees of 180, where its Cayley strain ends");
}

}  // namespace
}  // namespace ricochet
