// Every kind of body that scenes can have, one line each.
#include "ricochet/scene/kind.hpp"

namespace ricochet::scene {

extern const Kind &beams_kind, &bars_kind, &coordinates_kind;

std::span<const Kind* const> kinds() {
  static const Kind* const all[] = {
      &beams_kind,
      &bars_kind,
      &coordinates_kind,
  };
  return all;
}

}  // namespace ricochet::scene
