// A run that is asked for derivatives before its first step flies once.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "ricochet/app/derivatives.hpp"
#include "ricochet/record/files.hpp"
#include "ricochet/record/summary.hpp"
#include "scene/support.hpp"

namespace ricochet::test {
namespace {

/// A folder with a summary in it, as a finished run leaves one.
struct Folder {
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "ricochet-XXXXXX";
    path = mkdtemp(name.data());
    record::Summary summary;
    summary.status = "finished";
    record::replace_file(path / "summary.json", record::to_json(summary), false);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  bool has_derivatives() const { return std::filesystem::exists(path / "derivatives.h5"); }
  std::filesystem::path path;
};

/// One step is asked whether to stop wherever a run is flown for its derivatives alone.
long long steps_flown_by(app::DerivativesOfRun& derivatives, const Folder& folder) {
  long long flown = 0;
  EXPECT_TRUE(derivatives.leave(folder.path, true, [&] { return ++flown, false; }));
  EXPECT_TRUE(folder.has_derivatives());
  return flown;
}

TEST(DerivativesOfAProgram, FollowTheRunAndFlyNoOther) {
  const std::string text = floor_scene("[derivatives]\nwith_respect_to = [\"position\", \"velocity\"]\n");
  const auto run = scene::simulate(scene::parse_scene(text, "s.toml", {}));
  app::DerivativesOfRun derivatives(*run);
  ASSERT_TRUE(derivatives.asked());
  scene::Sink nobody;
  run->begin(nobody);
  run->advance(1 << 20, nobody);
  ASSERT_TRUE(run->done());
  EXPECT_EQ(run->steps(), 100);
  const Folder folder;
  EXPECT_EQ(steps_flown_by(derivatives, folder), 0);
}
TEST(DerivativesOfAProgram, OfAFinishedRunTakeAnotherFlight) {
  const std::string text = floor_scene("[derivatives]\nwith_respect_to = [\"position\", \"velocity\"]\n");
  app::DerivativesOfRun derivatives(scene::compile(scene::parse_scene(text, "s.toml", {})));
  const Folder folder;
  EXPECT_EQ(steps_flown_by(derivatives, folder), 100);
}

}  // namespace
}  // namespace ricochet::test
