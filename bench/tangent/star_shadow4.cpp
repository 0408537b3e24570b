#include "cost.hpp"

namespace {
const bool announced = star<impact::Shadow4>("shadow4");
}
