#include "closure_bench.hpp"

namespace {
const bool announced = announce<Star, impact::Variational>("star/variational");
}
