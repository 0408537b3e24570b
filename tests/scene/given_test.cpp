// Functions of numbers that a program gives in the place of expressions, and the texts that only name them.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "scene/support.hpp"

namespace ricochet {
namespace {

using scene::Given;
using test::refusal;

/// x ↦ a + b·x + c·x², in one variable.
class Parabola final : public scene::NumericFunction {
 public:
  Parabola(double a, double b, double c, std::optional<double> bound) : a_(a), b_(b), c_(c), bound_(bound) {}
  using scene::NumericFunction::value;
  int variables() const override { return 1; }
  bool has_hessian() const override { return true; }
  std::optional<double> curvature() const override { return bound_; }
  void value(const double* x, double* out) const override { *out = a_ + (b_ + c_ * *x) * *x; }
  void gradient(const double* x, double* out) const override { *out = b_ + 2 * c_ * *x; }
  void hessian(const double*, double* out) const override { *out = 2 * c_; }
  std::string not_finite() const override { return {}; }

 private:
  double a_, b_, c_;
  std::optional<double> bound_;
};

constexpr const char* fall = R"([time]
step = 0.01
impacts = 3
[system]
coordinates = ["y"]
mass = [1]
potential = {given = "potential"}
position = [1]
[[gap]]
name = "floor"
expression = {given = "gap 'floor'"}
)";

/// A fall of 1 under g onto y = 0, with both functions given: 1, 3, 5 times √(2/g) are the impacts.
scene::Scene fall_of_functions(std::optional<double> bound) {
  scene::Value document = scene::parse_document(fall, "fall.toml");
  const auto put = [&](const char* table, const char* key, Given given) {
    auto& root = std::get<scene::Table>(document.data);
    for (auto& entry : root) {
      if (entry.key != table) continue;
      auto* list = std::get_if<scene::Array>(&entry.value.data);
      auto& at = std::get<scene::Table>((list != nullptr ? list->front() : entry.value).data);
      for (auto& inner : at)
        if (inner.key == key) inner.value.data = std::move(given);
    }
  };
  put("system", "potential", {"potential", false, std::make_shared<const Parabola>(0, 9.81, 0, bound)});
  // y + y²/10 closes where y does.
  put("gap", "expression", {"gap 'floor'", false, std::make_shared<const Parabola>(0, 1, 0.1, bound)});
  return scene::read_scene(std::move(document), "fall.toml", fall, {});
}

struct GivenTimes final : scene::Sink {
  std::vector<double> t;
  void impact(const motion::ImpactView& e) override { t.push_back(e.t); }
};

TEST(GivenFunctions, MoveAsTheirClosedForm) {
  for (const char* principle : {"strong", "weak"}) {
    auto scene = fall_of_functions(std::nullopt);
    scene.integrator.principle = principle;
    const auto simulation = scene::simulate(std::move(scene));
    GivenTimes times;
    simulation->begin(times);
    while (!simulation->done()) simulation->advance(100, times);
    ASSERT_EQ(times.t.size(), 3u);
    // The weak principle finds a contact at the step in whose middle it is closed.
    const double accuracy = *principle == 's' ? 1e-10 : 0.06;
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(times.t[static_cast<std::size_t>(k)], (2 * k + 1) * std::sqrt(2 / 9.81), accuracy) << principle;
  }
}

TEST(GivenFunctions, MeasuredBoundsAreCounted) {
  const auto sampled = [](std::optional<double> bound) {
    const auto simulation = scene::simulate(fall_of_functions(bound));
    scene::Sink sink;
    simulation->begin(sink);
    simulation->advance(20, sink);
    const auto list = simulation->report().fallbacks;
    EXPECT_EQ(list.back().first, "sampled");
    return list.back().second;
  };
  EXPECT_GE(sampled(std::nullopt), 20);
  EXPECT_EQ(sampled(0.2), 0);
}

TEST(GivenFunctions, OfATextHaveNamesAlone) {
  const auto model = scene::compile(scene::parse_scene(fall, "fall.toml"));
  ASSERT_EQ(model->given.size(), 2u);
  EXPECT_EQ(model->given[1].name, "gap 'floor'");
  EXPECT_EQ(model->gaps.outputs(), 1);
  ASSERT_NE(model->gaps.given(0), nullptr);
  EXPECT_FALSE(model->gaps.is_constant(0));
  EXPECT_EQ(refusal(fall),
            "s.toml:7:13: potential was given as a function in Python, and this text only names it: run it there");
}

TEST(GivenFunctions, StandNowhereElse) {
  const std::string text = fall;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return refusal(changed);
  };
  EXPECT_EQ(with("mass = [1]", "mass = [{given = 'm'}]"),
            "s.toml:6:9: mass[0] must be a number or an expression, not a table");
  EXPECT_EQ(with("{given = \"potential\"}", "{given = \"potential\", time = true}"),
            "s.toml:7:35: unknown key 'time' in potential of [system]; did you mean 'timed'?");
  EXPECT_EQ(with("{given = \"potential\"}", "{given = 3}"),
            "s.toml:7:22: given of potential of [system] must be a string, not an integer");
}

}  // namespace
}  // namespace ricochet
