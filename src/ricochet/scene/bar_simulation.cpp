// A run of a scene of bars: what is recorded, and what it can say about itself.
#include <fmt/core.h>

#include <bit>
#include <cmath>

#include "ricochet/error.hpp"
#include "ricochet/observe/monitor.hpp"
#include "ricochet/scene/bar_run.hpp"
#include "ricochet/scene/factory.hpp"

namespace ricochet::scene {
namespace {

std::unique_ptr<BarRun> make_run(const BarModel& bars) {
  switch (bars.scheme) {
    case ContactScheme::located:
      return run_located(bars);
    case ContactScheme::virtual_tip:
      return run_virtual_tip(bars);
    default:
      return run_redistributed(bars);
  }
}

class BarSimulation final : public Simulation {
 public:
  explicit BarSimulation(std::shared_ptr<const Model> model)
      : Simulation(std::move(model)),
        bars_(*model_->bars),
        run_(build()),
        every_(model_->scene.record.every),
        initial_(static_cast<std::size_t>(model_->n)) {
    const double limit = run_->stable_step();
    if (!(model_->step <= limit * (1 + 1e-12)))
      fail(model_->scene.time.step.place,
           fmt::format("the step {:.6g} is beyond the stability limit of these bars: at most {:.6g} with {} contact",
                       model_->step, limit, name(bars_.scheme)));
    if (model_->end) {
      whole_steps_ = static_cast<std::int64_t>(*model_->end / model_->step + 1e-9);
      last_step_ = *model_->end - static_cast<double>(whole_steps_) * model_->step;
      if (!(last_step_ > 1e-9 * model_->step)) last_step_ = 0;
    }
    look();
    for (std::size_t b = 0; b < initial_.size(); ++b) initial_[b] = now_[b].energy();
  }

  std::int64_t steps() const override { return run_->steps(); }
  std::int64_t impacts() const override { return events_; }
  double t() const override { return run_->t(); }
  std::span<const double> q() const override { return q_; }
  std::span<const double> p() const override { return p_; }
  std::string closure() const override { return run_->closure(); }
  bool done() const override {
    if (model_->impacts && events_ >= *model_->impacts) return true;
    return model_->end && steps() >= whole_steps_ + (last_step_ > 0 ? 1 : 0);
  }

  void begin(Sink& sink) override {
    note();
    discrete_.add(run_->discrete_energy());
    if (every_ > 0) record(sink);
    record_mesh(sink);
    if (bars_.fields_every > 0) record_fields(sink);
  }
  void advance(std::int64_t steps, Sink& sink) override {
    while (steps > 0 && !done()) {
      const std::int64_t free = std::min(steps, before_next_look());
      if (const std::int64_t flown = free > 0 ? run_->glide(model_->step, free) : 0; flown > 0) {
        steps -= flown;
        continue;
      }
      step(sink);
      --steps;
    }
  }
  void conclude(Sink& sink) override {
    look();
    note();
    if (every_ > 0 && recorded_ != steps()) record(sink);
    if (bars_.fields_every > 0 && fields_recorded_ != steps()) record_fields(sink);
  }

  std::string save() const override;
  void restore(std::string_view bytes) override;
  Report report() const override;
  Description describe() const override;

 private:
  static constexpr std::uint32_t format = 0x62617201;
  static constexpr std::size_t most_kept = 1000;
  using State = bodies::BarState<double>;

  std::unique_ptr<BarRun> build() const {
    try {
      return make_run(bars_);
    } catch (const Error& error) {
      // What the line of bars refuses although every number is right: a bar too short for the scheme, a stress at rest.
      const std::string what = error.what();
      for (const BarTable& bar : model_->scene.bars->bars)
        if (what.starts_with(bar.name + " ") || what.find(" of " + bar.name + " ") != std::string::npos)
          fail(bar.energy ? bar.energy->place : bar.elements.place, error.what());
      fail(model_->scene.bars->bars.front().place, error.what());
    }
  }

