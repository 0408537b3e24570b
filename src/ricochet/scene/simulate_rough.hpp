// Runs of scenes with friction under the strong principle. Included by the files that compile them.
#pragma once

#include "ricochet/impact/closure.hpp"
#include "ricochet/mechanics/rough.hpp"
#include "ricochet/scene/simulation_of.hpp"

namespace ricochet::scene {

/// The closures that keep no shadow energy, chosen at run time: friction leaves nothing to keep, and what is smooth
/// beside it may still bounce elastically.
struct PlainClosure : impact::PlainCurve {
  bool variational = true;
  bool balances() const { return variational; }
  const char* name() const { return variational ? impact::Variational::name() : impact::Reflection::name(); }
};

struct RoughPrinciple {
  static constexpr std::uint32_t format = 0x72696341;
  template <class Body>
  using Run = principle::Strong<Body, PlainClosure>;
  template <class Body>
  static Run<Body> make(const Model& model, const Body& body, typename Body::Node start,
                        principle::ImpactLaws<Body> laws) {
    principle::StrongOptions options;
    options.step = model.step;
    PlainClosure closure;
    closure.variational = model.scene.integrator.closure != impact::Reflection::name();
    return Run<Body>(body, std::move(start), closure, std::move(laws), options);
  }
  template <class Run>
  static std::string closure(const Run& run) {
    return run.closure().name();
  }
};

template <class System>
std::unique_ptr<Simulation> simulate_rough(std::shared_ptr<const Model> model) {
  return std::make_unique<SimulationOf<mechanics::Rough<System>, RoughPrinciple>>(std::move(model));
}

}  // namespace ricochet::scene
