// What a body hands to the loop without showing it: nodes, covectors and traces of its curves.
#pragma once

#include "ricochet/motion/opaque.hpp"

namespace ricochet::motion {

/// A state of a body at a time. Its layout is the body's own (vectors of a static size, columns of a million nodes);
/// the loop reads the time and passes it on.
template <class R>
class Node : public Opaque {
 public:
  R t{};
};

/// A covector at a node, ∇φ of a gap or of a constraint, with M⁻¹∇φ beside it.
class Covector : public Opaque {};

/// An enclosure of the curve of a flight.
class Trace : public Opaque {
 public:
  bool exact = false;    ///< the curve is known in closed form
  bool refined = false;  ///< it was sampled, not only bounded
};

}  // namespace ricochet::motion
