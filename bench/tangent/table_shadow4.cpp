#include "cost.hpp"

namespace {
const bool announced = table<closure::Shadow4>("shadow4");
}
