#include "ricochet/scene/tape_instances.hpp"

namespace ricochet::expression {
RICOCHET_TAPES_OF_TANGENTS();
}  // namespace ricochet::expression
