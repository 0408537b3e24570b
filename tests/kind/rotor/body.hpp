// A rotor on a torsion spring with one stop. Its flight is known exactly, and so is its discrete Lagrangian.
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "ricochet/discrete/interval.hpp"
#include "ricochet/error.hpp"
#include "ricochet/motion/contact.hpp"
#include "ricochet/numerics/ball.hpp"

namespace ricochet::bodies {

/// J θ̈ = −k θ, stop − θ ≥ 0. With ω² = k/J a flight is θ(s) = θ0 cos ωs + (p0/Jω) sin ωs.
class Rotor {
 public:
  using Real = double;
  using Step = discrete::Step<double>;
  using Interval = discrete::Interval<double>;
  using Ball = numerics::Ball<double>;

  struct Node {
    double t = 0, angle = 0, p = 0;
  };
  struct Trace {
    Node from;
    double t = 0, length = 0;
    bool exact = false, refined = false;
  };
  struct Normal {
    double n = 0;
  };
  struct Work {};

  Rotor(double inertia, double stiffness, double stop)
      : J_(inertia), k_(stiffness), stop_(stop), omega_(std::sqrt(stiffness / inertia)) {}

  Node node(double angle, double spin) const { return {0, angle, J_ * spin}; }
  double velocity(const Node& x) const { return x.p / J_; }
  double kinetic(const Node& x) const { return x.p * x.p / (2 * J_); }
  double hamiltonian(const Node& x) const { return kinetic(x) + k_ * x.angle * x.angle / 2; }
  bool finite(const Node& x) const { return std::isfinite(x.angle) && std::isfinite(x.p); }
  ErrorState state(const Node& x) const { return {x.t, {x.angle}, {x.p}}; }

  // ---- flights -----------------------------------------------------------------------------------------------------

  Interval fly(const Node& from, Step step, Node& out, Work&) const {
    Interval interval;
    interval.energy = interval.start = interval.end = hamiltonian(from);
    out = at(from, step.s);
    return interval;
  }
  Interval fly(const Node& from, Step step, Node& out, Trace& trace, Work& work) const {
    begin_trace(from, step, out, trace);
    return fly(from, step, out, work);
  }
  void begin_trace(const Node& from, Step step, const Node&, Trace& trace) const {
    trace = {from, from.t, step.s, true, false};
  }
  template <class PointAt>
  void refine_trace(Trace&, const Node&, PointAt&&, Work&) const {}

  // ---- its gap -----------------------------------------------------------------------------------------------------

  int gaps() const { return 1; }
  int constraints() const { return 0; }
  std::string gap_name(int) const { return "stop"; }
  double gap(int, const Node& x) const { return stop_ - x.angle; }
  double gap_along(int, const Node& from, Step step, const Trace&, Work&) const {
    return stop_ - at(from, step.s).angle;
  }
  void candidates(const Trace& trace, motion::GapList& list, Work&) const {
    list.clear();
    if (!(gap_bound(0, trace, 0, trace.length).value.lower() > 0)) list.push_back(0);
  }
  Ball gap_range(int i, const Trace& trace, double a, double b) const { return gap_bound(i, trace, a, b).value; }
  /// About the middle of [a, b]; no derivative of order j exceeds A ωʲ, A the amplitude.
  motion::Bound<double> gap_bound(int, const Trace& trace, double a, double b) const {
    const double r = (b - a) / 2, A = std::sqrt(2 * hamiltonian(trace.from) / k_), w = omega_;
    const Node x = at(trace.from, (a + b) / 2);
    const double v = velocity(x), noise = 8 * std::numeric_limits<double>::epsilon() * (A + std::abs(stop_));
    return {Ball(stop_ - x.angle, r * (std::abs(v) + r * A * w * w / 2) + noise),
            Ball(-v, r * w * w * (std::abs(x.angle) + r * A * w / 2)), Ball(w * w * x.angle, r * A * w * w * w)};
  }
  bool may_be_closed(int, const Node&, double) const { return true; }
  motion::Contact<double> contact(int i, const Node& x, double h, Normal& normal, Work&) const {
    normal.n = -1;
    motion::Contact<double> c;
    c.gap = i;
    c.step = h;
    c.value = stop_ - x.angle, c.rate = -velocity(x), c.acceleration = omega_ * omega_ * x.angle;
    c.value_scale = std::abs(stop_) + std::abs(x.angle), c.rate_scale = std::abs(c.rate);
    c.acceleration_scale = std::abs(c.acceleration);
    return c;
  }
  double couple(const Normal& a, const Normal& b) const { return a.n * b.n / J_; }
  void kick(Node& x, const Normal& normal, double lambda) const { x.p += lambda * normal.n; }
  void nudge(Node& x, const Normal& normal, double a) const { x.angle += a * normal.n / J_; }
  void add_normal(Normal& normal, double a, const Normal& other) const { normal.n += a * other.n; }

 private:
  Node at(const Node& from, double s) const {
    const double c = std::cos(omega_ * s), d = std::sin(omega_ * s);
    return {from.t + s, from.angle * c + from.p / (J_ * omega_) * d, from.p * c - J_ * omega_ * from.angle * d};
  }

  double J_, k_, stop_, omega_;
};

}  // namespace ricochet::bodies
