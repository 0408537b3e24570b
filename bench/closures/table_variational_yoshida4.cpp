#include "closure_bench.hpp"

namespace {
const bool announced =
    announce<Table, closure::Variational>("table/variational/yoshida4", discrete::Rule<double>::yoshida4());
}
