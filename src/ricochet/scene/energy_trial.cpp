#include "ricochet/scene/energy_trial.hpp"

#include <fmt/core.h>

#include <random>

#include "ricochet/error.hpp"
#include "ricochet/scene/simulation.hpp"

namespace ricochet::scene {
namespace {

/// The shadow energy before and after every step with impacts, and H at every node.
class KickSink final : public Sink {
 public:
  KickSink(const Simulation& simulation, observe::EnergyTrial& trial) : simulation_(simulation), trial_(trial) {}

  void impact(const motion::ImpactView&) override { hit_ = true; }
  void sample(const Sample& s, Series series) override {
    if (series != Series::trajectory) return;
    if (q_.empty()) {
      initial_ = s.energy;
      initial_shadow_ = simulation_.shadow_energy(s.q, s.p);
    } else if (hit_) {
      const double before = simulation_.shadow_energy(q_, p_), after = simulation_.shadow_energy(s.q, s.p);
      trial_.kicks.push_back((after - before) / trial_.scale);
      trial_.energy.push_back((after - initial_shadow_) / trial_.scale);
      hit_ = false;
    }
    trial_.max_energy_error = std::max(trial_.max_energy_error, std::abs(s.energy - initial_) / trial_.scale);
    q_.assign(s.q.begin(), s.q.end());
    p_.assign(s.p.begin(), s.p.end());
  }

 private:
  const Simulation& simulation_;
  observe::EnergyTrial& trial_;
  std::vector<double> q_, p_;
  double initial_ = 0, initial_shadow_ = 0;
  bool hit_ = false;
};

std::span<const double> span(const Eigen::VectorXd& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

bool open(const Model& model, const Eigen::VectorXd& q) {
  std::vector<double> gaps(static_cast<std::size_t>(model.gaps.outputs()));
  model.gaps.all(span(q), 0.0, gaps.data());
  const auto positive = [&](int i) { return gaps[static_cast<std::size_t>(i)] > 0; };
  for (std::size_t i = 0; i < gaps.size(); ++i)
    if (model.scene.gaps[i].unions.empty() && !(gaps[i] > 0)) return false;
  return std::ranges::all_of(model.unions,
                             [&](const auto& branches) { return std::ranges::any_of(branches, positive); });
}

}  // namespace

void require_elastic(const Model& model) {
  const Scene& scene = model.scene;
  if (scene.integrator.principle == "weak")
    throw Error(ErrorKind::bad_scene,
                scene.name +
                    ": a study of the energy compares closures, which the weak principle has not; "
                    "--set integrator.principle=strong would do");
  if (scene.gaps.empty())
    throw Error(ErrorKind::bad_scene, scene.name + ": a study of the energy at impacts needs a gap");
  for (std::size_t i = 0; i < scene.gaps.size(); ++i) {
    const Gap& gap = scene.gaps[i];
    if (model.moving[i])
      fail(gap.expression.place,
           "a study of the energy needs walls that stand still; the gap \"" + gap.name + "\" moves");
    if (model.laws[i] == "elastic") continue;
    if (!model.constant_restitution || model.restitution(static_cast<int>(i), span(model.q0), span(model.v0), 0.0) != 1)
      fail(gap.place, "a study of the energy needs impacts that keep it; restitution = 1 at the gap \"" + gap.name +
                          "\" would do");
  }
}

std::vector<TrialStart> trial_starts(const Model& model, int members) {
  constexpr double relative = 1e-3;
  std::vector<TrialStart> starts{{model.q0, model.v0}};
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  const double q_size = relative * (model.q0.norm() + 1e-3), v_size = relative * (model.v0.norm() + 1e-3);
  for (int tries = 0; static_cast<int>(starts.size()) < members; ++tries) {
    if (tries > 100 * members)
      throw Error(
          ErrorKind::bad_scene,
          fmt::format("{}: no {} admissible starts were found around the scene's; a smaller ensemble or a start "
                      "inside helps",
                      model.scene.name, members));
    TrialStart start = starts.front();
    for (Eigen::Index k = 0; k < start.q.size(); ++k) {
      start.q[k] += q_size * normal(random);
      start.v[k] += v_size * normal(random);
    }
    if (open(model, start.q)) starts.push_back(std::move(start));
  }
  return starts;
}

std::shared_ptr<const Model> trial_model(const Model& model, const TrialClosure& closure, double step,
                                         const TrialStart& start, std::int64_t impacts, const std::string& place) {
  auto trial = std::make_shared<Model>(model);
  auto& integrator = trial->scene.integrator;
  integrator.closure = closure.name;
  if (closure.order)
    integrator.order = *closure.order;
  else if (closure.name != "interpolated")
    integrator.order.reset();
  integrator.closure_place = integrator.order_place = Place{std::make_shared<const std::string>(place)};
  trial->step = step;
  trial->end.reset();
  trial->impacts = impacts;
  trial->q0 = start.q;
  trial->v0 = start.v;
  trial->stroboscope.reset();
  trial->section.reset();
  trial->scene.record.every = 1;
  return trial;
}

std::string refuse_trial(const std::shared_ptr<const Model>& model) {
  try {
    const auto simulation = simulate(model);
    if (!std::isfinite(simulation->shadow_energy(simulation->q(), simulation->p())))
      return model->scene.name +
             ": the potential is not finite six steps before or after the start, where the shadow "
             "energy is measured; a smaller step helps";
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

observe::EnergyTrial energy_trial(const std::shared_ptr<const Model>& model) {
  constexpr std::int64_t batch = 1024;
  const auto simulation = simulate(model);
  const Description start = simulation->describe();
  observe::EnergyTrial trial;
  trial.closure = simulation->closure();
  trial.h = model->step;
  trial.scale = std::max(std::abs(start.energy), start.kinetic);
  KickSink sink(*simulation, trial);
  simulation->begin(sink);
  while (!simulation->done()) simulation->advance(batch, sink);
  trial.impacts = simulation->impacts();
  trial.steps = simulation->steps();
  for (const auto& [name, count] : simulation->report().fallbacks) trial.fallbacks += count;
  for (const double kick : trial.kicks)
    if (!std::isfinite(kick))
      throw Error(ErrorKind::not_finite,
                  "the shadow energy is not finite near an impact: the potential must be defined six steps beyond the "
                  "boundary");
  return trial;
}

}  // namespace ricochet::scene
