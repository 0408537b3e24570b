// The impact laws in long double.
#include "ricochet/mechanics/law.hpp"
#include "ricochet/mechanics/law_friction.hpp"

namespace ricochet::mechanics {

template class Law<long double>;
template class FrictionLaw<long double>;

}  // namespace ricochet::mechanics
