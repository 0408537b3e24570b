#include "ricochet/report/decimate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "ricochet/report/encode.hpp"

using namespace ricochet::report;

namespace {

struct Input {
  std::vector<double> t, a, b;
};

Input noise(std::size_t rows) {
  std::mt19937 generator(7);
  std::normal_distribution<double> normal;
  Input in;
  for (std::size_t i = 0; i < rows; ++i) {
    in.t.push_back(0.25 * static_cast<double>(i));
    in.a.push_back(normal(generator));
    in.b.push_back(-static_cast<double>(i));
  }
  return in;
}

Decimator decimated(const Input& in, std::size_t points) {
  Decimator decimator(2, in.t.size(), points);
  for (std::size_t i = 0; i < in.t.size(); ++i) {
    const double row[] = {in.a[i], in.b[i]};
    decimator.add(in.t[i], row);
  }
  decimator.finish();
  return decimator;
}

}  // namespace

TEST(Decimate, KeepsTheExtremesOfEveryBucket) {
  for (const std::size_t rows : {std::size_t{1001}, std::size_t{5000}, std::size_t{99'999}}) {
    const Input in = noise(rows);
    const Decimator out = decimated(in, 400);
    ASSERT_TRUE(out.decimated());
    EXPECT_LE(out.t().size(), 401U);
    EXPECT_TRUE(std::is_sorted(out.t().begin(), out.t().end()));
    EXPECT_EQ(out.t().front(), in.t.front());
    EXPECT_EQ(out.t().back(), in.t.back());
    const std::size_t bucket = out.bucket_rows();
    for (std::size_t first = 0, k = 0; first + 1 < rows; first += bucket, k += 2) {
      const std::size_t end = std::min(first + bucket, rows);
      const auto [low, high] = std::minmax_element(in.a.begin() + static_cast<std::ptrdiff_t>(first),
                                                   in.a.begin() + static_cast<std::ptrdiff_t>(end));
      const double one = out.series(0)[k], two = out.series(0)[k + 1];
      EXPECT_EQ(std::min(one, two), *low);
      EXPECT_EQ(std::max(one, two), *high);
      EXPECT_EQ(one == *low, low < high);                 // in the order of time
      EXPECT_GT(out.series(1)[k], out.series(1)[k + 1]);  // falling stays falling
    }
  }
}

TEST(Decimate, LeavesShortSeriesAlone) {
  const Input in = noise(300);
  const Decimator out = decimated(in, 400);
  EXPECT_FALSE(out.decimated());
  EXPECT_EQ(out.t(), in.t);
  EXPECT_EQ(out.series(0), in.a);
  EXPECT_EQ(out.series(1), in.b);
}

TEST(Decimate, NanDoesNotHideItsNeighbours) {
  Input in = noise(1000);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < in.a.size(); i += 2) in.a[i] = nan;
  in.a[501] = 1e9;
  const Decimator out = decimated(in, 100);
  EXPECT_TRUE(std::none_of(out.series(0).begin(), out.series(0).end() - 1, [](double x) { return std::isnan(x); }));
  EXPECT_EQ(std::count(out.series(0).begin(), out.series(0).end(), 1e9), 1);
}

TEST(Encode, Base64OfTheStandard) {  // RFC 4648, section 10
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(Encode, NumbersAreLittleEndian) {
  const double one[] = {1.0};
  EXPECT_EQ(doubles(one)["f64"], base64(std::string("\0\0\0\0\0\0\xf0\x3f", 8)));
  const double large[] = {1e6 + 0.5};
  const Json json = floats(large, 1e6);
  EXPECT_EQ(json["offset"], 1e6);
  EXPECT_EQ(json["f32"], base64(std::string("\0\0\0\x3f", 4)));  // 0.5
}

TEST(Encode, NothingEndsTheScriptElement) {
  const Json json{{"scene", "</script><!-- \xff"}};
  const std::string text = script_text(json);
  EXPECT_EQ(text.find('<'), text.npos);
  EXPECT_EQ(Json::parse(text)["scene"].get<std::string>().substr(0, 14), "</script><!-- ");
}
