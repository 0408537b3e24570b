// The derivative that is carried along with a run is that of a run of its own, and what ends it does not end the run.
#include "ricochet/scene/derivatives.hpp"

#include <gtest/gtest.h>

#include "scene/support.hpp"

namespace ricochet::test {
namespace {

struct Told {
  std::int64_t steps = 0;
  double t = 0;
};

struct Case {
  std::string text;
  std::int64_t impacts;
};

/// A particle over a floor, and a mass that depends on where it is.
const Case cases[] = {{floor_scene("[parameters]\ne = 0.9\n[impact]\nlaw = \"newton\"\nrestitution = \"e\"\n"
                                   "[derivatives]\nwith_respect_to = [\"position\", \"velocity\", \"parameters.e\"]\n"),
                       1},
                      {"[time]\nstep = 0.01\nend = 3\n[system]\ncoordinates = [\"x\"]\n"
                       "lagrangian = \"(1 + x^2)*v_x^2/2 - x^2/2\"\nposition = [1]\nvelocity = [0]\n"
                       "[[gap]]\nname = \"wall\"\nexpression = \"x + 0.1\"\n"
                       "[derivatives]\nwith_respect_to = [\"position\", \"momentum\"]\n",
                       1}};

TEST(DerivativesOfARun, AreThoseOfARunOfTheirOwn) {
  for (const Case& c : cases) {
    const auto model = scene::compile(scene::parse_scene(c.text, "s.toml", {}));
    const auto table = scene::read_derivatives_table(*model);
    ASSERT_TRUE(table);
    const auto run = scene::simulate(std::shared_ptr<const scene::Model>(model));
    const auto followed = run->derivatives(*table);
    ASSERT_NE(followed, nullptr);
    Told told;
    run->listen(followed->guarded([&](std::int64_t step, double t) {
      ++told.steps;
      EXPECT_EQ(step, told.steps);
      told.t = t;
    }));
    scene::Sink nobody;
    run->begin(nobody);
    run->advance(1 << 20, nobody);
    followed->require_whole();
    EXPECT_EQ(told.steps, run->steps());
    EXPECT_EQ(told.t, run->t());
    EXPECT_GE(run->impacts(), c.impacts);

    const auto alone = scene::differentiate(model, *table);
    while (!alone->done()) alone->step();
    EXPECT_EQ(followed->columns(), alone->derivative());
    EXPECT_EQ(followed->labels(), alone->derivatives().labels());
    EXPECT_FALSE(followed->columns().isIdentity(0.1));
  }
}

/// With reflection the impulse of a bounded speed is sized by a search that has no derivative.
TEST(DerivativesOfARun, EndWithoutTheRun) {
  const auto model =
      scene::compile(scene::parse_scene("[time]\nstep = 0.01\nend = 3\n[system]\ncoordinates = [\"x\"]\n"
                                        "lagrangian = \"-sqrt(1 - v_x^2) - x\"\nposition = [1]\nvelocity = [0]\n"
                                        "[[gap]]\nname = \"floor\"\nexpression = \"x\"\n"
                                        "[integrator]\nrule = \"midpoint\"\nclosure = \"reflection\"\n"
                                        "[derivatives]\nwith_respect_to = [\"position\"]\n",
                                        "s.toml", {}));
  const auto run = scene::simulate(std::shared_ptr<const scene::Model>(model));
  const auto followed = run->derivatives(*scene::read_derivatives_table(*model));
  ASSERT_NE(followed, nullptr);
  std::int64_t last = 0;
  run->listen(followed->guarded([&](std::int64_t step, double) { last = step; }));
  scene::Sink nobody;
  run->begin(nobody);
  run->advance(1 << 20, nobody);
  EXPECT_TRUE(run->done());
  EXPECT_GE(run->impacts(), 1);
  EXPECT_GT(last, 0);
  EXPECT_LT(last, run->steps());
  EXPECT_THROW(followed->require_whole(), Error);
}

}  // namespace
}  // namespace ricochet::test
