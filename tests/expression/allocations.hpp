// How often this program has allocated memory.
#pragma once

namespace ricochet::expression::testing {
long allocations();
}
