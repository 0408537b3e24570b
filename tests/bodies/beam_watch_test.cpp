// What the watch over flights lets pass does not touch; what it suspects is near.
#include <gtest/gtest.h>

#include <random>

#include "ricochet/bodies/beams/obstacle.hpp"

namespace ricochet::bodies::beams {
namespace {

TEST(BeamWatch, MissesNothingAndSuspectsLittle) {
  std::mt19937 engine(11);
  std::uniform_real_distribution<double> unit(-1, 1);
  auto triple = [&](double size) {
    return Triple<double>{size * unit(engine), size * unit(engine), size * unit(engine)};
  };
  const double length = 0.01;
  int touched = 0, suspected = 0, far = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    Triple<double> n = triple(1);
    n = (1 / std::sqrt(dot(n, n))) * n;
    std::vector<Obstacle<double>> obstacles{{"plane", false, triple(1), n, 0}, {"ball", true, triple(1), {}, 0.5}};
    // Eight nodes about one of the obstacles, closer and farther than they fly in the time.
    double x[3][8], v[3][8], c[3][8];
    for (int k = 0; k < 8; ++k) {
      const auto& o = obstacles[static_cast<std::size_t>(trial) % 2];
      Triple<double> away = triple(1);
      away = (1 / std::sqrt(dot(away, away))) * away;
      const double height = 0.03 * std::pow(10.0, 2 * unit(engine));
      const Triple<double> at = o.sphere ? o.at + (o.radius + height) * away
                                         : o.at + (away - dot(away, o.normal) * o.normal) + height * o.normal;
      const Triple<double> speed = triple(2), bend = triple(50);
      x[0][k] = at.x, x[1][k] = at.y, x[2][k] = at.z;
      v[0][k] = speed.x, v[1][k] = speed.y, v[2][k] = speed.z;
      c[0][k] = bend.x, c[1][k] = bend.y, c[2][k] = bend.z;
    }
    std::vector<int> wide, single;
    const Watch<double> all{obstacles, 8, length, wide}, one{obstacles, 8, length, single};
    all(0, Triple<Twin>{load<Twin>(x[0]), load<Twin>(x[1]), load<Twin>(x[2])},
        Triple<Twin>{load<Twin>(v[0]), load<Twin>(v[1]), load<Twin>(v[2])},
        Triple<Twin>{load<Twin>(c[0]), load<Twin>(c[1]), load<Twin>(c[2])});
    for (int k = 0; k < 8; ++k)
      one(k, Triple<double>{x[0][k], x[1][k], x[2][k]}, Triple<double>{v[0][k], v[1][k], v[2][k]},
          Triple<double>{c[0][k], c[1][k], c[2][k]});
    for (int o = 0; o < 2; ++o) {
      bool any = false;
      for (int k = 0; k < 8; ++k) {
        const int gap = 8 * o + k;
        const bool seen = std::find(single.begin(), single.end(), gap) != single.end();
        const bool pack = std::find(wide.begin(), wide.end(), gap) != wide.end();
        any = any || seen;
        double low = std::numeric_limits<double>::infinity();
        for (int i = 0; i <= 64; ++i) {
          const double s = length * i / 64;
          low = std::min(low, obstacles[static_cast<std::size_t>(o)].gap({x[0][k] + s * (v[0][k] + s * c[0][k]),
                                                                          x[1][k] + s * (v[1][k] + s * c[1][k]),
                                                                          x[2][k] + s * (v[2][k] + s * c[2][k])}));
        }
        if (low <= 0) {
          ++touched;
          ASSERT_TRUE(seen && pack) << trial;
        }
        suspected += seen;
        // |v| + length |c| ≤ 3 · 2.5 in the sum of components: a flight of at most 0.075
        if (low > 0.2) {
          ++far;
          ASSERT_FALSE(seen);
        }
      }
      // a pack is suspected as a whole, exactly when one of its nodes is
      EXPECT_EQ(std::count_if(wide.begin(), wide.end(), [&](int i) { return i / 8 == o; }), any ? 8 : 0);
    }
  }
  EXPECT_GT(touched, 1000);
  EXPECT_GT(far, 1000);
  EXPECT_LT(suspected, 6 * touched);
}

}  // namespace
}  // namespace ricochet::bodies::beams
