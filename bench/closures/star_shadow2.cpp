#include "closure_bench.hpp"

namespace {
const bool announced = announce<Star, closure::Shadow2>("star/shadow2");
}
