// Does the energy stay bounded? Runs of a body that measure the kick of the shadow energy at every impact.
#pragma once

#include <random>

#include "ricochet/observe/energy_summary.hpp"
#include "ricochet/observe/shadow_energy.hpp"
#include "ricochet/principle/strong.hpp"

namespace ricochet::observe {

/// Observer behind EnergyTrial.
template <class Body>
class KickMeter {
 public:
  using Node = typename Body::Node;

  KickMeter(const Body& body, const Node& start, typename Body::Real h, EnergyTrial& trial)
      : body_(body), shadow_(body, h), trial_(trial), last_(start) {
    initial_ = body.hamiltonian(start);
    initial_shadow_ = shadow_(start);
    scale_ = std::max(std::abs(initial_), body.kinetic(start));
    trial.scale = static_cast<double>(scale_);
  }
  void impact(const principle::ImpactEvent<Body>&) { ++impacts_; }
  void node(long long, const Node& node, const typename Body::Interval&) {
    if (impacts_ > 0) {
      const auto after = shadow_(node);
      trial_.kicks.push_back(static_cast<double>((after - shadow_(last_)) / scale_));
      trial_.energy.push_back(static_cast<double>((after - initial_shadow_) / scale_));
      impacts_ = 0;
    }
    const auto error = std::abs(body_.hamiltonian(node) - initial_) / scale_;
    trial_.max_energy_error = std::max(trial_.max_energy_error, static_cast<double>(error));
    last_ = node;
  }

 private:
  const Body& body_;
  ShadowEnergy<Body> shadow_;
  EnergyTrial& trial_;
  Node last_;
  typename Body::Real initial_, initial_shadow_, scale_;
  int impacts_ = 0;
};

/// Runs until `impacts` impacts happened, at most `max_steps` steps.
template <class Body, class Closure>
EnergyTrial energy_trial(const Body& body, const typename Body::Node& start, const Closure& closure,
                         typename Body::Real h, long long impacts, long long max_steps = 1000000000,
                         typename principle::Strong<Body, Closure>::Laws laws = {}) {
  EnergyTrial trial;
  trial.closure = closure.name();
  trial.h = static_cast<double>(h);
  principle::Strong<Body, Closure> run(body, start, closure, laws);
  KickMeter<Body> meter(body, start, h, trial);
  while (run.impacts() < impacts && run.steps() < max_steps) run.step(h, meter);
  trial.impacts = run.impacts();
  trial.steps = run.steps();
  trial.fallbacks = run.fallbacks();
  return trial;
}

/// Starts around one: positions and velocities moved by `relative` of their size, kept if admissible.
template <class Body>
std::vector<typename Body::Node> ensemble(const Body& body, const typename Body::Node& start, int members,
                                          double relative = 1e-3, unsigned seed = 1) {
  using Real = typename Body::Real;
  std::vector<typename Body::Node> nodes{start};
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const auto v = body.velocity(start);
  const Real q_size = start.q.norm() + Real(1e-3), v_size = v.norm() + Real(1e-3);
  for (int tries = 0; static_cast<int>(nodes.size()) < members && tries < 100 * members; ++tries) {
    auto q = start.q;
    auto w = v;
    for (Eigen::Index k = 0; k < q.size(); ++k) {
      q[k] += Real(relative * normal(random)) * q_size;
      w[k] += Real(relative * normal(random)) * v_size;
    }
    const auto node = body.node(q, w, start.t);
    bool admissible = true;
    for (int i = 0; i < body.gaps() && admissible; ++i) admissible = body.admissible(i, node) > 0;
    if (admissible) nodes.push_back(node);
  }
  return nodes;
}

}  // namespace ricochet::observe
