// A run of a scene of beams: what is recorded, and what it can say about itself.
#include <fmt/core.h>

#include <bit>
#include <cmath>

#include "ricochet/error.hpp"
#include "ricochet/observe/monitor.hpp"
#include "ricochet/scene/beam_readings.hpp"
#include "ricochet/scene/beam_run.hpp"
#include "ricochet/scene/factory.hpp"

namespace ricochet::scene {
namespace {

class BeamSimulation final : public Simulation {
 public:
  explicit BeamSimulation(std::shared_ptr<const Model> model)
      : Simulation(std::move(model)), beams_(*model_->beams), run_(build()), every_(model_->scene.record.every) {
    const double limit = run_->body().stable_step();
    if (!(model_->step <= limit * (1 + 1e-12)))
      fail(model_->scene.time.step.place,
           fmt::format("the step {:.6g} is beyond the stability limit of these beams: at most {:.6g}", model_->step,
                       limit));
    if (model_->end) {
      whole_steps_ = static_cast<std::int64_t>(*model_->end / model_->step + 1e-9);
      last_step_ = *model_->end - static_cast<double>(whole_steps_) * model_->step;
      if (!(last_step_ > 1e-9 * model_->step)) last_step_ = 0;
    }
    momentum_ranges_.resize(beams_.symmetries.size());
    look();
  }

  std::int64_t steps() const override { return run_->steps(); }
  std::int64_t impacts() const override { return events_; }
  double t() const override { return run_->node().t; }
  std::span<const double> q() const override { return q_; }
  std::span<const double> p() const override { return p_; }
  std::string closure() const override { return run_->closure(); }
  bool done() const override {
    if (model_->impacts && events_ >= *model_->impacts) return true;
    return model_->end && steps() >= whole_steps_ + (last_step_ > 0 ? 1 : 0);
  }

  void begin(Sink& sink) override {
    note();
    if (every_ > 0) record(sink);
    sink.row(beam_mesh_dataset, beam_mesh(beams_));
    if (beams_.fields_every > 0) record_fields(sink);
  }
  void advance(std::int64_t steps, Sink& sink) override {
    for (; steps > 0 && !done(); --steps) step(sink);
    look();
  }
  void conclude(Sink& sink) override {
    look();
    note();
    if (every_ > 0 && recorded_ != steps()) record(sink);
    if (beams_.fields_every > 0 && fields_recorded_ != steps()) record_fields(sink);
  }

  std::string save() const override;
  void restore(std::string_view bytes) override;
  Report report() const override;
  Description describe() const override;

 private:
  static constexpr std::uint32_t format = 0x6265616e;
  static constexpr std::size_t most_kept = 1000;

  std::unique_ptr<BeamRunner> build() const {
    try {
      return run_beams(beams_, model_->step);
    } catch (const Error& error) {
      // What the beams refuse although every number is right: a node behind an obstacle, an element bent by half a
      // turn.
      if (error.kind() == ErrorKind::bad_scene) throw;
      const std::string what = error.what();
      for (const BeamTable& beam : model_->scene.beams->beams)
        if (what.find("\"" + beam.name + "[") != std::string::npos ||
            what.find(" of " + beam.name + " ") != std::string::npos)
          fail(beam.start.place, what);
      fail(model_->scene.beams->beams.front().place, what);
    }
  }

  void step(Sink& sink) {
    run_->step(model_->end && steps() == whole_steps_ ? last_step_ : model_->step);
    for (const BeamEvent& event : run_->events()) tell(event, sink);
    const std::int64_t k = steps();
    const bool frame = every_ > 0 && k % every_ == 0, fields = beams_.fields_every > 0 && k % beams_.fields_every == 0;
    if (!frame && !fields && run_->events().empty()) return;
    look();
    note();
    if (frame) record(sink);
    if (fields) record_fields(sink);
  }

  /// Energy, momentum maps and centres now: O(nodes), as a step is.
  void look() {
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
    if (!std::isfinite(energy_))
      throw Error(ErrorKind::not_finite, fmt::format("the energy is no longer finite at t = {:.6g}", t()));
  }
  void note() {
    range_.add(energy_);
    discrete_.add(run_->discrete_energy());
    largest_kinetic_ = std::max(largest_kinetic_, kinetic_);
    for (std::size_t i = 0; i < momentum_.size(); ++i) momentum_ranges_[i].add(momentum_[i]);
  }

