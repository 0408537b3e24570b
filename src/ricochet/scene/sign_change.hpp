// Where a section is crossed: the place where a function of the time since the start of a flight changes its sign.
#pragma once

#include <optional>

#include "ricochet/numerics/function_ref.hpp"

namespace ricochet::scene {

/// The place in (0, length] where f changes its sign, to the last bit: of a root, or of a jump between finite values,
/// the side behind it. Zero at the end is a root there, whatever follows; at the start it belongs to the flight before.
/// Otherwise nothing without a change between two finite ends, at a pole, and where f is not a number on the way.
///
/// Unlike numerics::bracketed_root this takes any function that can be written in a scene.
std::optional<double> sign_change(numerics::FunctionRef<double(double)> f, double at_start, double length,
                                  double at_end);

}  // namespace ricochet::scene
