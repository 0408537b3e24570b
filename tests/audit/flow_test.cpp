// The exact motion of the judge, against closed forms.
#include <gtest/gtest.h>

#include "audit/support.hpp"

using namespace audit_test;

namespace {

std::string system_of(const std::string& body) { return "[time]\nstep = 0.01\nend = 1\n[system]\n" + body; }

}  // namespace

TEST(AuditFlow, OscillatorOverManyPeriods) {
  const auto model =
      compiled(system_of("coordinates = [\"x\"]\nmass = [2]\npotential = \"8*x^2/2\"\nposition = [1]\n"));
  const auto dynamics = audit::dynamics_of(*model);
  const audit::Flow flow(*dynamics);
  // ω = 2; one call over three periods halves itself until it converges.
  const audit::State end = flow({0, audit::Vec::Constant(1, 1.0), audit::Vec::Constant(1, 3.0)}, 9.5);
  EXPECT_NEAR(end.q[0], std::cos(19.0) + 0.75 * std::sin(19.0), 1e-13);  // rounding of the phase, ε·19, and sums
  EXPECT_NEAR(end.p[0], 2 * (-2 * std::sin(19.0) + 1.5 * std::cos(19.0)), 4e-13);
}

TEST(AuditFlow, BackwardsIsTheInverse) {
  const auto model = compiled(system_of(R"toml(coordinates = ["a", "b"]
lagrangian = "v_a^2 + v_b^2/2 + v_a*v_b*cos(a - b) + 19.62*cos(a) + 9.81*cos(b)"
position = [1.5, 2]
)toml"));
  const auto dynamics = audit::dynamics_of(*model);
  const audit::Flow flow(*dynamics);
  audit::State start{0, audit::Vec(2), audit::Vec(2)};
  start.q << 1.5, 2.0;
  start.p << 0.3, -0.2;
  const audit::State end = flow(start, 0.7), back = flow(end, -0.7);
  EXPECT_LT((back.q - start.q).norm(), 2e-13);
  EXPECT_LT((back.p - start.p).norm(), 2e-12);
  EXPECT_NEAR(dynamics->hamiltonian(end.q, end.p, 0.7), dynamics->hamiltonian(start.q, start.p, 0),
              1e-13 * 30);  // terms of up to 30 cancel
}

TEST(AuditFlow, ConstraintsAndHeldGapsAreKept) {
  // A pendulum twice: held on a circle by a constraint, and in its angle.
  const auto model =
      compiled(system_of("coordinates = [\"x\", \"y\"]\nmass = [1, 1]\npotential = \"9.81*y\"\nposition = [0, -1]\n"
                         "velocity = [2, 0]\n[[constraint]]\nname = \"rod\"\nexpression = \"x^2 + y^2 - 1\"\n"));
  const auto angle = compiled(
      system_of("coordinates = [\"a\"]\nmass = [1]\npotential = \"-9.81*cos(a)\"\nposition = [0]\nvelocity = [2]\n"));
  const auto two = audit::dynamics_of(*model), one = audit::dynamics_of(*angle);
  audit::State start{0, audit::Vec(2), audit::Vec(2)};
  start.q << 0, -1;
  start.p << 2, 0;
  const audit::State a = audit::Flow(*two)(start, 0.6);
  const audit::State b = audit::Flow(*one)({0, audit::Vec::Zero(1), audit::Vec::Constant(1, 2.0)}, 0.6);
  EXPECT_NEAR(a.q[0], std::sin(b.q[0]), 1e-12);
  EXPECT_NEAR(a.q[1], -std::cos(b.q[0]), 1e-12);
}

TEST(AuditFlow, AimHits) {
  const auto model = compiled(system_of("coordinates = [\"x\"]\nmass = [1]\npotential = \"x^2/2\"\nposition = [1]\n"));
  const auto dynamics = audit::dynamics_of(*model);
  audit::Vec v0(1), v1(1);
  // x = cos t − ½ sin t
  const double s = 0.3;
  const audit::Vec to = audit::Vec::Constant(1, std::cos(s) - 0.5 * std::sin(s));
  ASSERT_TRUE(audit::Flow(*dynamics).aim(0, audit::Vec::Constant(1, 1.0), to, s, v0, v1));
  EXPECT_NEAR(v0[0], -0.5, 3e-14);  // Δq/s
  EXPECT_NEAR(v1[0], -std::sin(s) - 0.5 * std::cos(s), 3e-14);
}
