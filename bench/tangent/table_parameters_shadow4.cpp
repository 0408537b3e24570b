#include "parameters.hpp"

namespace {
const bool announced = vary<TableOf, closure::Shadow4>("table/shadow4", discrete::Rule<double>::trapezoid(), {0.3, 0.1},
                                                       {1.1, 1.37}, 0.005);
}