  void record(Sink& sink) {
    recorded_ = steps();
    const auto& body = run_->body();
    gaps_.resize(static_cast<std::size_t>(body.gaps()));
    for (std::size_t i = 0; i < gaps_.size(); ++i) gaps_[i] = body.gap(static_cast<int>(i), run_->node());
    sink.sample({t(), recorded_, q_, p_, energy_, run_->discrete_energy(), gaps_, momentum_}, Series::trajectory);
    beam_energies(beams_, body, run_->node(), energies_);
    beam_row(energies_, body, run_->node(), row_);
    for (int i = 0; i < body.gaps(); ++i) row_.push_back(run_->impulse(i));
    sink.row(beams_dataset, row_);
  }
  void record_fields(Sink& sink) {
    fields_recorded_ = steps();
    beam_fields(run_->body(), run_->node(), row_);
    sink.row(beam_fields_dataset, row_);
  }

  const std::string& gap_name(int gap) const { return model_->scene.gaps[static_cast<std::size_t>(gap)].name; }

  void tell(const BeamEvent& event, Sink& sink) {
    if (event.kind != BeamEvent::impact) return tell_rest(event);
    ++events_;
    acting_.clear();
    for (const int i : event.gaps) acting_.push_back(gap_name(i));
    range_.add(event.energy_after);
    sink.impact({events_, event.t, steps() - 1, event.alpha, acting_, event.multipliers, event.energy_before,
                 event.energy_after, event.q, event.p_minus, event.p_plus});
  }
  void tell_rest(const BeamEvent& event) {
    const std::string& gap = gap_name(event.gaps.front());
    if (event.kind == BeamEvent::begins) {
      if (contacts_.size() < most_kept)
        contacts_.push_back({gap, event.t, std::nullopt});
      else
        ++contacts_left_off_;
      return;
    }
    for (auto it = contacts_.rbegin(); it != contacts_.rend(); ++it)
      if (it->gap == gap && !it->to) {
        it->to = event.t;
        return;
      }
  }

  const BeamModel& beams_;
  std::unique_ptr<BeamRunner> run_;
  std::int64_t every_;
  std::int64_t whole_steps_ = 0, events_ = 0, recorded_ = -1, fields_recorded_ = -1;
  double last_step_ = 0;

  std::vector<double> q_, p_, gaps_, momentum_, row_;
  std::vector<Report::Beam> energies_;
  double energy_ = 0, kinetic_ = 0;

