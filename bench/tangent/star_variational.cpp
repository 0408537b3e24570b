#include "cost.hpp"

namespace {
const bool announced = star<impact::Variational>("variational");
}
