// Families of gaps: what may not become negative between bodies, and what is known of it at a node and along a curve.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "ricochet/motion/body.hpp"
#include "ricochet/motion/contact.hpp"
#include "ricochet/motion/state.hpp"

namespace ricochet::motion {

/// Numbered gaps φ_i ≥ 0, and behind them bilateral constraints c_j = 0 as rows count() + j. Slip coordinates of gaps
/// with friction are rows of negative number (mechanics/slip_row.hpp). A family is one object however many gaps it has,
/// and reads its body through what the body offers: a family of the body itself knows its nodes and traces, any other
/// one asks for coordinates.
template <class R>
class Gaps {
 public:
  virtual ~Gaps() = default;

  virtual int count() const = 0;
  virtual int constraints() const { return 0; }
  virtual std::string name(int i) const = 0;
  /// Gaps may be branches of unions, where only the largest of them must not become negative.
  virtual int unions() const { return 0; }
  virtual std::span<const int> branches(int /*of union*/) const { return {}; }
  /// Coulomb's coefficient of a gap, and how many slip rows it has; none without friction.
  virtual double friction(int) const { return 0; }
  virtual int slips(int) const { return 0; }

  // ---- at a node ---------------------------------------------------------------------------------------------------

  virtual R value(int i, const Node<R>& x) const = 0;
  /// Everything contact asks of a row at a node of a step of length h; the covector goes to `normal`.
  virtual Contact<R> at(int i, const Node<R>& x, R h, Covector& normal) const = 0;
  /// Cheap test before `at`: false only if gap i is certainly not closed.
  virtual bool may_be_closed(int, const Node<R>&, R) const { return true; }
  /// Gaps that may be closed at a node of the flight whose candidates were asked last; no other is. Ascending; null
  /// where the family does not know, so that every gap may be.
  virtual const GapList* closable() const { return nullptr; }

  // ---- along a flight ----------------------------------------------------------------------------------------------

  /// Gaps that may close along a trace; what was found on the way may be kept in it.
  virtual void candidates(Trace& trace, GapList& list) const = 0;
  /// φ_i, φ_i' and φ_i'' over [a, b] of a trace; φ_i alone; φ_i on the middle line of the trace.
  virtual Bound<R> bound(int i, const Trace& trace, R a, R b) const = 0;
  virtual numerics::Ball<R> range(int i, const Trace& trace, R a, R b) const { return bound(i, trace, a, b).value; }
  virtual R in_middle(int i, const Trace& trace, R s) const { return range(i, trace, s, s).mid; }
};

/// Makes a family for the body of a run; the body outlives it.
template <class R>
using GapsMaker = std::function<std::unique_ptr<Gaps<R>>(const Body<R>&)>;

}  // namespace ricochet::motion
