#include "cost.hpp"

namespace {
const bool announced = pendulum<closure::Interpolated>("interpolated");
}
