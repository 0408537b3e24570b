// Discrete Lagrangians: L_d(q0,q1,s) = s Σ_k w_k L(q0 + c_k(q1−q0), (q1−q0)/s), and their compositions.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "ricochet/error.hpp"

namespace ricochet::discrete {

/// A quadrature of the action over one interval, possibly composed of sub-intervals of lengths fraction·s.
///
/// rectangle γ: L(γq0 + (1−γ)q1) (Fetecau 2003, section 4), midpoint γ = ½, trapezoid ½L(q0,·) + ½L(q1,·).
/// A composition has its own D3 in every sub-interval of an impact step (errata F11).
template <class Real>
class Rule {
 public:
  struct Stage {
    Real c, w;
  };

  static Rule rectangle(Real gamma, std::string name = "rectangle") {
    return Rule(std::move(name), {Stage{1 - gamma, 1}}, gamma == Real(0.5) ? 2 : 1, gamma == Real(0.5));
  }
  static Rule rectangle_left() { return rectangle(1, "rectangle-left"); }
  static Rule rectangle_right() { return rectangle(0, "rectangle-right"); }
  static Rule midpoint() { return rectangle(Real(0.5), "midpoint"); }
  static Rule trapezoid() { return Rule("trapezoid", {Stage{0, Real(0.5)}, Stage{1, Real(0.5)}}, 2, true); }

  /// Composition of a symmetric rule with the given fractions of the step (they must sum to one).
  static Rule composed(const Rule& base, std::vector<Real> fractions, std::string name, int order) {
    Rule rule(base);
    rule.name_ = std::move(name);
    rule.order_ = order;
    rule.symmetric_ = base.symmetric_;
    Real sum = 0;
    for (std::size_t j = 0; j < fractions.size(); ++j) {
      sum += fractions[j];
      if (fractions[j] != fractions[fractions.size() - 1 - j]) rule.symmetric_ = false;
    }
    if (std::abs(sum - 1) > 64 * std::numeric_limits<Real>::epsilon())
      throw Error(ErrorKind::invalid_model, "the fractions of the composed rule " + rule.name_ + " do not sum to one");
    rule.fractions_ = std::move(fractions);
    return rule;
  }
  static Rule yoshida4(const Rule& base = trapezoid()) {
    const Real z = std::cbrt(Real(2)), a = 1 / (2 - z);
    return composed(base, {a, 1 - 2 * a, a}, "yoshida4", 4);
  }
  static Rule suzuki4(const Rule& base = trapezoid()) {
    const Real a = 1 / (4 - std::cbrt(Real(4)));
    return composed(base, {a, a, 1 - 4 * a, a, a}, "suzuki4", 4);
  }
  /// By the name scenes use. `gamma` is read by "rectangle" only.
  static Rule named(const std::string& name, Real gamma = 1) {
    if (name == "rectangle-left") return rectangle_left();
    if (name == "rectangle-right") return rectangle_right();
    if (name == "rectangle") return rectangle(gamma);
    if (name == "midpoint") return midpoint();
    if (name == "trapezoid") return trapezoid();
    if (name == "yoshida4") return yoshida4();
    if (name == "suzuki4") return suzuki4();
    throw Error(ErrorKind::bad_scene, "unknown rule \"" + name + "\"");
  }

  const std::string& name() const { return name_; }
  int order() const { return order_; }
  /// Its own adjoint: such runs can be reversed by reversing the momentum (errata F15).
  bool symmetric() const { return symmetric_; }
  /// By which part of a step a flight falls too late: its curve bends by 2Σw_k(1−c_k) times the force, so 1 − 2γ for
  /// the rectangles, and nothing for rules of second order.
  Real lateness() const {
    if (order_ > 1) return 0;
    Real bends = 0;
    for (std::size_t k = 0; k < count_; ++k) bends += stages_[k].w * (1 - stages_[k].c);
    return 1 - 2 * bends;
  }
  bool is_composed() const { return fractions_.size() > 1; }
  const std::vector<Real>& fractions() const { return fractions_; }
  std::size_t stages() const { return count_; }
  const Stage& stage(std::size_t k) const { return stages_[k]; }

  /// With a constant mass, no stage makes the DEL implicit: the weight of ∇V(q_k) in D1 L_d is (1−c_k), so only
  /// stages strictly between the ends would.
  bool explicit_for_constant_mass() const { return explicit_; }

 private:
  Rule(std::string name, std::initializer_list<Stage> stages, int order, bool symmetric)
      : name_(std::move(name)), order_(order), symmetric_(symmetric), count_(stages.size()) {
    std::size_t k = 0;
    for (const Stage& stage : stages) {
      stages_[k++] = stage;
      if (stage.c != 0 && stage.c != 1) explicit_ = false;
    }
  }

  std::string name_;
  int order_;
  bool symmetric_;
  bool explicit_ = true;
  std::size_t count_;
  std::array<Stage, 2> stages_{};
  std::vector<Real> fractions_{Real(1)};
};

}  // namespace ricochet::discrete
