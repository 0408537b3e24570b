#include "cost.hpp"

namespace {
const bool announced = star<closure::Variational>("variational");
}
