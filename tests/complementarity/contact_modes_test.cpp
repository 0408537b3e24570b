// Every mode tried: against Coulomb's law statement by statement, and Painlevé's rod against its closed form.
#include "ricochet/complementarity/contact_modes.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "complementarity/friction_problems.hpp"

namespace ricochet::complementarity {
namespace {

using testing::FrictionData;

ContactModes<double> pose(const FrictionData& data) {
  ContactModes<double> modes;
  const int m = data.n * data.dimension;
  modes.W.resize(m);
  for (int i = 0; i < m; ++i) {
    modes.acceleration.push_back(data.b[i]);
    modes.tolerance.push_back(1e-11 * (1 + std::abs(data.b[i])));
    for (int j = 0; j < m; ++j) modes.W(i, j) = data.W(i, j);
  }
  for (int i = 0; i < data.n; ++i) {
    ModeContact<double> c;
    c.normal = data.dimension * i;
    c.tangents = data.dimension - 1;
    c.mu = data.mu[i];
    modes.contacts.push_back(c);
  }
  return modes;
}

std::vector<Eigen::VectorXd> forces(const ContactModes<double>& modes, const FrictionData& data) {
  std::vector<Eigen::VectorXd> r;
  for (int i = 0; i < data.n; ++i) {
    Eigen::VectorXd x(data.dimension);
    for (int a = 0; a < data.dimension; ++a) x[a] = modes.force[static_cast<std::size_t>(data.dimension * i + a)];
    r.push_back(x);
  }
  return r;
}

// Contacts at rest of one mechanical system always have forces (W = HHᵀ, b = Hv); they must be found, and obey the law.
void rest_obeys_coulomb(int contacts, int dimension, bool singular, int trials) {
  std::mt19937_64 engine(17);
  int several = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const auto data = testing::random_friction(engine, contacts, dimension, singular, trial);
    auto modes = pose(data);
    const auto found = modes.solve();
    ASSERT_TRUE(found == ModesFound::one || found == ModesFound::several) << trial;
    several += found == ModesFound::several;
    // Random W reach condition numbers of 1e5, and the least-norm solution squares them: measured 1.02e-8 at worst.
    ASSERT_LT(testing::coulomb_defect(data, forces(modes, data)), 1e-7) << trial;
  }
  EXPECT_LT(several, trials / 4);  // as a rule they are unique
}
TEST(ContactModes, OnePlanarContactAtRest) { rest_obeys_coulomb(1, 2, false, 3000); }
TEST(ContactModes, TwoPlanarContactsAtRest) { rest_obeys_coulomb(2, 2, false, 3000); }
TEST(ContactModes, ThreePlanarContactsAtRest) { rest_obeys_coulomb(3, 2, false, 500); }
TEST(ContactModes, OneSpatialContactAtRest) { rest_obeys_coulomb(1, 3, false, 3000); }
TEST(ContactModes, TwoSpatialContactsAtRest) { rest_obeys_coulomb(2, 3, false, 1000); }
TEST(ContactModes, ThreeSpatialContactsAtRest) { rest_obeys_coulomb(3, 3, false, 1000); }
TEST(ContactModes, RedundantSpatialContactsAtRest) { rest_obeys_coulomb(3, 3, true, 300); }

// One contact that slides: λ = −a_N/k with k = W_NN − μW_NT s. k > 0: pressed if a_N < 0, else open. k < 0: none if
// a_N < 0, two if a_N > 0, and it opens (Painlevé).
TEST(ContactModes, SlidingContactInClosedForm) {
  std::mt19937_64 engine(3);
  int none = 0, several = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    auto data = testing::random_friction(engine, 1, 2, false, 1);
    data.mu[0] *= 3;
    auto modes = pose(data);
    modes.contacts[0].slips = true;
    modes.contacts[0].slip = {trial % 2 == 0 ? 1.0 : -1.0, 0.0};
    const double s = modes.contacts[0].slip[0], k = data.W(0, 0) - data.mu[0] * data.W(0, 1) * s, a = data.b[0];
    if (std::abs(k) < 1e-3 || std::abs(a) < 1e-3) continue;
    const auto found = modes.solve();
    if (k < 0 && a < 0) {
      ASSERT_EQ(found, ModesFound::none);
      ++none;
      continue;
    }
    ASSERT_EQ(found, k < 0 ? ModesFound::several : ModesFound::one);
    several += k < 0;
    const double lambda = k > 0 && a < 0 ? -a / k : 0;
    ASSERT_NEAR(modes.force[0], lambda, 1e-9 * (1 + lambda));
    ASSERT_NEAR(modes.force[1], -data.mu[0] * s * lambda, 1e-9 * (1 + lambda) * (1 + data.mu[0]));
    ASSERT_EQ(modes.contacts[0].mode, lambda > 0 ? ContactMode::slide : ContactMode::open);
  }
  EXPECT_GT(none, 50);
  EXPECT_GT(several, 50);
}

// Friction exactly at its limit: to stick and to begin to slide are both right, with the same accelerations.
// `breaks` prefers to slide.
TEST(ContactModes, AtTheLimitTheCallerChooses) {
  ContactModes<double> modes;
  modes.W.resize(2);
  modes.W(0, 0) = modes.W(1, 1) = 1;
  modes.W(0, 1) = modes.W(1, 0) = 0;
  modes.acceleration = {-1, 0.5};
  modes.tolerance = {1e-11, 1e-11};
  ModeContact<double> c;
  c.tangents = 1;
  c.mu = 0.5;
  modes.contacts = {c};
  EXPECT_EQ(modes.solve(), ModesFound::one);
  EXPECT_EQ(modes.contacts[0].mode, ContactMode::stick);
  modes.contacts[0].breaks = true;
  EXPECT_EQ(modes.solve(), ModesFound::one);
  EXPECT_EQ(modes.contacts[0].mode, ContactMode::slide);
  EXPECT_EQ(modes.contacts[0].slip[0], 1);
}

TEST(ContactModes, TooManyAreRefused) {
  std::mt19937_64 engine(5);
  EXPECT_EQ(pose(testing::random_friction(engine, 7, 2, false, 1)).solve(), ModesFound::too_many);
}

}  // namespace
}  // namespace ricochet::complementarity