  double step_length() const { return model_->end && steps() == whole_steps_ ? last_step_ : model_->step; }
  /// Steps until the one whose end is looked at, exclusive.
  std::int64_t before_next_look() const {
    const std::int64_t k = steps();
    std::int64_t free = model_->end ? whole_steps_ - k - 1 : std::int64_t{1} << 40;
    for (const std::int64_t every : {every_, bars_.fields_every})
      if (every > 0) free = std::min(free, every - 1 - k % every);
    return free;
  }

  void step(Sink& sink) {
    run_->step(step_length());
    const std::int64_t k = steps();
    const bool frame = every_ > 0 && k % every_ == 0, fields = bars_.fields_every > 0 && k % bars_.fields_every == 0;
    for (const BarEvent& event : run_->events()) tell(event, sink);
    if (!frame && !fields && run_->events().empty()) return;
    look();
    note();
    discrete_.add(run_->discrete_energy());
    if (frame) record(sink);
    if (fields) record_fields(sink);
  }

  /// Energies, momenta and centres of the bars now: O(nodes).
  void look() {
    const auto readings = run_->readings();
    const auto& line = run_->chain().line();
    const auto n = static_cast<std::size_t>(line.bars());
    now_.resize(n), q_.resize(n), p_.resize(n);
    energy_ = momentum_ = kinetic_ = 0;
    for (std::size_t b = 0; b < n; ++b) {
      const auto& bar = line.bar(static_cast<int>(b));
      now_[b] = readings.bar(static_cast<int>(b));
      q_[b] = bar.position + bar.length / 2 + now_[b].shift;
      p_[b] = now_[b].momentum;
      energy_ += now_[b].energy(), kinetic_ += now_[b].kinetic, momentum_ += now_[b].momentum;
    }
    gaps_.resize(static_cast<std::size_t>(line.gaps()));
    for (std::size_t i = 0; i < gaps_.size(); ++i) gaps_[i] = run_->gap(static_cast<int>(i));
    if (!std::isfinite(energy_))
      throw Error(ErrorKind::not_finite, fmt::format("the energy is no longer finite at t = {:.6g}", t()));
  }
  void note() {
    range_.add(energy_);
    momentum_range_.add(momentum_);
    largest_kinetic_ = std::max(largest_kinetic_, kinetic_);
    for (const double gap : gaps_) min_gap_ = std::min(min_gap_, gap);
  }

