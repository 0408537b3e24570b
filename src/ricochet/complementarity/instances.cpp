// The solvers compiled once: a translation unit that links ricochet::complementarity does not compile them again.
#include "ricochet/complementarity/friction.hpp"

namespace ricochet::complementarity {

template class FrictionSolver<double, 2>;
template class FrictionSolver<double, 3>;
template class FrictionSolver<long double, 2>;
template class FrictionSolver<long double, 3>;

}  // namespace ricochet::complementarity
