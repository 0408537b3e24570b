#include "closure_bench.hpp"

namespace {
const bool announced =
    announce<Table, closure::Interpolated>("table/interpolated/yoshida4", discrete::Rule<double>::yoshida4());
}
