#include "closure_bench.hpp"

namespace {
const bool announced = announce<Star, impact::Shadow4>("star/shadow4");
}
