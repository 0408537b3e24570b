// Any bytes as overrides, one per line, of a scene that is right: another scene, or one sentence that names its place.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzzing.hpp"
#include "ricochet/error.hpp"
#include "ricochet/scene/scene.hpp"

namespace {

constexpr const char* text = R"(title = "ball"
[time]
step = 0.01
end = 1
[parameters]
g = 9.81
[system]
coordinates = ["x", "y"]
mass = [1, 1]
potential = "g*y"
position = [0, 1]
velocity = [1, 0]
[[gap]]
name = "floor"
expression = "y"
[integrator]
rule = "midpoint"
)";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 20000) return 0;
  std::string_view left(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> overrides;
  while (!left.empty()) {
    const std::string_view line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(line.size() + 1, left.size()));
    overrides.emplace_back(line);
  }
  try {
    const ricochet::scene::Scene scene = ricochet::scene::parse_scene(text, "ball.toml", overrides);
    fuzzing::require(scene.overrides == overrides && scene.text == text);
  } catch (const ricochet::Error& error) {
    const std::string_view sentence(error.what());
    fuzzing::require(error.kind() == ricochet::ErrorKind::bad_scene);
    fuzzing::require(sentence.starts_with("ball.toml") || sentence.starts_with("--set "));
    fuzzing::require(sentence.find('\n') == std::string_view::npos);
  }
  return 0;
}
