// What slides in space, compiled once: a translation unit that links ricochet::contact does not compile it again.
#include "ricochet/contact/spatial_slip.hpp"
#include "ricochet/contact/spatial_slips.hpp"

namespace ricochet::contact {

template class SpatialSlip<double>;
template class SpatialSlips<double>;

}  // namespace ricochet::contact
