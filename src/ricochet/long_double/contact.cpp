// What slides in space, in long double.
#include "ricochet/contact/spatial_slip.hpp"
#include "ricochet/contact/spatial_slips.hpp"

namespace ricochet::contact {

template class SpatialSlip<long double>;
template class SpatialSlips<long double>;

}  // namespace ricochet::contact