  void record(Sink& sink) {
    const std::int64_t k = steps();
    recorded_ = k;
    const std::span<const double> momentum(&momentum_, model_->scene.symmetries.size());
    sink.sample({t(), k, q_, p_, energy_, run_->discrete_energy(), gaps_, momentum}, Series::trajectory);
    const auto readings = run_->readings();
    row_.clear();
    row_.push_back(t());
    for (const State& bar : now_) row_.push_back(bar.energy());
    for (const State& bar : now_) row_.push_back(bar.kinetic);
    for (const State& bar : now_) row_.push_back(bar.momentum);
    const int gaps = static_cast<int>(gaps_.size()), bars = model_->n;
    for (int i = 0; i < gaps; ++i) row_.push_back(readings.contact_force(i));
    for (int i = 0; i < gaps; ++i) row_.push_back(run_->impulse(i));
    for (int b = 0; b < bars; ++b)
      for (const int side : {0, 1}) row_.push_back(readings.tip_position(b, side));
    for (int b = 0; b < bars; ++b)
      for (const int side : {0, 1}) row_.push_back(readings.tip_velocity(b, side));
    sink.row(bars_dataset, row_);
  }
  /// Material coordinates and unstrained positions of the nodes, zeros for readers that want three dimensions; the two
  /// nodes and the bar of every element.
  void record_mesh(Sink& sink) {
    const std::size_t nodes = bars_.nodes, elements = bars_.elements;
    std::vector<double> row(3 * nodes + 3 * elements, 0.0);
    const auto integer = [](std::size_t x) { return std::bit_cast<double>(static_cast<std::int64_t>(x)); };
    std::size_t node = 0, element = 0, number = 0;
    for (const auto& bar : bars_.spec.bars) {
      for (int i = 0; i <= bar.elements; ++i, ++node) {
        row[node] = bar.length * i / bar.elements;
        row[nodes + node] = bar.position + row[node];
        if (i == bar.elements) continue;
        row[3 * nodes + 2 * element] = integer(node);
        row[3 * nodes + 2 * element + 1] = integer(node + 1);
        row[3 * nodes + 2 * elements + element++] = integer(number);
      }
      ++number;
    }
    sink.row(mesh_dataset, row);
  }
  void record_fields(Sink& sink) {
    fields_recorded_ = steps();
    const std::size_t n = bars_.nodes;
    fields_.resize(1 + 2 * n + bars_.elements);
    fields_[0] = t();
    const auto readings = run_->readings();
    const std::span<double> all(fields_);
    std::size_t node = 1, element = 1 + 2 * n;
    for (int b = 0; b < model_->n; ++b) {
      const auto elements = static_cast<std::size_t>(run_->chain().line().bar(b).elements);
      readings.positions(b, all.subspan(node, elements + 1));
      readings.velocities(b, all.subspan(n + node, elements + 1));
      readings.strains(b, all.subspan(element, elements));
      node += elements + 1, element += elements;
    }
    sink.row(fields_dataset, fields_);
  }

  void tell(const BarEvent& event, Sink& sink) {
    const std::string& gap = model_->scene.gaps[static_cast<std::size_t>(event.gaps.front())].name;
    if (event.kind == BarEvent::begins) {
      if (contacts_.size() < most_kept)
        contacts_.push_back({gap, event.t, std::nullopt});
      else
        ++contacts_left_off_;
    } else if (event.kind == BarEvent::ends) {
      for (auto it = contacts_.rbegin(); it != contacts_.rend(); ++it)
        if (it->gap == gap && !it->to) {
          it->to = event.t;
          break;
        }
    }
    if (event.multipliers.empty()) return;  // a contact that the strong principle holds: no impulse, no line
    ++events_;
    acting_.clear();
    for (const int i : event.gaps) acting_.push_back(model_->scene.gaps[static_cast<std::size_t>(i)].name);
    range_.add(event.energy_after);
    sink.impact({events_, event.t, steps() - 1, event.alpha, acting_, event.multipliers, event.energy_before,
                 event.energy_after, event.q, event.p_minus, event.p_plus});
  }

  const BarModel& bars_;
  std::unique_ptr<BarRun> run_;
  std::int64_t every_;
  std::int64_t whole_steps_ = 0, events_ = 0, recorded_ = -1, fields_recorded_ = -1;
  double last_step_ = 0;

  std::vector<State> now_;
  std::vector<double> q_, p_, gaps_, row_, fields_, initial_;
  double energy_ = 0, kinetic_ = 0, momentum_ = 0;

