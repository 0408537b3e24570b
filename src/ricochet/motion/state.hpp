// What a body hands to the loop without showing it: nodes, covectors and traces of its curves.
#pragma once

#include <cstddef>
#include <vector>

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

/// Covectors of one event, then of the next: what was cleared keeps its storage, so that events stop allocating.
class Covectors {
 public:
  void clear() { size_ = 0; }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  /// One more, to be written to.
  Covector& add() {
    if (size_ == list_.size()) list_.emplace_back();
    return list_[size_++];
  }
  void resize(std::size_t n) {
    if (n > list_.size()) list_.resize(n);
    size_ = n;
  }
  Covector& operator[](std::size_t i) { return list_[i]; }
  const Covector& operator[](std::size_t i) const { return list_[i]; }
  Covector* begin() { return list_.data(); }
  Covector* end() { return list_.data() + size_; }

 private:
  std::vector<Covector> list_;
  std::size_t size_ = 0;
};

/// An enclosure of the curve of a flight.
class Trace : public Opaque {
 public:
  bool exact = false;    ///< the curve is known in closed form
  bool refined = false;  ///< it was sampled, not only bounded
};

}  // namespace ricochet::motion
