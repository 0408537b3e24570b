#include "closure_bench.hpp"

namespace {
const bool announced = announce<Star, impact::Shadow2>("star/shadow2");
}
