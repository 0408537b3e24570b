#include "closure_bench.hpp"

namespace {
const bool announced = announce<Star, closure::Shadow4>("star/shadow4");
}
