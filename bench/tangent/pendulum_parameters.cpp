#include "parameters.hpp"

namespace {
const bool announced = vary<PendulumOf, closure::Variational>(
    "double_pendulum/variational", discrete::Rule<double>::midpoint(), {0.1, 0.2}, {1.1, -0.4}, 0.01);
}
