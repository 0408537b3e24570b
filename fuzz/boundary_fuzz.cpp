// Any bytes as the end of a scene, where its [boundary] stands: two points in space and time, or one sentence.
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzzing.hpp"
#include "ricochet/error.hpp"
#include "ricochet/scene/boundary.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ricochet;
  if (size > 20000) return 0;
  std::string text(fuzzing::ball);
  text.append(reinterpret_cast<const char*>(data), size);
  try {
    scene::Scene scene = scene::parse_scene(text, "ball.toml");
    if (scene.system.coordinates.size() > 16) return 0;  // correct, but slow
    const auto model = scene::compile(std::move(scene));
    const scene::BoundaryTable table = scene::read_boundary_table(*model);
    fuzzing::require(table.start.size() == model->n && table.end.size() == model->n);
    fuzzing::require(table.start.allFinite() && table.end.allFinite() && std::isfinite(table.t0) &&
                     std::isfinite(table.tf));
    fuzzing::require(table.points >= 1);
    if (table.points <= 3) scene::solve_boundary(*model, table);  // more are correct, but slow
  } catch (const Error& error) {
    const std::string_view sentence(error.what());
    fuzzing::require(error.kind() == ErrorKind::bad_scene);
    fuzzing::require(sentence.starts_with("ball.toml"));
    fuzzing::require(sentence.find('\n') == std::string_view::npos);
  }
  return 0;
}
