// The impact laws compiled once: a translation unit that links ricochet::mechanics does not compile them again.
#include "ricochet/mechanics/law.hpp"
#include "ricochet/mechanics/law_friction.hpp"

namespace ricochet::mechanics {

template class Law<double>;
template class FrictionLaw<double>;

}  // namespace ricochet::mechanics
