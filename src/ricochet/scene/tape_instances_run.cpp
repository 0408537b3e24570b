#include "ricochet/scene/tape_instances.hpp"

namespace ricochet::expression {
RICOCHET_TAPES_OF_RUNS();
}  // namespace ricochet::expression
