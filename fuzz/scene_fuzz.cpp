// Any bytes as a scene: a model that can be described, or one sentence with a place.
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzzing.hpp"
#include "ricochet/error.hpp"
#include "ricochet/scene/simulation.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 100000) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    ricochet::scene::Scene scene = ricochet::scene::parse_scene(text, "fuzz.toml");
    if (scene.system.coordinates.size() > 16 || scene.gaps.size() > 64) return 0;  // correct, but slow
    const auto simulation = ricochet::scene::simulate(std::move(scene));
    // The bytes of its own checkpoint restore it.
    const std::string state = simulation->save();
    simulation->restore(state);
    fuzzing::require(simulation->save() == state);
  } catch (const ricochet::Error& error) {
    const std::string_view sentence(error.what());
    fuzzing::require(error.kind() == ricochet::ErrorKind::bad_scene);
    fuzzing::require(sentence.starts_with("fuzz.toml:"));
    fuzzing::require(sentence.find('\n') == std::string_view::npos);
  }
  return 0;
}
