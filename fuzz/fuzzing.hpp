// What the fuzzers share: how they complain, and a scene to begin from.
#pragma once

#include <cstdlib>
#include <string_view>

namespace fuzzing {

inline void require(bool condition) {
  if (!condition) std::abort();
}

/// A ball above a floor.
inline constexpr std::string_view ball = R"([time]
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

}  // namespace fuzzing
