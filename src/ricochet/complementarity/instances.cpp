// The solvers compiled once: a translation unit that links ricochet::complementarity does not compile them again.
#include "ricochet/complementarity/contact_modes.hpp"
#include "ricochet/complementarity/friction.hpp"
#include "ricochet/complementarity/modes_soon.hpp"
#include "ricochet/complementarity/nonnegative.hpp"

namespace ricochet::complementarity {

template class NonnegativeSolver<double, small_size>;
template class NonnegativeSolver<double, any_size>;

template class FrictionSolver<double, 2>;
template class FrictionSolver<double, 3>;

template class ModesSoon<double>;
template class ContactModes<double>;

}  // namespace ricochet::complementarity
