// What a body owes the loop of the weak principle: one interval after the other, with percussions at the node between.
#pragma once

#include "ricochet/motion/state.hpp"
#include "ricochet/numerics/function_ref.hpp"

namespace ricochet::motion {

/// The two intervals that meet at a node x_k.
enum class Side { before, after };

/// A step of the weak principle goes from the middle q_k of an interval to its end x_k, where impulses act, and on to
/// the middle of the next interval (Leine 2009 (110), (115)). Closed contacts push along covectors at x_k; what the
/// body does with a push is its own affair, and so is the velocity after it.
template <class R>
class WeakStep {
 public:
  virtual ~WeakStep() = default;

  /// Whether an impulse changes the velocity after the node by exactly M⁻¹ of itself.
  virtual bool linear() const = 0;
  /// From (q_k, v_k) to x_k, and the free velocity after it.
  virtual void begin(const Node<R>& from, R h) = 0;
  /// Solves the velocity after x_k again, with the impulses given so far: `push` only predicts it.
  virtual void fly(R h) = 0;
  virtual void push(const Covector& row, R impulse) = 0;
  /// To (q_{k+1}, v_{k+1}).
  virtual void end(R h, Node<R>& node) = 0;
  /// Work of forces and of explicit time from q_k to q_{k+1}.
  virtual R supplied(R h) = 0;

  /// The rate along a row on one side of the node.
  virtual R rate(const Covector& row, Side side) const = 0;
  /// |v_{k+1}| and |x_k|, in the kinetic metric.
  virtual R speed() = 0;
  virtual R size_of_position() = 0;
  /// x_k alone, and as a state with the velocity on one side.
  virtual void middle(Node<R>& out) const = 0;
  virtual void at_middle(Side side, Node<R>& out) const = 0;
  /// The state at q_k + s v_k, and that at x_k + s v_{k+1}.
  virtual void ahead(const Node<R>& from, R s, Node<R>& out) const = 0;
  virtual void beyond(R s, Node<R>& out) const = 0;

  /// The freedoms that an impulse along a row moves: contacts that share none do not know of each other.
  virtual int parts() const = 0;
  virtual void for_each_part(const Covector& row, numerics::FunctionRef<void(int)> f) const = 0;

  // ---- gaps that the body brings itself, which need no node of their own
  // ---------------------------------------------

  struct Value {
    R phi, rounding;
  };
  /// φ_i(q_k + γ h v_k).
  virtual Value gap(int i, const Node<R>& from, R gamma, R h) = 0;
  /// ∇φ_i at x_k, behind the gaps that of the constraints; returns the part of its rate that is not the body's. `a` is
  /// −1 for the gap itself, otherwise the number of a slip coordinate.
  virtual R row(int i, int a, Covector& covector) = 0;
  /// c_j(x_k + h v_{k+1})/h: the speed with which constraint j would be left.
  virtual R departure(int j, R h) = 0;
};

}  // namespace ricochet::motion
