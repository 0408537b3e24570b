// A run of a scene of bars: what is recorded, and what it can say about itself.
#include <fmt/core.h>

#include <bit>
#include <cmath>

#include "ricochet/error.hpp"
#include "ricochet/scene/bar_run.hpp"
#include "ricochet/scene/continuum_simulation.hpp"
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

class BarSimulation final : public ContinuumSimulation {
 public:
  explicit BarSimulation(std::shared_ptr<const Model> model)
      : ContinuumSimulation(model, bars_of(*model).fields_every), bars_(bars_of(*model_)), run_(build()) {
    const double limit = run_->stable_step();
    if (!(model_->step <= limit * (1 + 1e-12)))
      fail(model_->scene.time.step.place,
           fmt::format("the step {:.6g} is beyond the stability limit of these bars: at most {:.6g} with {} contact",
                       model_->step, limit, name(bars_.scheme)));
    refresh();
    for (const State& bar : now_) initial_.push_back(bar.energy());
  }

  std::int64_t steps() const override { return run_->steps(); }
  double t() const override { return run_->t(); }
  std::string closure() const override { return run_->closure(); }
  std::unique_ptr<Derivatives> derivatives(const DerivativesTable& table) override { return run_->derivatives(table); }
  void listen(principle::Log<double>& log) override { run_->listen(log); }
  Report report() const override;
  Description describe() const override;

 private:
  using State = bodies::BarState<double>;

  std::unique_ptr<BarRun> build() const {
    try {
      return make_run(bars_);
    } catch (const Error& error) {
      // What the line of bars refuses although every number is right: a bar too short for the scheme, a stress at rest.
      const std::string what = error.what();
      for (const BarTable& bar : bars_of(model_->scene).bars)
        if (what.starts_with(bar.name + " ") || what.find(" of " + bar.name + " ") != std::string::npos)
          fail(bar.energy ? bar.energy->place : bar.elements.place, error.what());
      fail(bars_of(model_->scene).bars.front().place, error.what());
    }
  }

  const std::vector<ContactEvent>& fly(double h) override {
    run_->step(h);
    return run_->events();
  }
  std::int64_t glide(double h, std::int64_t n) override { return run_->glide(h, n); }
  double discrete_energy() const override { return run_->discrete_energy(); }

  void look() override {
    const auto readings = run_->readings();
    const auto& line = run_->chain().line();
    const auto n = static_cast<std::size_t>(line.bars());
    now_.resize(n), q_.resize(n), p_.resize(n);
    energy_ = total_ = kinetic_ = 0;
    for (std::size_t b = 0; b < n; ++b) {
      const auto& bar = line.bar(static_cast<int>(b));
      now_[b] = readings.bar(static_cast<int>(b));
      q_[b] = bar.position + bar.length / 2 + now_[b].shift;
      p_[b] = now_[b].momentum;
      energy_ += now_[b].energy(), kinetic_ += now_[b].kinetic, total_ += now_[b].momentum;
    }
    momentum_.assign(model_->scene.symmetries.size(), total_);
    gaps_.resize(static_cast<std::size_t>(line.gaps()));
    for (std::size_t i = 0; i < gaps_.size(); ++i) gaps_[i] = run_->gap(static_cast<int>(i));
  }

  void record_row(Sink& sink) override {
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
  void record_mesh(Sink& sink) override {
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
  void record_fields(Sink& sink) override {
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

  void identify(ByteWriter& out) const override {
    out.put<std::uint32_t>(0x62617203);
    out.put(static_cast<int>(bars_.scheme));
    out.put<std::uint64_t>(bars_.nodes);
    out.put(model_->step);
  }
  void save_run(ByteWriter& out) const override { run_->save(out); }
  void restore_run(ByteReader& in) override { run_->restore(in); }

  const BarModel& bars_;
  std::unique_ptr<BarRun> run_;
  std::vector<State> now_;
  std::vector<double> fields_, initial_;
  double total_ = 0;  ///< momentum of all bars, kept or not
};

Report BarSimulation::report() const {
  Report report = books();
  if (!gaps_.empty()) report.min_gap = min_gap();
  report.fallbacks = run_->fallbacks();
  report.balance_error = report.energy.last - report.energy.initial;
  Report::Rows bars, impulses;
  for (std::size_t b = 0; b < now_.size(); ++b)
    bars.push_back({{"name", model_->scene.system.coordinates[b]},
                    {"energy_initial", initial_[b]},
                    {"energy", now_[b].energy()},
                    {"kinetic", now_[b].kinetic},
                    {"momentum", now_[b].momentum}});
  for (std::size_t i = 0; i < gaps_.size(); ++i)
    impulses.push_back({{"gap", model_->scene.gaps[i].name}, {"impulse", run_->impulse(static_cast<int>(i))}});
  report.tables = {{"bars", std::move(bars)}, {"impulses", std::move(impulses)}};
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
  describe_plan(d, run_->stable_step(), bars_.nodes);
  d.lines.emplace_back("momentum", model_->scene.symmetries.empty()
                                       ? fmt::format("{:.17g} at the start, changed by walls or fixed ends", total_)
                                       : fmt::format("{:.17g} at the start, kept", total_));
  return d;
}

}  // namespace

Made simulate_bars(std::shared_ptr<const Model> model) { return std::make_unique<BarSimulation>(std::move(model)); }

}  // namespace ricochet::scene
