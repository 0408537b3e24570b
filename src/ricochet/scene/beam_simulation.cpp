// A run of a scene of beams: what is recorded, and what it can say about itself.
#include <fmt/core.h>

#include <bit>
#include <cmath>

#include "ricochet/error.hpp"
#include "ricochet/scene/beam_readings.hpp"
#include "ricochet/scene/beam_run.hpp"
#include "ricochet/scene/continuum_simulation.hpp"
#include "ricochet/scene/factory.hpp"

namespace ricochet::scene {
namespace {

class BeamSimulation final : public ContinuumSimulation {
 public:
  explicit BeamSimulation(std::shared_ptr<const Model> model)
      : ContinuumSimulation(model, beams_of(*model).fields_every), beams_(beams_of(*model_)), run_(build()) {
    const double limit = run_->body().stable_step();
    if (!(model_->step <= limit * (1 + 1e-12)))
      fail(model_->scene.time.step.place,
           fmt::format("the step {:.6g} is beyond the stability limit of these beams: at most {:.6g}", model_->step,
                       limit));
    refresh();
  }

  std::int64_t steps() const override { return run_->steps(); }
  double t() const override { return run_->node().t; }
  std::string closure() const override { return run_->closure(); }
  Report report() const override;
  Description describe() const override;

 private:
  std::unique_ptr<BeamRunner> build() const {
    try {
      return std::make_unique<BeamRunner>(beams_, model_->step);
    } catch (const Error& error) {
      // What the beams refuse although every number is right: a node behind an obstacle, an element bent by half a
      // turn.
      if (error.kind() == ErrorKind::bad_scene) throw;
      const std::string what = error.what();
      for (const BeamTable& beam : beams_of(model_->scene).beams)
        if (what.find("\"" + beam.name + "[") != std::string::npos ||
            what.find(" of " + beam.name + " ") != std::string::npos)
          fail(beam.start.place, what);
      fail(beams_of(model_->scene).beams.front().place, what);
    }
  }

  const std::vector<ContactEvent>& fly(double h) override {
    run_->step(h);
    return run_->events();
  }
  double discrete_energy() const override { return run_->discrete_energy(); }

  void look() override {
    const auto& body = run_->body();
    const auto& x = run_->node();
    kinetic_ = body.kinetic(x);
    energy_ = kinetic_ + x.potential;
    run_->centres(x, q_);
    run_->momenta(x, p_);
    const Eigen::Vector3d P = body.linear_momentum(x), J = body.angular_momentum(x);
    momentum_.clear();
    for (const BeamSymmetry& s : beams_.symmetries)
      momentum_.push_back(s.rotation ? s.d.dot(J - s.c.cross(P)) : s.d.dot(P));
    gaps_.resize(static_cast<std::size_t>(body.gaps()));
    for (std::size_t i = 0; i < gaps_.size(); ++i) gaps_[i] = body.gap(static_cast<int>(i), x);
  }

  void record_mesh(Sink& sink) override { sink.row(beam_mesh_dataset, beam_mesh(beams_)); }
  void record_row(Sink& sink) override {
    const auto& body = run_->body();
    beam_energies(beams_, body, run_->node(), energies_);
    beam_row(energies_, body, run_->node(), row_);
    for (int i = 0; i < body.gaps(); ++i) row_.push_back(run_->impulse(i));
    sink.row(beams_dataset, row_);
  }
  void record_fields(Sink& sink) override {
    beam_fields(run_->body(), run_->node(), row_);
    sink.row(beam_fields_dataset, row_);
  }

  void identify(ByteWriter& out) const override {
    out.put<std::uint32_t>(0x6265616f);
    out.put<std::uint64_t>(beams_.nodes);
    out.put<std::uint64_t>(model_->scene.gaps.size());
    out.put(beams_.reflection);
    out.put(model_->step);
  }
  void save_run(ByteWriter& out) const override { run_->save(out); }
  void restore_run(ByteReader& in) override { run_->restore(in); }

