// Tapes in long double.
#include "ricochet/expression/tape.hpp"

namespace ricochet::expression {
RICOCHET_EXPRESSION_INSTANCES(, long double);
}  // namespace ricochet::expression
