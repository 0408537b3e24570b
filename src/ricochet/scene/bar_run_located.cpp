// Located contact: the strong principle itself (Demoures 2016, integrator 1).
#include "ricochet/bodies/bars.hpp"
#include "ricochet/principle/strong.hpp"
#include "ricochet/scene/bar_run.hpp"
#include "ricochet/scene/derivatives_bars.hpp"
#include "ricochet/scene/state_bytes.hpp"

namespace ricochet::scene {
namespace {

class Located final : public BarRun {
 public:
  using Body = bodies::Bars<double>;
  using Strong = principle::Strong<Body>;

  explicit Located(const BarModel& model)
      : body_(model.spec, {model.threads}), run_(body_, body_.start()), watch_{*this, {}, {}, 0} {
    watch_.impulse.assign(static_cast<std::size_t>(body_.gaps()), 0.0);
    watch_.begin.assign(static_cast<std::size_t>(body_.gaps()), 0.0);
    watch_.energy = body_.hamiltonian(run_.node());
  }

  void step(double h) override {
    events_.clear();
    run_.step(h, watch_);
  }
  std::int64_t glide(double h, std::int64_t n) override { return run_.glide(h, n); }

  double t() const override { return run_.node().t; }
  std::int64_t steps() const override { return run_.steps(); }
  double discrete_energy() const override { return watch_.energy; }
  bodies::Readings<double> readings() const override { return body_.readings(run_.node()); }
  const bodies::Chain<double>& chain() const override { return body_.chain(); }
  double stable_step() const override { return body_.stable_step(); }
  double impulse(int gap) const override { return watch_.impulse[static_cast<std::size_t>(gap)]; }
  std::string closure() const override { return closure::Variational::name(); }
  std::vector<std::pair<std::string, std::int64_t>> fallbacks() const override { return principle::fallbacks_of(run_); }

  std::unique_ptr<Derivatives> derivatives(const DerivativesTable& table) override {
    return derivatives_of_bars(table, run_);
  }
  void listen(principle::Log<double>& log) override { run_.also_tell(&log); }

  void save(ByteWriter& out) const override {
    const auto s = run_.state();
    out.list(s.node.q);
    out.list(s.node.p);
    for (const double x : {s.node.t, s.node.potential, watch_.energy}) out.put(x);
    put_progress(out, s);
    out.list(watch_.impulse);
    out.list(watch_.begin);
  }
  void restore(ByteReader& in) override {
    auto s = run_.state();
    get_list(in, s.node.q);
    get_list(in, s.node.p);
    for (double* x : {&s.node.t, &s.node.potential, &watch_.energy}) in.get(*x);
    get_progress(in, s, 0, body_.gaps());
    for (auto* list : {&watch_.impulse, &watch_.begin}) get_list(in, *list);
    run_.restore(s);
  }

 private:
  struct Watch {
    Located& run;
    std::vector<double> impulse, begin;
    double energy;

    void impact(const principle::ImpactEvent<Body>& event) {
      ContactEvent out;
      out.t = event.t, out.alpha = event.alpha;
      note_acting(event, out);
      for (std::size_t i = 0; i < out.gaps.size(); ++i)
        impulse[static_cast<std::size_t>(out.gaps[i])] += out.multipliers[i];
      out.energy_before = run.measure(run.body_.readings(event.before), &out.q, &out.p_minus);
      out.energy_after = run.measure(run.body_.readings(event.after), nullptr, &out.p_plus);
      run.events_.push_back(std::move(out));
    }
    void node(long long, const Body::Node&, const Body::Interval& interval) { energy = interval.energy; }
    void contact(int gap, double t, bool begins) {
      ContactEvent out;
      out.kind = begins ? ContactEvent::begins : ContactEvent::ends;
      out.t = t;
      out.gaps = {gap};
      double& since = begin[static_cast<std::size_t>(gap)];
      if (begins) since = t;
      out.from = since;
      run.events_.push_back(std::move(out));
    }
  };

  Body body_;
  Strong run_;
  Watch watch_;
};

}  // namespace

std::unique_ptr<BarRun> run_located(const BarModel& model) { return std::make_unique<Located>(model); }

}  // namespace ricochet::scene
