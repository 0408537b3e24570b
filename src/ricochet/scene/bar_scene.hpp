// Bars as a scene file describes them: [[bar]], [[wall]], [contact]. Read and checked for its form; expressions are
// still text.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "ricochet/scene/kind.hpp"
#include "ricochet/scene/scene.hpp"

namespace ricochet::scene {

struct BarTable {
  std::string name;
  Expression length, elements, mass;
  std::optional<Expression> modulus, energy;  ///< one of them
  Expression position, velocity;
  std::array<bool, 2> fixed{false, false};
  Place place;
};

struct WallTable {
  std::string name;
  Expression position;
};

enum class ContactScheme { redistributed, located, virtual_tip };
constexpr const char* name(ContactScheme scheme) {
  return scheme == ContactScheme::redistributed ? "redistributed"
         : scheme == ContactScheme::located     ? "located"
                                                : "virtual-tip";
}

struct BarScene : KindData {
  std::vector<BarTable> bars;
  std::vector<WallTable> walls;
  ContactScheme scheme = ContactScheme::redistributed;
  int threads = 1;
  std::optional<std::int64_t> fields_every;  ///< steps between two recorded fields; 0: none
};

inline const BarScene& bars_of(const Scene& scene) { return static_cast<const BarScene&>(*scene.part); }

/// Reads what a scene of bars has beside [time] and [parameters].
void read_bars(TableReader& root, Scene& scene);

}  // namespace ricochet::scene
