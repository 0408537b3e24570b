#include "ricochet/principle/beam_run.hpp"

#include "ricochet/principle/strong.hpp"

namespace ricochet::principle {

struct BeamRun::State {
  Strong<Body, closure::Variational>::State variational;
  Strong<Body, closure::Reflection>::State reflection;
};

/// What does not depend on the closure; it is the observer of the principle at the same time.
struct BeamRun::Implementation {
  Implementation(bodies::BeamsSpec<double> spec, BeamRunOptions o)
      : body(std::move(spec), o.group), options(o), impulses(static_cast<std::size_t>(body.nodes())) {}
  virtual ~Implementation() = default;
  virtual void advance(long long steps) = 0;
  virtual const Node& node() const = 0;
  virtual long long steps() const = 0;
  virtual long long events() const = 0;
  virtual long long fallbacks() const = 0;
  virtual const motion::GapList& held() const = 0;
  virtual void save(State& state) const = 0;
  virtual void restore(const State& state) = 0;

  struct Place {
    int beam, node, obstacle;
  };
  Place place(int gap) const {
    const auto a = body.node_of(gap);
    const int b = body.chain().beam_of(a);
    return {b, static_cast<int>(a - body.chain().segment(b).first), body.obstacle_of(gap)};
  }

  void impact(const ImpactEvent<Body>& e) {
    for (int i = 0; i < e.active.size(); ++i) {
      const double impulse = e.mu * e.active.lambda(i);
      if (impulse == 0) continue;
      const int gap = e.active.contact(i).gap;
      const auto [b, a, o] = place(gap);
      impacts.push_back({e.t, e.step, e.number, b, a, o, e.active.contact(i).rate, impulse});
      impulses[static_cast<std::size_t>(body.node_of(gap))] += impulse;
      ++count;
    }
  }
  void contact(int gap, double t, bool begins) {
    const auto [b, a, o] = place(gap);
    contacts.push_back({t, b, a, o, begins});
  }
  void node(long long, const Node& x, const Body::Interval& interval) {
    discrete_energy = interval.energy;
    lowest = std::min(lowest, body.lowest_gap(x));
  }

  Body body;
  BeamRunOptions options;
  std::vector<BeamImpact> impacts;
  std::vector<BeamContact> contacts;
  std::vector<double> impulses;
  long long count = 0;
  double discrete_energy = 0;
  double lowest = std::numeric_limits<double>::infinity();
};

template <class Closure>
struct BeamRun::With final : Implementation {
  With(bodies::BeamsSpec<double> spec, BeamRunOptions o)
      : Implementation(std::move(spec), o), run(body, body.start(), {}, laws(o), {.step = o.step}) {
    discrete_energy = body.hamiltonian(run.node());
    lowest = body.lowest_gap(run.node());
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
  const Node& node() const override { return run.node(); }
  long long steps() const override { return run.steps(); }
  long long events() const override { return run.impacts(); }
  long long fallbacks() const override { return run.fallbacks(); }
  const motion::GapList& held() const override { return run.held(); }
  static auto& part(auto& state) {
    if constexpr (std::same_as<Closure, closure::Variational>)
      return state.variational;
    else
      return state.reflection;
  }
  void save(State& state) const override { part(state) = run.state(); }
  void restore(const State& state) override { run.restore(part(state)); }

  using Implementation::node;
  Strong<Body, Closure> run;
};

BeamRun::BeamRun(bodies::BeamsSpec<double> spec, BeamRunOptions options) {
  auto invalid = [](const char* what) { throw Error(ErrorKind::invalid_model, what); };
  if (!(options.step > 0) || !std::isfinite(options.step))
    invalid("the time step of beams must be positive and finite");
  if (!(options.restitution >= 0 && options.restitution <= 1)) invalid("the restitution of beams must lie in [0, 1]");
  if (options.closure == BeamClosure::variational)
    run_ = std::make_unique<With<closure::Variational>>(std::move(spec), options);
  else
    run_ = std::make_unique<With<closure::Reflection>>(std::move(spec), options);
  body().require_stable(options.step);
}
BeamRun::BeamRun(BeamRun&&) noexcept = default;
BeamRun& BeamRun::operator=(BeamRun&&) noexcept = default;
BeamRun::~BeamRun() = default;

void BeamRun::advance(long long steps) { run_->advance(steps); }
const BeamRun::Body& BeamRun::body() const { return run_->body; }
const BeamRun::Node& BeamRun::node() const { return std::as_const(*run_).node(); }
long long BeamRun::steps() const { return run_->steps(); }
const BeamRunOptions& BeamRun::options() const { return run_->options; }
double BeamRun::discrete_energy() const { return run_->discrete_energy; }
const std::vector<BeamImpact>& BeamRun::impacts() const { return run_->impacts; }
const std::vector<BeamContact>& BeamRun::contacts() const { return run_->contacts; }
void BeamRun::forget() {
  run_->impacts.clear();
  run_->contacts.clear();
}
long long BeamRun::impact_events() const { return run_->events(); }
long long BeamRun::impact_count() const { return run_->count; }
const std::vector<double>& BeamRun::impulse_per_node() const { return run_->impulses; }
std::vector<int> BeamRun::held() const { return run_->held(); }
double BeamRun::lowest_gap() const { return run_->lowest; }
long long BeamRun::fallbacks() const { return run_->fallbacks(); }

std::shared_ptr<const BeamRun::State> BeamRun::state() const {
  auto state = std::make_shared<State>();
  run_->save(*state);
  return state;
}
void BeamRun::restore(const State& state) { run_->restore(state); }

}  // namespace ricochet::principle
