#include "cost.hpp"

namespace {
const bool announced = table<closure::Shadow2>("shadow2");
}
