#include "closure_bench.hpp"

namespace {
const bool announced = announce<Table, closure::Shadow4>("table/shadow4");
}