  const BeamModel& beams_;
  std::unique_ptr<BeamRunner> run_;
  std::vector<BeamState> energies_;
};

Report BeamSimulation::report() const {
  Report report = books();
  report.fallbacks = run_->fallbacks();
  report.dissipated = run_->dissipated();
  report.balance_error = report.energy.last - report.energy.initial + report.dissipated;
  for (const auto& a : run_->accumulations().list) report.accumulations.push_back({gap_name(a.gap), a.t, a.skipped});
  report.accumulations_left_off = run_->accumulations().left_off;
  const auto& body = run_->body();
  std::vector<BeamState> states;
  beam_energies(beams_, body, run_->node(), states);
  Report::Rows beams, impulses;
  for (int i = 0; i < body.gaps(); ++i) {
    if (run_->impulse(i) != 0) impulses.push_back({{"gap", gap_name(i)}, {"impulse", run_->impulse(i)}});
    auto& beam = states[static_cast<std::size_t>(body.chain().beam_of(body.node_of(i)))];
    beam.contacts += run_->hits(i);
    beam.impulse += run_->impulse(i);
    beam.lowest = std::min(beam.lowest.value_or(run_->lowest(i)), run_->lowest(i));
    report.min_gap = std::min(report.min_gap.value_or(run_->lowest(i)), run_->lowest(i));
  }
  for (const BeamState& b : states)
    beams.push_back({{"name", b.name},
                     {"kinetic", b.kinetic},
                     {"elastic", b.elastic},
                     {"gravity", b.gravity},
                     {"contacts", b.contacts},
                     {"impulse", b.impulse},
                     {"min_gap", b.lowest ? Report::Cell(*b.lowest) : Report::Cell()}});
  report.tables = {{"beams", std::move(beams)}, {"impulses", std::move(impulses)}};
  return report;
}

Description BeamSimulation::describe() const {
  Description d;
  d.energy = energy_;
  d.kinetic = kinetic_;
  d.explicit_rule = true;
  const auto& body = run_->body();
  for (const auto& b : beams_.spec.beams)
    d.lines.emplace_back(
        "beam",
        fmt::format("{}: {} elements over {:.6g}, mass {:.6g}, stretching waves at {:.6g}, shear waves at {:.6g}",
                    b.name, b.elements, b.length, b.density * b.section.area * b.length, std::sqrt(b.young / b.density),
                    std::sqrt(b.young / (2 * (1 + b.poisson)) / b.density)));
  const auto nearest = [&](std::size_t obstacle) {
    double least = std::numeric_limits<double>::infinity();
    const int first = static_cast<int>(obstacle * beams_.nodes), last = first + static_cast<int>(beams_.nodes);
    for (int i = first; i < last; ++i) least = std::min(least, body.gap(i, run_->node()));
    return least;
  };
  for (std::size_t i = 0; i < beams_of(model_->scene).obstacles.size(); ++i) {
    const ObstacleTable& o = beams_of(model_->scene).obstacles[i];
    d.lines.emplace_back(o.sphere ? "sphere" : "plane",
                         fmt::format("{}: the nearest node is {:.6g} away at the start", o.name, nearest(i)));
  }
  d.lines.emplace_back("integrator",
                       fmt::format("steps in {}, {} closure", beams_of(model_->scene).time_group, closure()));
  describe_plan(d, body.stable_step(), beams_.nodes);
  for (std::size_t i = 0; i < momentum_.size(); ++i)
    d.lines.emplace_back("momentum",
                         fmt::format("{}: {:.17g} at the start, kept", beams_.symmetries[i].name, momentum_[i]));
  return d;
}

}  // namespace

Made simulate_beams(std::shared_ptr<const Model> model) { return std::make_unique<BeamSimulation>(std::move(model)); }

}  // namespace ricochet::scene
