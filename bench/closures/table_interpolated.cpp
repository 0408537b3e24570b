#include "closure_bench.hpp"

namespace {
const bool announced = announce<Table, closure::Interpolated>("table/interpolated");
}
