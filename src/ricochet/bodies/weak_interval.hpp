// One interval of the weak principle after the other, for a system in coordinates (motion/weak_step.hpp says what each
// function is).
#pragma once

#include <limits>

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/mechanics/friction.hpp"

namespace ricochet::bodies {

/// The action is discretised on the nodes x_k at the times t_k + h/2, and v_k is the velocity of the interval that ends
/// in x_k (Leine 2009 (110)). The state between two nodes is the middle of their interval, q_k = x_k − ½h v_k, at the
/// time t_k: so x_k = q_k + ½h v_k, the point where Moreau's scheme looks for contacts. The discrete Euler–Lagrange
/// equation at x_k with the percussions of the constraints (Leine 2009 (115)) reads, for any rule L_d,
///   −D1 L_d(x_k, x_k + h v_{k+1}) = D2 L_d(x_k − h v_k, x_k) + Σ r_i ∇φ_i(x_k).
/// With a constant mass and the trapezoid it is explicit, M(v_{k+1} − v_k) = −h∇V(x_k) + Σ r_i ∇φ_i; with the midpoint
/// rule it is the implicit θ-scheme with θ = ½.
template <class Body>
class WeakInterval {
 public:
  using Real = typename Body::Real;
  using Node = typename Body::Node;
  using Vec = typename Body::Vec;

  using Normal = typename Body::Normal;

  explicit WeakInterval(const Body& body) : body_(body), mechanics_(body.mechanics()) {
    if (body.rule().is_composed())
      throw Error(ErrorKind::invalid_model, "the weak principle is second order between impacts: the rule " +
                                                body.rule().name() + " has no use there; trapezoid or midpoint has");
    linear_ = discrete::is_explicit(mechanics_, body.rule());
    const Vec zero = Vec::Zero(body.dimension());
    v_ = u_ = scratch_ = zero;
    x_ = Node{0, zero, zero};
  }

  bool linear() const { return linear_; }
  const Vec& before() const { return v_; }
  const Vec& after() const { return u_; }
  const Node& middle() const { return x_; }

  /// From (q_k, v_k) to x_k, and the free velocity after it.
  void begin(const Node& from, Real h) {
    mechanics_.velocity(from.q, from.p, from.t, v_);
    x_.t = from.t + h / 2;
    x_.q = from.q + (h / 2) * v_;
    if (linear_) {
      force_at_node(h);
    } else {
      arriving_momentum(h);
      fly(h);
    }
  }
  /// The velocity after x_k with the impulses given so far: solved again where `push` only predicted it.
  void fly(Real h) {
    if (linear_) return;
    discrete::fly(mechanics_, body_.rule(), x_.q, x_.p, x_.t, h, dq_, dp_, work_.flight);
    u_ = dq_ / h;
  }
  void push(const Normal& row, Real impulse) {
    x_.p += impulse * row.n;
    u_ += impulse * row.inverse_mass_n;
  }
  /// To (q_{k+1}, v_{k+1}).
  void end(Real h, Node& node) {
    dq_ = (h / 2) * (v_ + u_);
    scratch_ = node.q + dq_;
    mechanics_.momentum(scratch_, u_, node.t + h, dp_);
    dp_ -= node.p;
    node.move(dq_, dp_);
    node.t += h;
  }
  /// Work of forces and of explicit time from q_k to q_{k+1}.
  Real supplied(Real h) {
    if (mechanics_.autonomous()) return Real(0);
    scratch_ = (v_ + u_) / 2;
    mechanics_.evaluate(x_.q, scratch_, x_.t, at_);
    return h * at_.supply;
  }

