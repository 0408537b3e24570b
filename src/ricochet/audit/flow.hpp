// The exact motion between impacts: the continuous equations of motion, integrated to rounding.
#pragma once

#include <span>

#include "ricochet/audit/dynamics.hpp"

namespace ricochet::audit {

struct State {
  double t = 0;
  Vec q, p;
};

/// Gragg's method extrapolated until two columns agree to rounding; a stretch where they do not is halved. It shares
/// nothing with the rules that a run may have used: a judge must not be a colleague.
class Flow {
 public:
  explicit Flow(const Dynamics& dynamics) : dynamics_(dynamics) {}

  /// The state `s` later (earlier, if negative), with the gaps in `held` kept where they are. Throws
  /// Error(no_convergence) where the motion does not exist that long.
  State operator()(const State& from, double s, std::span<const int> held = {}) const;
  /// The same, with the energy that comes in on the way: what −∂L/∂t + f·v supplies, and the work of held gaps that
  /// move, integrated with the motion and as sharply.
  State operator()(const State& from, double s, std::span<const int> held, double& work) const;

  /// Velocity v at `from` with which the free motion arrives at `to` after `s`, starting from (to − from)/s; false
  /// where Newton's method does not find it.
  bool aim(double t, const Vec& from, const Vec& to, double s, Vec& v0, Vec& v1) const;

 private:
  State follow(const State& from, double s, std::span<const int> held, double* work) const;
  /// y = (q, v), or (q, v, work)
  void slope(double t, const Vec& y, std::span<const int> held, Vec& f) const;
  bool stretch(double t, Vec& y, double s, std::span<const int> held) const;
  void advance(double t, Vec& y, double s, std::span<const int> held, int depth) const;

  const Dynamics& dynamics_;
};

}  // namespace ricochet::audit
