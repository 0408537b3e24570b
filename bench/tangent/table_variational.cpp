#include "cost.hpp"

namespace {
const bool announced = table<impact::Variational>("variational");
}
