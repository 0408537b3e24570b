#include "ricochet/report/stage.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ricochet/error.hpp"
#include "ricochet/report/boundary.hpp"

using namespace ricochet;
using namespace ricochet::report;

namespace {

scene::Scene scene_with(const std::string& rest, const std::string& coordinates = R"("x", "y", "theta")", int n = 3) {
  std::string ones, start;
  for (int i = 0; i < n; ++i) ones += "1,", start += i == 1 ? "2," : "0,";
  return scene::parse_scene("[time]\nstep = 0.01\nend = 1\n[parameters]\nL = 2\n[system]\ncoordinates = [" +
                                coordinates + "]\nmass = [" + ones + "]\nposition = [" + start + "]\n" + rest,
                            "test.toml");
}
const std::array<double, 4> box{-1, -1, 1, 1};

}  // namespace

TEST(Stage, TurnsAPolygonWithItsBody) {
  const Stage stage(scene_with(R"toml([[shape]]
type = "polygon"
position = ["x", "y"]
angle = "theta"
vertices = [["L/2", 0], [0, 1], [-1, 0]]
)toml"));
  ASSERT_EQ(stage.channels(), 3U);  // the vertices are fixed
  EXPECT_FALSE(stage.guessed());
  const double q[] = {3, 4, std::acos(-1.0) / 2};
  std::vector<double> channels(3);
  stage.evaluate(q, 0, channels);
  const auto points = stage.points(channels);
  ASSERT_EQ(points.size(), 3U);
  EXPECT_NEAR(points[0].x[0], 3, 1e-15);
  EXPECT_NEAR(points[0].x[1], 5, 1e-15);
  EXPECT_NEAR(points[1].x[0], 2, 1e-15);
  EXPECT_NEAR(points[1].x[1], 4, 1e-15);
}

TEST(Stage, SharesChannelsAndKeepsNumbers) {
  const Stage stage(scene_with(R"toml([[shape]]
type = "segment"
from = [0, 0]
to = ["L*sin(theta)", "-L*cos(theta)"]
[[shape]]
type = "circle"
position = ["L*sin(theta)", "-L*cos(theta)"]
radius = "L/4"
)toml"));
  EXPECT_EQ(stage.channels(), 2U);
  EXPECT_EQ(stage.shapes()[1].radius->value, 0.5);
  EXPECT_EQ(stage.shapes()[1].radius->channel, -1);
}

TEST(Stage, GuessesOnlyWhatNamesSay) {
  const auto guess = [](const std::vector<std::string>& names) {
    const Stage stage(names);
    return stage.empty() ? std::string() : stage.shapes()[0].type;
  };
  EXPECT_EQ(guess({"x", "y"}), "point");
  EXPECT_EQ(guess({"x", "y", "theta"}), "body");
  EXPECT_EQ(guess({"s"}), "point");
  EXPECT_EQ(guess({"a", "b"}), "");  // two angles or two masses: nobody knows
  EXPECT_EQ(Stage(std::vector<std::string>{"x", "y", "z"}).dimension(), 3);
}

TEST(Stage, SaysWhereABadExpressionIs) {
  try {
    check_shapes(scene_with("[[shape]]\ntype = \"point\"\nposition = [\"x\", \"yy\"]\n"));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_scene);
    EXPECT_EQ(std::string(error.what()).rfind("test.toml:12:19: ", 0), 0U) << error.what();
  }
}

TEST(Boundary, AFloorUnderCornersIsOneWall) {
  const auto scene = scene_with(R"toml([[gap]]
name = "a"
expression = "y + L/2*sin(theta)"
[[gap]]
name = "b"
expression = "2*(y + cos(theta))"
[[shape]]
type = "polygon"
position = ["x", "y"]
angle = "theta"
vertices = [["L/2", 0], [0, 1], [-1, 0]]
)toml");
  const auto model = scene::compile(scene);
  const Boundary result = boundary(Stage(scene), *model, box);
  ASSERT_EQ(result.walls.size(), 1U);  // both say: this corner is above y = 0
  EXPECT_EQ(result.walls[0].gap, "a, b");
  EXPECT_NEAR(result.walls[0].n[0], 0, 1e-12);
  EXPECT_NEAR(result.walls[0].n[1], 1, 1e-12);
  EXPECT_NEAR(result.walls[0].c, 0, 1e-12);
  EXPECT_FALSE(result.grid);
}

TEST(Boundary, ABallStandsOffItsWallByItsRadius) {
  const auto scene = scene_with(R"toml([[gap]]
name = "right"
expression = "3 - 0.25 - x"
[[shape]]
type = "circle"
position = ["x", "y"]
radius = 0.25
)toml",
                                R"("x", "y")", 2);
  const Boundary result = boundary(Stage(scene), *scene::compile(scene), box);
  ASSERT_EQ(result.walls.size(), 1U);
  EXPECT_NEAR(result.walls[0].n[0], -1, 1e-12);
  EXPECT_NEAR(result.walls[0].c, 3, 1e-12);  // 3 − x ≥ 0
}

