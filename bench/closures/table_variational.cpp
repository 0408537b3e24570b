#include "closure_bench.hpp"

namespace {
const bool announced = announce<Table, impact::Variational>("table/variational");
}
