// The spin of a node from its momentum: as many sweeps as the table says leave nothing but rounding.
#include <gtest/gtest.h>

#include <random>

#include "ricochet/bodies/beams/spin.hpp"

namespace ricochet::bodies::beams {
namespace {

using Wide = long double;

/// Sections of plane figures: the third inertia is the sum of the others.
const Triple<double> sections[] = {{1, 1, 2}, {0.0016, 0.0025, 0.0041}, {25, 1, 26}, {1, 1e4, 10001}, {2, 3, 4}};

class Draws {
 public:
  double operator()(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }

 private:
  std::mt19937 engine_{7};
};

/// μ of a known ω, in long double: Jω + aω×Jω + a²(ω·Jω)ω.
Triple<Wide> momentum_of(const Triple<Wide>& w, const Triple<double>& J, Wide a) {
  const Triple<Wide> Jw{J.x * w.x, J.y * w.y, J.z * w.z};
  return Jw + a * cross(w, Jw) + (a * a * dot(w, Jw)) * w;
}
double largest(const Triple<Wide>& a) {
  return static_cast<double>(std::max({std::abs(a.x), std::abs(a.y), std::abs(a.z)}));
}

TEST(BeamSpin, SweepsEndAtRounding) {
  Draws draw;
  for (const auto& J : sections) {
    const auto g = gyration_of(J);
    for (std::size_t k = 1; k < g.reach.size(); ++k) {
      ASSERT_GT(g.reach[k], g.reach[k - 1]);
      double worst = 0;
      for (int trial = 0; trial < 400; ++trial) {
        const double a = std::pow(10, draw(-6, 0));
        // Between the reaches of k and k + 1 sweeps: one less would not do.
        const double size = draw(g.reach[k - 1], g.reach[k]) * 0.9 / a;
        const Triple<Wide> exact{size * draw(-1, 1), size * draw(-1, 1), size * draw(-1, 1)};
        const Triple<Wide> mu = momentum_of(exact, J, a);
        const Triple<double> n{static_cast<double>(mu.x / J.x), static_cast<double>(mu.y / J.y),
                               static_cast<double>(mu.z / J.z)};
        Triple<double> w;
        ASSERT_TRUE(spin_by_sweeps(n, g, a, w));
        const Triple<Wide> error{w.x - exact.x, w.y - exact.y, w.z - exact.z};
        worst = std::max(worst, largest(error) / largest(exact));
      }
      EXPECT_LE(worst, 4 * std::numeric_limits<double>::epsilon()) << J.x << " " << J.y << ", sweeps " << k + 1;
    }
  }
}

TEST(BeamSpin, PacksAreTheirNodes) {
  Draws draw;
  const auto g = gyration_of(sections[1]);
  for (int trial = 0; trial < 1000; ++trial) {
    double n[3][8];
    const double size = g.reach[static_cast<std::size_t>(trial) % g.reach.size()];
    for (auto& row : n)
      for (double& x : row) x = size * draw(-1, 1);
    const Triple<Twin> all{load<Twin>(n[0]), load<Twin>(n[1]), load<Twin>(n[2])};
    Triple<Twin> w;
    ASSERT_TRUE(spin_by_sweeps(all, g, 1.0, w));
    double out[3][8];
    store(out[0], w.x), store(out[1], w.y), store(out[2], w.z);
    for (int lane = 0; lane < 8; ++lane) {
      Triple<double> one;
      ASSERT_TRUE(spin_by_sweeps<double>({n[0][lane], n[1][lane], n[2][lane]}, g, 1.0, one));
      // A lane may be swept more often than it needs, for the sake of its neighbours.
      EXPECT_NEAR(out[0][lane], one.x, 2e-16 * size);
      EXPECT_NEAR(out[1][lane], one.y, 2e-16 * size);
      EXPECT_NEAR(out[2][lane], one.z, 2e-16 * size);
    }
  }
}

TEST(BeamSpin, FurtherTurnsAreLeftToOthers) {
  Draws draw;
  for (const auto& J : sections) {
    const auto g = gyration_of(J);
    Triple<double> w, gamma;
    EXPECT_FALSE(spin_by_sweeps<double>({1.01 * g.reach.back(), 0, 0}, g, 1.0, w));
    // Six degrees in a step; less for a strip of 1 : 100, whose a²ω·Jω/J₁ would be a hundred.
    const double size = J.y > 1e3 ? 0.01 : 0.1;
    for (int trial = 0; trial < 200; ++trial) {
      const Triple<Wide> exact{draw(-size, size), draw(-size, size), draw(-size, size)};
      const Triple<Wide> mu = momentum_of(exact, J, 1);
      const Triple<double> m{static_cast<double>(mu.x), static_cast<double>(mu.y), static_cast<double>(mu.z)};
      if (!spin_by_contraction(m, g, 1.0, w)) {
        ASSERT_TRUE(spin_by_newton<double>(m, {0, 0, 0}, g, 0, 1.0, w, gamma));
      }
      const Triple<Wide> Jerror{J.x * (w.x - exact.x), J.y * (w.y - exact.y), J.z * (w.z - exact.z)};
      // in the momentum: that of a strip is blind to the spin about its thin axis
      EXPECT_LE(largest(Jerror), 1e-14 * largest(mu)) << J.x << " " << J.y;
    }
  }
}

}  // namespace
}  // namespace ricochet::bodies::beams
