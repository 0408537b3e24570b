#include "closure_bench.hpp"

namespace {
const bool announced =
    announce<Table, closure::Reflection>("table/reflection/yoshida4", discrete::Rule<double>::yoshida4());
}