  /// φ_i(q_k + γ h v_k), and its rounding.
  struct Value {
    Real phi, rounding;
  };
  Value gap(int i, const Node& from, Real gamma, Real h) {
    scratch_ = from.q + (gamma * h) * v_;
    const Real t = from.t + gamma * h, phi = mechanics_.gap(i, scratch_, t);
    if (!(phi > 0)) return {phi, Real(0)};
    const Real eps = std::numeric_limits<Real>::epsilon();
    if (phi > Real(1e-8) * (1 + scratch_.cwiseAbs().sum())) return {phi, Real(0)};
    mechanics_.gap_gradient(i, scratch_, t, dq_);
    return {phi, 16 * eps * (scratch_.cwiseProduct(dq_).cwiseAbs().sum() + std::abs(phi - scratch_.dot(dq_)))};
  }
  /// ∇φ_i at x_k, or ∇ψ_a of its slip coordinate a ≥ 0; returns the part of the rate that is not the body's.
  Real row(int i, int a, Normal& row) {
    Real wall = 0;
    if (a >= 0) {
      wall = mechanics::tangent_gradient(mechanics_, i, a, x_.q, x_.t, row.n);
    } else {
      mechanics_.gap_gradient(i, x_.q, x_.t, row.n);
      if (i < body_.gaps() && body_.moving(i)) {
        scratch_.setZero();
        wall = mechanics_.gap_along(i, x_.q, scratch_, scratch_, x_.t)[1];
      }
    }
    mechanics_.inverse_mass(x_.q, v_, x_.t, row.n, row.inverse_mass_n);
    return wall;
  }
  /// c_j(x_k + h v_{k+1})/h: the speed with which constraint j would be left.
  Real departure(int j, Real h) {
    scratch_ = x_.q + h * u_;
    return mechanics_.gap(body_.gaps() + j, scratch_, x_.t + h) / h;
  }

  Real rate(const Normal& row, const Vec& velocity) const { return row.n.dot(velocity); }
  /// The freedoms an impulse along the row moves: contacts that share none do not know of each other.
  template <class F>
  void for_each_part(const Normal& row, F&& f) const {
    for (int k = 0; k < body_.dimension(); ++k)
      if (row.inverse_mass_n[k] != 0) f(k);
  }
  int parts() const { return body_.dimension(); }
  /// The state at a configuration with one of the two velocities.
  Node state(Real t, const Vec& q, const Vec& velocity) const {
    Node out = body_.node(q, velocity, t);
    out.q_rest.setZero(body_.dimension());
    out.p_rest.setZero(body_.dimension());
    return out;
  }
  /// |v_{k+1}| and |x_k|, in the kinetic metric.
  Real speed() {
    mechanics_.momentum(x_.q, u_, x_.t, scratch_);
    return std::sqrt(std::abs(u_.dot(scratch_)));
  }
  Real size_of_position() {
    const Real norm = u_.norm();
    return x_.q.norm() * (norm > 0 ? speed() / norm : Real(1));
  }

 private:
  /// M(v_{k+1} − v_k) = −h∇V(x_k)
  void force_at_node(Real h) {
    if constexpr (mechanics::Separable<std::decay_t<decltype(mechanics_.system())>>) {
      mechanics_.potential_gradient(x_.q, x_.t, dp_);
      mechanics_.velocity(x_.q, dp_, x_.t, dq_);
      u_ = v_ - h * dq_;
      x_.p.setZero();  // not needed: the impulses act on u
    }
  }
  /// D2 L_d(x − hv, x) = Σ w_j [L_v + h c_j Q](x − h(1 − c_j)v, v)
  void arriving_momentum(Real h) {
    x_.p.setZero();
    const auto& rule = body_.rule();
    for (std::size_t j = 0; j < rule.stages(); ++j) {
      const auto [c, w] = rule.stage(j);
      scratch_ = x_.q - (h * (1 - c)) * v_;
      mechanics_.evaluate(scratch_, v_, x_.t - h * (1 - c), at_);
      x_.p += w * (at_.Lv + (h * c) * at_.Q);
    }
  }

  const Body& body_;
  const typename Body::Mechanics& mechanics_;
  bool linear_ = false;
  Node x_;
  Vec v_, u_, dq_, dp_, scratch_;
  typename Body::Mechanics::Point1 at_;
  typename Body::Work work_;
};

}  // namespace ricochet::bodies
