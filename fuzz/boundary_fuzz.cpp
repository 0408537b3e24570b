// Any bytes as the end of a scene, where its [boundary] stands: two points in space and time, or one sentence.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ricochet/error.hpp"
#include "ricochet/scene/boundary.hpp"

namespace {

constexpr std::string_view ball = R"([time]
step = 0.01
end = 1
[system]
coordinates = ["x", "y"]
mass = [1, 1]
potential = "9.81*y"
position = [0, 1]
[[gap]]
name = "floor"
expression = "y"
)";

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ricochet;
  if (size > 20000) return 0;
  std::string text(ball);
  text.append(reinterpret_cast<const char*>(data), size);
  try {
    scene::Scene scene = scene::parse_scene(text, "ball.toml");
    if (scene.system.coordinates.size() > 16) return 0;  // correct, but slow
    const auto model = scene::compile(std::move(scene));
    const scene::BoundaryTable table = scene::read_boundary_table(*model);
    require(table.start.size() == model->n && table.end.size() == model->n);
    require(table.start.allFinite() && table.end.allFinite() && std::isfinite(table.t0) && std::isfinite(table.tf));
    require(table.points >= 1);
    if (table.points <= 3) scene::solve_boundary(*model, table);  // more are correct, but slow
  } catch (const Error& error) {
    const std::string_view sentence(error.what());
    require(error.kind() == ErrorKind::bad_scene);
    require(sentence.starts_with("ball.toml"));
    require(sentence.find('\n') == std::string_view::npos);
  }
  return 0;
}
