#include "closure_bench.hpp"

namespace {
const bool announced = announce<Table, closure::Shadow2>("table/shadow2");
}
