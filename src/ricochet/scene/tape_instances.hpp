// The scalars in which the tapes of a scene are evaluated, compiled once for all kinds of systems: a tape in one scalar
// takes a compiler several seconds, and every kind of run uses the same ones. A scalar that is missing here is compiled
// where it is used; one too many costs a compiler its time.
#pragma once

#include "ricochet/expression/tape.hpp"
#include "ricochet/numerics/ball.hpp"
#include "ricochet/numerics/jet.hpp"
#include "ricochet/numerics/taylor.hpp"

namespace ricochet::expression {

using TapeJet1 = numerics::Jet<double, 1>;
using TapeJet2 = numerics::Jet<double, 2>;
using TapeJet4 = numerics::Jet<double, 4>;
using TapeJet8 = numerics::Jet<double, 8>;
using TapeJet4of4 = numerics::Jet<TapeJet4, 4>;
using TapeBall = numerics::Ball<double>;
using TapeTaylor = numerics::Taylor<double, 2>;
using TapeTaylorOfBall = numerics::Taylor<TapeBall, 2>;

/// What runs need (tape_instances_run.cpp) …
#define RICOCHET_TAPES_OF_RUNS(linkage)             \
  RICOCHET_EXPRESSION_INSTANCES(linkage, TapeJet1); \
  RICOCHET_EXPRESSION_INSTANCES(linkage, TapeJet2); \
  RICOCHET_EXPRESSION_VALUES(linkage, TapeJet8);    \
  RICOCHET_EXPRESSION_VALUES(linkage, TapeJet4of4); \
  RICOCHET_EXPRESSION_VALUES(linkage, TapeBall);    \
  RICOCHET_EXPRESSION_VALUES(linkage, TapeTaylor);  \
  RICOCHET_EXPRESSION_INSTANCES(linkage, TapeTaylorOfBall)

using TapeJet4of2 = numerics::Jet<TapeJet4, 2>;
using TapeJet1of2of2 = numerics::Jet<numerics::Jet<TapeJet1, 2>, 2>;
using TapeJet2of2of2 = numerics::Jet<numerics::Jet<TapeJet2, 2>, 2>;
using TapeTaylorOfJet4 = numerics::Taylor<TapeJet4, 2>;

/// … and what their derivatives need besides (tape_instances_tangent.cpp).
#define RICOCHET_TAPES_OF_TANGENTS(linkage)            \
  RICOCHET_EXPRESSION_VALUES(linkage, TapeJet4);       \
  RICOCHET_EXPRESSION_VALUES(linkage, TapeJet4of2);    \
  RICOCHET_EXPRESSION_VALUES(linkage, TapeJet1of2of2); \
  RICOCHET_EXPRESSION_VALUES(linkage, TapeJet2of2of2); \
  RICOCHET_EXPRESSION_VALUES(linkage, TapeTaylorOfJet4)

RICOCHET_TAPES_OF_RUNS(extern);
RICOCHET_TAPES_OF_TANGENTS(extern);

}  // namespace ricochet::expression
