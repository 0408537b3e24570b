#include "closure_bench.hpp"

namespace {
const bool announced = announce<Star, closure::Variational>("star/variational");
}
