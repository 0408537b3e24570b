#include "closure_bench.hpp"

namespace {
const bool announced = announce<Table, closure::Variational>("table/variational");
}
