#include "parameters.hpp"

namespace {
const bool announced = vary<TableOf, closure::Variational>("table/variational", discrete::Rule<double>::trapezoid(),
                                                           {0.3, 0.1}, {1.1, 1.37}, 0.005);
}
