// The loop, compiled once for double and once for long double.
#undef RICOCHET_COMPILED_LOOP
#include "ricochet/principle/strong_loop.hpp"

namespace ricochet::principle {

template class StrongLoop<double>;
template class StrongLoop<long double>;

}  // namespace ricochet::principle
