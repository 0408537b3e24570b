// Persistent contact, with or without friction, as a run finds it.
#pragma once

#include <string>
#include <utility>

#include "ricochet/contact/hold.hpp"
#include "ricochet/contact/hold_friction.hpp"

namespace ricochet::contact {

/// Which gaps a flight is held to. A body without friction needs none of the modes of rough contacts.
template <class Real>
class Holding {
 public:
  using Change = typename RoughHold<Real>::Change;

  void set_rough(bool rough) { is_rough_ = rough; }
  bool rough() const { return is_rough_; }
  Hold<Real>& smooth() { return smooth_; }
  RoughHold<Real>& frictional() { return rough_; }

  bool any() const { return is_rough_ ? rough_.any() : smooth_.any(); }
  bool holds(int gap) const { return is_rough_ ? rough_.holds(gap) : smooth_.holds(gap); }
  const motion::GapList& gaps() const { return is_rough_ ? rough_.gaps() : smooth_.gaps(); }
  void choose_nothing() {
    if (is_rough_) rough_.choose_nothing();
  }
  void choose(const motion::Body<Real>& body, const motion::Node<Real>& node, Real h, const motion::GapList& near,
              const motion::GapList& released) {
    if (is_rough_)
      rough_.choose(body, node, h, near, released);
    else
      smooth_.choose(body, node, h, near, released);
  }
  discrete::Interval<Real> fly(const motion::Body<Real>& body, motion::Flier<Real>& flier,
                               const motion::Node<Real>& from, discrete::Step<Real> step, motion::Node<Real>& out) {
    return is_rough_ ? rough_.fly(body, flier, from, step, out) : smooth_.fly(body, flier, from, step, out);
  }
  /// Whether Coulomb's law had several solutions at the last choice.
  bool ambiguous() const { return is_rough_ && rough_.ambiguous(); }
  void note(const Change& change) { rough_.note(change); }
  void forget() {
    if (is_rough_) rough_.forget();
  }

 private:
  bool is_rough_ = false;
  Hold<Real> smooth_;
  RoughHold<Real> rough_;
};

}  // namespace ricochet::contact
