// Two massless tips pressed together: the springs behind them in series, in static equilibrium.
#pragma once

#include "ricochet/bodies/bars/spec.hpp"
#include "ricochet/numerics/root.hpp"

namespace ricochet::bodies {

/// What stands behind one side of a contact: a tip element without mass of its own, or something rigid (length 0).
template <class Real>
struct TipElement {
  Real length = 0;
  Real modulus = 0;
  const BarEnergy<Real>* energy = nullptr;

  bool rigid() const { return length == 0; }
  /// Force W'(e) and energy ℓW(e) when shortened by δ.
  Real stress(Real delta) const { return energy ? energy->T(1 - delta / length) : -modulus * (delta / length); }
  Real stored(Real delta) const {
    if (rigid()) return 0;
    return energy ? length * energy->W(1 - delta / length) : modulus * delta * delta / (2 * length);
  }
  Real compliance(Real delta) const {
    if (rigid()) return 0;
    return length / (energy ? energy->K(1 - delta / length) : modulus);
  }
};

/// Force F ≥ 0 of a contact as a function of the gap φ between the unstrained tips: 0 when open, and −φ shared between
/// the two tip elements when closed: F = k_AB max(0, −φ), 1/k_AB = 1/k_A2 + 1/k_B1 (Demoures 2016 (4.14), (4.16);
/// errata D3, D4, D9). A C¹ potential: bars that meet this way need no events.
template <class Real>
class ContactSpring {
 public:
  ContactSpring() = default;
  ContactSpring(TipElement<Real> left, TipElement<Real> right) : left_(left), right_(right) {
    linear_ = !left.energy && !right.energy;
    if (linear_) k_ = 1 / (left.compliance(0) + right.compliance(0));
  }

  struct State {
    Real force, left, right;  ///< F, and by how much each tip element is shortened
  };
  State at(Real gap) const {
    if (!(gap < 0)) return {0, 0, 0};
    const Real delta = -gap;
    if (linear_) {
      const Real F = k_ * delta;
      return {F, F * left_.compliance(0), F * right_.compliance(0)};
    }
    if (left_.rigid()) return {-right_.stress(delta), 0, delta};
    if (right_.rigid()) return {-left_.stress(delta), delta, 0};
    // The stress of the left tip rises, that of the right one falls, as the left one takes more of δ.
    auto unbalance = [&](Real x) { return right_.stress(delta - x) - left_.stress(x); };
    const Real x = numerics::bracketed_root<Real>(unbalance, Real(0), unbalance(0), delta, unbalance(delta)).x;
    return {-left_.stress(x), x, delta - x};
  }
  Real force(Real gap) const {
    if (!(gap < 0)) return 0;
    return linear_ ? -k_ * gap : at(gap).force;
  }
  Real energy(Real gap) const {
    if (linear_) return gap < 0 ? k_ * gap * gap / 2 : Real(0);
    const State s = at(gap);
    return left_.stored(s.left) + right_.stored(s.right);
  }
  /// The parts of the energy that belong to the two sides.
  Real left_energy(Real gap) const { return left_.stored(at(gap).left); }
  Real right_energy(Real gap) const { return right_.stored(at(gap).right); }
  /// −dF/dφ while closed.
  Real stiffness(Real gap) const {
    if (linear_) return k_;
    const State s = at(gap);
    return 1 / (left_.compliance(s.left) + right_.compliance(s.right));
  }
  /// The part of a change of the gap that the left tip element takes while closed.
  Real left_share(Real gap) const {
    const State s = at(gap);
    const Real l = left_.compliance(s.left), r = right_.compliance(s.right);
    return l / (l + r);
  }

 private:
  TipElement<Real> left_, right_;
  bool linear_ = true;
  Real k_ = 0;
};

}  // namespace ricochet::bodies
