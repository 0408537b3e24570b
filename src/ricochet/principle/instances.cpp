// The loop, compiled once for double; long_double/ has it once more.
#include "ricochet/principle/strong_loop.hpp"

namespace ricochet::principle {

template class StrongLoop<double>;

}  // namespace ricochet::principle
