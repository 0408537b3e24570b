// The loop of the strong principle in long double.
#include "ricochet/principle/strong_loop.hpp"

namespace ricochet::principle {

template class StrongLoop<long double>;

}  // namespace ricochet::principle
