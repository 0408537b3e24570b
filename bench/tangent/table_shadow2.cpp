#include "cost.hpp"

namespace {
const bool announced = table<impact::Shadow2>("shadow2");
}
