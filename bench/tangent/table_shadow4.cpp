#include "cost.hpp"

namespace {
const bool announced = table<impact::Shadow4>("shadow4");
}