  observe::Range<double> range_, discrete_;
  std::vector<observe::Range<double>> momentum_ranges_;
  double largest_kinetic_ = 0;
  std::vector<Report::Contact> contacts_;
  std::int64_t contacts_left_off_ = 0;
  std::vector<std::string_view> acting_;
};

std::string BeamSimulation::save() const {
  ByteWriter out;
  out.put(format);
  out.put<std::uint64_t>(beams_.nodes);
  out.put<std::uint64_t>(model_->scene.gaps.size());
  out.put(beams_.reflection);
  out.put(model_->step);
  run_->save(out);
  for (const std::int64_t x : {events_, recorded_, fields_recorded_, contacts_left_off_}) out.put(x);
  const auto put = [&](const observe::Range<double>& r) {
    for (const double x : {r.initial, r.last, r.min, r.max}) out.put(x);
    out.put(r.empty);
  };
  put(range_), put(discrete_);
  for (const auto& r : momentum_ranges_) put(r);
  out.put(largest_kinetic_);
  out.put<std::uint64_t>(contacts_.size());
  for (const auto& c : contacts_) {
    const auto& gaps = model_->scene.gaps;
    const auto at = std::find_if(gaps.begin(), gaps.end(), [&](const Gap& gap) { return gap.name == c.gap; });
    out.put<std::uint64_t>(static_cast<std::uint64_t>(at - gaps.begin()));
    out.put(c.from);
    out.put(c.to.value_or(std::numeric_limits<double>::infinity()));
  }
  return out.take();
}

void BeamSimulation::restore(std::string_view bytes) {
  try {
    ByteReader in(bytes);
    const bool ours = in.get<std::uint32_t>() == format && in.get<std::uint64_t>() == beams_.nodes &&
                      in.get<std::uint64_t>() == model_->scene.gaps.size() && in.get<bool>() == beams_.reflection &&
                      in.get<double>() == model_->step;
    if (!ours) throw std::out_of_range("other");
    run_->restore(in);
    for (std::int64_t* x : {&events_, &recorded_, &fields_recorded_, &contacts_left_off_}) in.get(*x);
    const auto get = [&](observe::Range<double>& r) {
      for (double* x : {&r.initial, &r.last, &r.min, &r.max}) in.get(*x);
      in.get(r.empty);
    };
    get(range_), get(discrete_);
    for (auto& r : momentum_ranges_) get(r);
    in.get(largest_kinetic_);
    contacts_.resize(in.size());
    for (auto& c : contacts_) {
      c.gap = model_->scene.gaps.at(in.get<std::uint64_t>()).name;
      in.get(c.from);
      const auto to = in.get<double>();
      c.to = std::isfinite(to) ? std::optional<double>(to) : std::nullopt;
    }
    if (!in.empty()) throw std::out_of_range("longer");
  } catch (const std::out_of_range&) {
    throw Error(ErrorKind::bad_scene, "the checkpoint is not of a run of this scene and this version");
  }
  look();
}

Report BeamSimulation::report() const {
  Report report;
  report.steps = steps();
  report.impacts = events_;
  report.t = t();
  const auto extremes = [&](const observe::Range<double>& r) {
    const double scale = std::max(std::abs(r.initial), largest_kinetic_);
    return Extremes{r.initial, r.last, r.min, r.max, scale > 0 ? r.max_error() / scale : 0};
  };
  report.energy = extremes(range_);
  report.discrete_energy = extremes(discrete_);
  for (std::size_t i = 0; i < momentum_ranges_.size(); ++i)
    report.momentum.push_back(
        {beams_.symmetries[i].name, momentum_ranges_[i].initial, momentum_ranges_[i].max_error()});
  report.fallbacks = run_->fallbacks();
  report.dissipated = run_->dissipated();
  report.balance_error = range_.last - range_.initial + report.dissipated;
  report.contacts = contacts_;
  report.contacts_left_off = contacts_left_off_;
  for (const auto& a : run_->accumulations()) report.accumulations.push_back({gap_name(a.gap), a.t, a.skipped});
  report.accumulations_left_off = run_->accumulations_left_off();
  const auto& body = run_->body();
  beam_energies(beams_, body, run_->node(), report.beams);
  for (int i = 0; i < body.gaps(); ++i) {
    report.impulses.push_back({gap_name(i), run_->impulse(i)});
    auto& beam = report.beams[static_cast<std::size_t>(body.chain().beam_of(body.node_of(i)))];
    beam.contacts += run_->hits(i);
    beam.impulse += run_->impulse(i);
    beam.lowest = std::min(beam.lowest.value_or(run_->lowest(i)), run_->lowest(i));
    report.min_gap = std::min(report.min_gap.value_or(run_->lowest(i)), run_->lowest(i));
  }
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
  for (std::size_t i = 0; i < model_->scene.beams->obstacles.size(); ++i) {
    const ObstacleTable& o = model_->scene.beams->obstacles[i];
    d.lines.emplace_back(o.sphere ? "sphere" : "plane",
                         fmt::format("{}: the nearest node is {:.6g} away at the start", o.name, nearest(i)));
  }
  d.lines.emplace_back("integrator",
                       fmt::format("steps in {}, {} closure", model_->scene.beams->time_group, closure()));
  d.lines.emplace_back("limit", fmt::format("steps up to {:.6g} are stable; this one is {:.3g} of it",
                                            body.stable_step(), model_->step / body.stable_step()));
  d.lines.emplace_back("fields", beams_.fields_every == 0
                                     ? std::string("not recorded")
                                     : fmt::format("{} nodes, every {} steps", beams_.nodes, beams_.fields_every));
  for (std::size_t i = 0; i < momentum_.size(); ++i)
    d.lines.emplace_back("momentum",
                         fmt::format("{}: {:.17g} at the start, kept", beams_.symmetries[i].name, momentum_[i]));
  return d;
}

}  // namespace

Made simulate_beams(std::shared_ptr<const Model> model) { return std::make_unique<BeamSimulation>(std::move(model)); }

}  // namespace ricochet::scene
