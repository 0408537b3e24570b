#include "cost.hpp"

namespace {
const bool announced = star<closure::Shadow4>("shadow4");
}
