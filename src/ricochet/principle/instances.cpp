// The loops, compiled once for double; long_double/ has the strong one once more.
#include "ricochet/principle/strong_loop.hpp"
#include "ricochet/principle/weak_loop.hpp"

namespace ricochet::principle {

template class StrongLoop<double>;
template class WeakLoop<double>;

}  // namespace ricochet::principle
