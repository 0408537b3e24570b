// The schemes of the grid for bars.
#pragma once

#include "ricochet/bodies/bars/elastic.hpp"
#include "ricochet/principle/grid/massless_tips.hpp"
#include "ricochet/principle/grid/virtual_tip.hpp"

namespace ricochet::test {

template <class Real>
using MasslessTips = principle::grid::MasslessTips<bodies::ElasticBars<Real>>;
template <class Real>
using VirtualTip = principle::grid::VirtualTip<bodies::ElasticBars<Real>>;

}  // namespace ricochet::test