  observe::Range<double> range_, discrete_, momentum_range_;
  double largest_kinetic_ = 0, min_gap_ = std::numeric_limits<double>::infinity();
  std::vector<Report::Contact> contacts_;
  std::int64_t contacts_left_off_ = 0;
  std::vector<std::string_view> acting_;
};

std::string BarSimulation::save() const {
  ByteWriter out;
  out.put(format);
  out.put(static_cast<int>(bars_.scheme));
  out.put<std::uint64_t>(bars_.nodes);
  out.put(model_->step);
  run_->save(out);
  for (const std::int64_t x : {events_, recorded_, fields_recorded_, contacts_left_off_}) out.put(x);
  for (const auto* r : {&range_, &discrete_, &momentum_range_}) {
    for (const double x : {r->initial, r->last, r->min, r->max}) out.put(x);
    out.put(r->empty);
  }
  out.put(largest_kinetic_);
  out.put(min_gap_);
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

void BarSimulation::restore(std::string_view bytes) {
  try {
    ByteReader in(bytes);
    const bool ours = in.get<std::uint32_t>() == format && in.get<int>() == static_cast<int>(bars_.scheme) &&
                      in.get<std::uint64_t>() == bars_.nodes && in.get<double>() == model_->step;
    if (!ours) throw std::out_of_range("other");
    run_->restore(in);
    for (std::int64_t* x : {&events_, &recorded_, &fields_recorded_, &contacts_left_off_}) in.get(*x);
    for (auto* r : {&range_, &discrete_, &momentum_range_}) {
      for (double* x : {&r->initial, &r->last, &r->min, &r->max}) in.get(*x);
      in.get(r->empty);
    }
    in.get(largest_kinetic_);
    in.get(min_gap_);
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

Report BarSimulation::report() const {
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
  for (const Symmetry& symmetry : model_->scene.symmetries)
    report.momentum.push_back({symmetry.name, momentum_range_.initial, momentum_range_.max_error()});
  if (!gaps_.empty()) report.min_gap = min_gap_;
  report.fallbacks = run_->fallbacks();
  report.balance_error = range_.last - range_.initial;
  report.contacts = contacts_;
  report.contacts_left_off = contacts_left_off_;
  for (std::size_t b = 0; b < now_.size(); ++b)
    report.bars.push_back(
        {model_->scene.system.coordinates[b], initial_[b], now_[b].energy(), now_[b].kinetic, now_[b].momentum});
  for (std::size_t i = 0; i < gaps_.size(); ++i)
    report.impulses.push_back({model_->scene.gaps[i].name, run_->impulse(static_cast<int>(i))});
  return report;
}

Description BarSimulation::describe() const {
  Description d;
  d.energy = energy_;
  d.kinetic = kinetic_;
  d.explicit_rule = true;
  const auto& line = run_->chain().line();
  for (int b = 0; b < line.bars(); ++b) {
    const auto& bar = line.bar(b);
    const double K = bar.energy ? bar.energy.K(1) : bar.modulus;
    const double c = std::sqrt(K / bar.mass);
    const auto end = [&](std::size_t side) { return bar.ends[side] == bodies::BarEnd::fixed ? "fixed" : "free"; };
    d.lines.emplace_back(
        "bar", fmt::format("{}: {} elements over {:.6g}, {} and {} ends, {}wave speed {:.6g}, crossed in {:.6g}",
                           bar.name, bar.elements, bar.length, end(0), end(1),
                           bar.energy ? "nonlinear, small waves: " : "", c, bar.length / c));
  }
  for (const auto& wall : bars_.spec.walls)
    d.lines.emplace_back("wall", fmt::format("{} at {:.6g}", wall.name, wall.position));
  d.lines.emplace_back("contact", name(bars_.scheme));
  for (std::size_t i = 0; i < gaps_.size(); ++i)
    d.lines.emplace_back("gap", fmt::format("{}: {:.6g} at the start", model_->scene.gaps[i].name, gaps_[i]));
  d.lines.emplace_back("limit", fmt::format("steps up to {:.6g} are stable; this one is {:.3g} of it",
                                            run_->stable_step(), model_->step / run_->stable_step()));
  d.lines.emplace_back("fields", bars_.fields_every == 0
                                     ? std::string("not recorded")
                                     : fmt::format("{} nodes, every {} steps", bars_.nodes, bars_.fields_every));
  d.lines.emplace_back("momentum", model_->scene.symmetries.empty()
                                       ? fmt::format("{:.17g} at the start, changed by walls or fixed ends", momentum_)
                                       : fmt::format("{:.17g} at the start, kept", momentum_));
  return d;
}

}  // namespace

Made simulate_bars(std::shared_ptr<const Model> model) { return std::make_unique<BarSimulation>(std::move(model)); }

}  // namespace ricochet::scene
