// Numbers in sentences: six digits, and never hundreds of zeros.
#pragma once

#include <cstdio>
#include <string>

namespace ricochet::numerics {

/// As %g writes it.
inline std::string six_digits(double x) {
  char text[32];
  return {text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "%g", x))};
}

}  // namespace ricochet::numerics
