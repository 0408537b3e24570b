#include "closure_bench.hpp"

namespace {
const bool announced = announce<Table, impact::Reflection>("table/reflection");
}
