#include "closure_bench.hpp"

namespace {
const bool announced = announce<Table, impact::Shadow4>("table/shadow4");
}
