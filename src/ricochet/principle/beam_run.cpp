#include "ricochet/principle/beam_run.hpp"

#include <algorithm>

#include "ricochet/principle/acting.hpp"
#include "ricochet/principle/strong.hpp"

namespace ricochet::principle {

/// What does not depend on the closure; it is the observer of the principle at the same time.
struct BeamRun::Implementation {
  Implementation(Body b, BeamRunOptions o) : body(std::move(b)), options(o) {
    const auto gaps = static_cast<std::size_t>(body.gaps());
    sums.lowest.assign(gaps, std::numeric_limits<double>::infinity());
    sums.impulse.assign(gaps, 0.0);
    sums.hits.assign(gaps, 0);
  }
  virtual ~Implementation() = default;
  virtual void advance(long long steps) = 0;
  virtual void step(double h) = 0;
  virtual void also_tell(Log<double>* reader) = 0;
  virtual std::string_view closure() const = 0;
  virtual const Node& node() const = 0;
  virtual long long steps() const = 0;
  virtual long long events() const = 0;
  virtual long long fallbacks() const = 0;
  virtual long long fallbacks(Fallback f) const = 0;
  virtual const motion::GapList& held() const = 0;
  virtual StrongState<double, Node> state() const = 0;
  virtual void restore(const StrongState<double, Node>& state) = 0;

  struct Place {
    int beam, node, obstacle;
  };
  Place place(int gap) const {
    const auto a = body.node_of(gap);
    const int b = body.chain().beam_of(a);
    return {b, static_cast<int>(a - body.chain().segment(b).first), body.obstacle_of(gap)};
  }

  void impact(const ImpactEvent<Body>& e) {
    sums.dissipated += e.dissipated;
    each_acting(e, [&](const auto& met, double impulse) {
      const auto gap = static_cast<std::size_t>(met.gap);
      const auto [b, a, o] = place(met.gap);
      impacts.push_back({e.t, e.step, e.number, b, a, o, met.rate, impulse});
      sums.impulse[gap] += impulse;
      ++sums.hits[gap];
      sums.lowest[gap] = std::min(sums.lowest[gap], body.gap(met.gap, e.before));
      ++count;
    });
  }
  void contact(int gap, double t, bool begins) {
    const auto [b, a, o] = place(gap);
    contacts.push_back({t, b, a, o, begins});
  }
  void node(long long, const Node& x, const Body::Interval& interval) {
    sums.discrete_energy = interval.energy;
    body.lower(x, sums.lowest);
  }

  Body body;
  BeamRunOptions options;
  std::vector<BeamImpact> impacts;
  std::vector<BeamContact> contacts;
  BeamSums sums;
  long long count = 0;
};

template <class Closure>
struct BeamRun::With final : Implementation {
  With(Body b, BeamRunOptions o)
      : Implementation(std::move(b), o), run(body, body.start(), {}, laws(o), {.step = o.step}) {
    sums.discrete_energy = body.hamiltonian(run.node());
    body.lower(run.node(), sums.lowest);
  }
  static ImpactLaws<Body> laws(const BeamRunOptions& o) {
    ImpactLaws<Body> laws;
    if (o.restitution != 1) {
      laws.law = ImpactLaws<Body>::Law::newton();
      laws.restitution = [e = o.restitution](int, const Node&) { return e; };
    }
    return laws;
  }
  void advance(long long n) override { run.run(options.step, n, static_cast<Implementation&>(*this)); }
  void step(double h) override { run.step(h, static_cast<Implementation&>(*this)); }
  void also_tell(Log<double>* reader) override { run.also_tell(reader); }
  std::string_view closure() const override { return Closure::name(); }
  const Node& node() const override { return run.node(); }
  long long steps() const override { return run.steps(); }
  long long events() const override { return run.impacts(); }
  long long fallbacks() const override { return run.fallbacks(); }
  long long fallbacks(Fallback f) const override { return run.fallbacks(f); }
  const motion::GapList& held() const override { return run.held(); }
  StrongState<double, Node> state() const override { return run.state(); }
  void restore(const StrongState<double, Node>& state) override { run.restore(state); }

  using Implementation::node;
  Strong<Body, Closure> run;
};

BeamRun::BeamRun(bodies::BeamsSpec<double> spec, BeamRunOptions options)
    : BeamRun(Body(std::move(spec), options.group), options) {
  body().require_stable(options.step);
}
BeamRun::BeamRun(Body given, BeamRunOptions options) {
  auto invalid = [](const char* what) { throw Error(ErrorKind::invalid_model, what); };
  if (!(options.step > 0) || !std::isfinite(options.step))
    invalid("the time step of beams must be positive and finite");
  if (!(options.restitution >= 0 && options.restitution <= 1)) invalid("the restitution of beams must lie in [0, 1]");
  if (options.closure == BeamClosure::variational)
    run_ = std::make_unique<With<closure::Variational>>(std::move(given), options);
  else
    run_ = std::make_unique<With<closure::Reflection>>(std::move(given), options);
}
BeamRun::BeamRun(BeamRun&&) noexcept = default;
BeamRun& BeamRun::operator=(BeamRun&&) noexcept = default;
BeamRun::~BeamRun() = default;

void BeamRun::advance(long long steps) { run_->advance(steps); }
void BeamRun::step(double h) { run_->step(h); }
void BeamRun::also_tell(Log<double>* reader) { run_->also_tell(reader); }
std::string_view BeamRun::closure() const { return run_->closure(); }
const BeamRun::Body& BeamRun::body() const { return run_->body; }
const BeamRun::Node& BeamRun::node() const { return std::as_const(*run_).node(); }
long long BeamRun::steps() const { return run_->steps(); }
const BeamRunOptions& BeamRun::options() const { return run_->options; }
const std::vector<BeamImpact>& BeamRun::impacts() const { return run_->impacts; }
const std::vector<BeamContact>& BeamRun::contacts() const { return run_->contacts; }
void BeamRun::forget() {
  run_->impacts.clear();
  run_->contacts.clear();
}
long long BeamRun::impact_events() const { return run_->events(); }
long long BeamRun::impact_count() const { return run_->count; }
std::vector<double> BeamRun::impulse_per_node() const {
  std::vector<double> impulses(static_cast<std::size_t>(nodes()));
  for (int gap = 0; gap < body().gaps(); ++gap)
    impulses[static_cast<std::size_t>(body().node_of(gap))] += sums().impulse[static_cast<std::size_t>(gap)];
  return impulses;
}
const BeamSums& BeamRun::sums() const { return run_->sums; }
std::vector<int> BeamRun::held() const { return run_->held(); }
double BeamRun::lowest_gap() const {
  const auto& gaps = sums().lowest;
  return gaps.empty() ? std::numeric_limits<double>::infinity() : *std::min_element(gaps.begin(), gaps.end());
}
long long BeamRun::fallbacks() const { return run_->fallbacks(); }
long long BeamRun::fallbacks(Fallback fallback) const { return run_->fallbacks(fallback); }

std::shared_ptr<const BeamRun::State> BeamRun::state() const {
  return std::make_shared<State>(State{run_->state(), run_->sums});
}
void BeamRun::restore(const State& state) {
  run_->restore(state);
  run_->sums = state.sums;
}

}  // namespace ricochet::principle
