// What a body owes the loop. Nothing of it says whether Q is a vector space, SO(3)×R³ or a million nodes.
#pragma once

#include <span>

#include "ricochet/discrete/interval.hpp"
#include "ricochet/error.hpp"
#include "ricochet/motion/contact.hpp"
#include "ricochet/motion/state.hpp"
#include "ricochet/numerics/function_ref.hpp"

namespace ricochet::motion {

/// A coordinate of a body at a node, with what it does there freely.
template <class R>
struct Coordinate {
  R value, velocity, acceleration;
};

/// The time at the start of a trace, and its length.
template <class R>
struct Stretch {
  R t, length;
};

/// A system with a discretisation rule, as the loop sees it: it has a state and flies, and knows no gap
/// (motion/gaps.hpp). One is made for one run (bodies/erased.hpp makes it of any body written as a class with static
/// sizes inside) and keeps the scratch of that run.
template <class R>
class Body {
 public:
  using PointAt = numerics::FunctionRef<void(R, Node<R>&)>;

  virtual ~Body() = default;

  // ---- the state ---------------------------------------------------------------------------------------------------

  virtual bool finite(const Node<R>& x) const = 0;
  /// For messages. Where all of q and p are in it and q holds the coordinates of `scalar`, dq ∧ dp is to be the
  /// symplectic form: conformance/ then needs no chart of the body.
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
  /// normal += a·other, asked of covectors that couple.
  virtual void add(Covector& normal, R a, const Covector& other) const = 0;

  // ---- what kind of motion it has ----------------------------------------------------------------------------------

  /// Whether the kinetic energy is a quadratic form of the momentum.
  virtual bool quadratic() const = 0;
  /// Order of the discretisation rule, and by which part of a step its flights fall too late (Rule::lateness).
  virtual int order() const = 0;
  virtual R lateness() const = 0;

  // ---- along a flight ----------------------------------------------------------------------------------------------

  /// Starts the trace of a curve from `from` to `end` that is not a flight of the body itself.
  virtual void begin_trace(const Node<R>& from, discrete::Step<R> step, const Node<R>& end, Trace& trace) const = 0;
  /// Sharper enclosure of the curve point(s, node).
  virtual void refine_trace(Trace& trace, const Node<R>& end, PointAt point) const = 0;
  virtual Stretch<R> stretch(const Trace& trace) const = 0;

  // ---- what it shows to gaps that are not its own ------------------------------------------------------------------

  /// Coordinates that gaps may read and push, numbered from zero; none where a body offers no such view.
  virtual int scalars() const { return 0; }
  virtual Coordinate<R> scalar(int k, const Node<R>& x) const = 0;
  /// A coordinate over [a, b] of a trace.
  virtual Bound<R> scalar(int k, const Trace& trace, R a, R b) const = 0;
  /// The covector Σ values_j dq_{which_j} at a node.
  virtual void covector(const Node<R>& x, std::span<const int> which, std::span<const R> values,
                        Covector& out) const = 0;
};

}  // namespace ricochet::motion
