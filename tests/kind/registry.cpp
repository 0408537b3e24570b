// The list of kinds with one line more, in place of the program's own.
#include "ricochet/scene/kind.hpp"

namespace ricochet::scene {

extern const Kind &rotor_kind, &coordinates_kind;

std::span<const Kind* const> kinds() {
  static const Kind* const all[] = {
      &rotor_kind,
      &coordinates_kind,
  };
  return all;
}

}  // namespace ricochet::scene
