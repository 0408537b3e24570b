#include "closure_bench.hpp"

namespace {
const bool announced = announce<Table, impact::Shadow2>("table/shadow2");
}
