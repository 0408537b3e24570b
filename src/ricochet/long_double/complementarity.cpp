// The solvers of complementarity problems in long double.
#include "ricochet/complementarity/contact_modes.hpp"
#include "ricochet/complementarity/friction.hpp"
#include "ricochet/complementarity/modes_soon.hpp"
#include "ricochet/complementarity/nonnegative.hpp"

namespace ricochet::complementarity {

template class NonnegativeSolver<long double, small_size>;
template class NonnegativeSolver<long double, any_size>;
template class FrictionSolver<long double, 2>;
template class FrictionSolver<long double, 3>;
template class ModesSoon<long double>;
template class ContactModes<long double>;

}  // namespace ricochet::complementarity