TEST(Boundary, ACurvedTableIsAGrid) {
  const auto scene = scene_with("[[gap]]\nname = \"rim\"\nexpression = \"9 - x^2 - y^2\"\n", R"("x", "y")", 2);
  const Boundary result = boundary(Stage(scene), *scene::compile(scene), {-3, -3, 3, 3});
  EXPECT_TRUE(result.walls.empty());
  ASSERT_TRUE(result.grid);
  const GapGrid& grid = *result.grid;
  ASSERT_EQ(grid.values.size(), grid.rows * grid.columns);
  EXPECT_LT(grid.box[0], -3);
  EXPECT_GT(grid.box[3], 3);
  for (std::size_t j = 0; j < grid.rows; j += 20)
    for (std::size_t i = 0; i < grid.columns; i += 20) {
      const double x =
          grid.box[0] + (grid.box[2] - grid.box[0]) * static_cast<double>(i) / static_cast<double>(grid.columns - 1);
      const double y =
          grid.box[1] + (grid.box[3] - grid.box[1]) * static_cast<double>(j) / static_cast<double>(grid.rows - 1);
      EXPECT_NEAR(grid.values[j * grid.columns + i], 9 - x * x - y * y, 1e-12);
    }
}

TEST(Boundary, WhatCannotBeDrawnIsNamed) {
  const auto scene = scene_with("[[gap]]\nname = \"stop\"\nexpression = \"1 - theta^2\"\n");
  const Boundary result = boundary(Stage(scene), *scene::compile(scene), box);
  EXPECT_EQ(result.hidden, std::vector<std::string>{"stop"});
}

// φ/3 = 4 + sin(2t)/5 − y is the distance from a wall at y = 4 + sin(2t)/5: n = (0, −1, 0), c(t) = 4 + sin(2t)/5.
TEST(Boundary, AWallThatMovesAlongItsNormalIsFollowed) {
  const auto scene = scene_with(
      "[[gap]]\nname = \"lid\"\nexpression = \"3*(4 + 0.2*sin(2*t) - y)\"\n"
      "[[gap]]\nname = \"door\"\nexpression = \"5 + x*cos(t) + y*sin(t)\"\n");
  const Stage stage(scene);
  const auto model = scene::compile(scene);
  const Boundary result = boundary(stage, *model, box);
  ASSERT_EQ(result.walls.size(), 1u);
  EXPECT_TRUE(result.walls[0].moving);
  EXPECT_NEAR(result.walls[0].n[1], -1, 1e-12);
  for (const double t : {0.0, 0.3, 1.9, 40.0})
    EXPECT_NEAR(offset_at(stage, *model, result.walls[0], t), 4 + 0.2 * std::sin(2 * t), 1e-12);
  EXPECT_EQ(result.hidden, std::vector<std::string>{"door"});  // it turns
}
