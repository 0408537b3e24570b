#include "cost.hpp"

namespace {
const bool announced = pendulum<impact::Variational>("variational");
}
