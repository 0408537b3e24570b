// The impact laws in long double, for those who check digits: quick to compile, not to run (CMakeLists.txt).
#include "ricochet/mechanics/law.hpp"
#include "ricochet/mechanics/law_friction.hpp"

namespace ricochet::mechanics {

template class Law<long double>;
template class FrictionLaw<long double>;

}  // namespace ricochet::mechanics
