// What a body owes the loop. Nothing of it says whether Q is a vector space, SO(3)×R³ or a million nodes.
#pragma once

#include <string>

#include "ricochet/discrete/interval.hpp"
#include "ricochet/error.hpp"
#include "ricochet/motion/contact.hpp"
#include "ricochet/motion/state.hpp"
#include "ricochet/numerics/function_ref.hpp"

namespace ricochet::motion {

/// A system with a discretisation rule, as the loop sees it. One is made for one run (bodies/erased.hpp makes it of any
/// body written as a class with static sizes inside) and keeps the scratch of that run.
template <class R>
class Body {
 public:
  using PointAt = numerics::FunctionRef<void(R, Node<R>&)>;

  virtual ~Body() = default;

  // ---- the state ---------------------------------------------------------------------------------------------------

  virtual bool finite(const Node<R>& x) const = 0;
  virtual ErrorState state(const Node<R>& x) const = 0;
  virtual R kinetic(const Node<R>& x) const = 0;
  virtual R hamiltonian(const Node<R>& x) const = 0;
  virtual void set_time(Node<R>& x, R t) const = 0;
  /// The same node at rest; false where the body cannot say what that is.
  virtual bool stop(Node<R>& x) const = 0;
  /// p += λ∇φ.
  virtual void kick(Node<R>& x, const Covector& normal, R lambda) const = 0;
  /// q += a M⁻¹∇φ: a correction of the size of rounding.
  virtual void nudge(Node<R>& x, const Covector& normal, R a) const = 0;
  /// ∇φ_i M⁻¹ ∇φ_j.
  virtual R couple(const Covector& a, const Covector& b) const = 0;
  /// normal += a·other.
  virtual void add(Covector& normal, R a, const Covector& other) const = 0;

  // ---- what kind of motion it has ----------------------------------------------------------------------------------

  /// Whether the kinetic energy is a quadratic form of the momentum.
  virtual bool quadratic() const = 0;
  /// Order of the discretisation rule, and by which part of a step its flights fall too late (Rule::lateness).
  virtual int order() const = 0;
  virtual R lateness() const = 0;

  // ---- its gaps: φ_i ≥ 0, and behind them the bilateral constraints c_j = 0 ----------------------------------------

  virtual int gaps() const = 0;
  virtual int constraints() const = 0;
  virtual std::string gap_name(int i) const = 0;
  virtual R gap(int i, const Node<R>& x) const = 0;
  /// Everything the active set asks of gap i, of constraint gaps() + j or of a slip row at a node of a step of length
  /// h; the covector goes to `normal`.
  virtual Contact<R> contact(int i, const Node<R>& x, R h, Covector& normal) const = 0;
  /// Gaps that may be closed at a node of the flight whose candidates were asked last; no other is. Ascending.
  virtual const GapList& closable() const = 0;
  /// Cheap test before `contact`: false only if gap i is certainly not closed.
  virtual bool may_be_closed(int i, const Node<R>& x, R h) const = 0;
  /// Coulomb's coefficient of a gap, and how many slip rows it has; none without friction.
  virtual double friction(int i) const = 0;
  virtual int slips(int i) const = 0;

  // ---- along a flight ----------------------------------------------------------------------------------------------

  /// Starts the trace of a curve from `from` to `end` that is not a flight of the body itself.
  virtual void begin_trace(const Node<R>& from, discrete::Step<R> step, const Node<R>& end, Trace& trace) const = 0;
  /// Sharper enclosure of the curve point(s, node).
  virtual void refine_trace(Trace& trace, const Node<R>& end, PointAt point) const = 0;
  /// Gaps that may close along a trace; what was found on the way may be kept in it.
  virtual void candidates(Trace& trace, GapList& list) const = 0;
  /// φ_i over [a, b] of a trace; with derivatives; on its middle line.
  virtual numerics::Ball<R> gap_range(int i, const Trace& trace, R a, R b) const = 0;
  virtual Bound<R> gap_bound(int i, const Trace& trace, R a, R b) const = 0;
  virtual R gap_in_middle(int i, const Trace& trace, R s) const = 0;
};

}  // namespace ricochet::motion
