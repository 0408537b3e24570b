#include "parameters.hpp"

namespace {
const bool announced = vary<StarOf, closure::Variational>("star/variational", discrete::Rule<double>::trapezoid(),
                                                          {0, 1.2, 0.3}, {-0.5, -1, 2}, 0.005);
}
