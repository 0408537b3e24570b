#include "cost.hpp"

namespace {
const bool announced = table<closure::Variational>("variational");
}
