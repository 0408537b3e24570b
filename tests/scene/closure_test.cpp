// Closures through the front door: by name, with an order, by what the model allows, and refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "scene/support.hpp"

namespace ricochet {
namespace {

using test::floor_scene;
using test::refusal;

std::unique_ptr<scene::Simulation> table(const std::vector<std::string>& overrides) {
  return scene::simulate(scene::load_scene(RICOCHET_SOURCE_DIR "/scenes/table.toml", overrides));
}
std::string closure_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return scene::simulate(scene::parse_scene(text, "s.toml", overrides))->closure();
}

/// What a run of the table does to the energy it should keep, relative to H at the start.
struct ShadowSink : scene::Sink {
  const scene::Simulation* run = nullptr;
  double first = 0, worst = 0;
  bool started = false;
  void sample(const scene::Sample& s, scene::Series) override {
    const double shadow = run->shadow_energy(s.q, s.p);
    if (!started) first = shadow, started = true;
    worst = std::max(worst, std::abs(shadow / first - 1));
  }
};
double walk(const std::string& closure, const std::string& order = "") {
  std::vector<std::string> set = {"time.step=0.05", "time.end=1e9", "time.impacts=60", "record.every=1",
                                  "integrator.closure=" + closure};
  if (!order.empty()) set.push_back("integrator.order=" + order);
  auto run = table(set);
  EXPECT_EQ(run->closure(), closure);
  ShadowSink sink;
  sink.run = run.get();
  run->begin(sink);
  run->advance(std::numeric_limits<std::int64_t>::max(), sink);
  EXPECT_EQ(run->impacts(), 60);
  return sink.worst;
}

TEST(SceneClosures, EachByItsNameKeepsWhatItPromises) {
  // 60 kicks of the RMS size the prototype measured (docs/shadow.md) walk to about √60 = 8 of them; four times that is
  // allowed, a quarter of one kick is the least, and the closures lie decades apart.
  const std::pair<const char*, double> expected[] = {
      {"variational", 5.9e-4}, {"reflection", 1.4e-4}, {"shadow2", 4.6e-7}, {"shadow4", 1.3e-9}};
  for (const auto& [name, kick] : expected) {
    const double found = walk(name);
    EXPECT_LT(found, 32 * kick) << name;
    EXPECT_GT(found, kick / 4) << name;
  }
}

TEST(SceneClosures, InterpolatedOfEveryOrder) {
  double last = 1;
  for (const char* order : {"4", "6", "8", "10"}) {
    const double found = walk("interpolated", order);
    EXPECT_LT(found, last / 3) << order;
    last = found;
  }
  EXPECT_LT(last, 1e-8);  // the walk of shadow4, which is of order 6
}

TEST(SceneClosures, AutoIsTheDefaultAndSaysWhatItBecame) {
  EXPECT_EQ(closure_of(floor_scene()), "shadow4");
  EXPECT_EQ(closure_of(floor_scene("[integrator]\nclosure = \"auto\"\n")), "shadow4");
  EXPECT_EQ(closure_of(floor_scene("[integrator]\nrule = \"midpoint\"\n")), "interpolated");
  EXPECT_EQ(closure_of(floor_scene("[[force]]\nname = \"drag\"\ncomponents = [\"-v_x\", 0]\n")), "reflection");
  EXPECT_EQ(closure_of(floor_scene("[impact]\nlaw = \"newton\"\nrestitution = 0.9\n")), "reflection");
  EXPECT_EQ(closure_of(floor_scene(), {"system.potential=9.81*y*(1 + 0.1*sin(t))"}), "variational");
  std::string lagrangian = floor_scene();
  const std::string separable = "mass = [1, 1]\npotential = \"9.81*y\"";
  lagrangian.replace(lagrangian.find(separable), separable.size(),
                     "lagrangian = \"(v_x^2 + (1 + x^2)*v_y^2)/2 - 9.81*y\"");
  EXPECT_EQ(closure_of(lagrangian), "interpolated");
}

TEST(SceneClosures, RefusedWithTheirPlace) {
  EXPECT_EQ(refusal(floor_scene("[integrator]\nrule = \"midpoint\"\nclosure = \"shadow4\"\n")),
            "s.toml:15:11: the closure shadow4 needs the trapezoid rule, not midpoint; interpolated takes any rule");
  EXPECT_EQ(refusal(floor_scene("[integrator]\nclosure = \"interpolated\"\norder = 5\n")),
            "s.toml:15:9: the closure interpolated has order 4, 6, 8 or 10, not 5");
  const std::string unknown = refusal(floor_scene("[integrator]\nclosure = \"shadow3\"\n"));
  EXPECT_NE(unknown.find("s.toml:14:"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("shadow2"), std::string::npos) << unknown;
}

}  // namespace
}  // namespace ricochet
