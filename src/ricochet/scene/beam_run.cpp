#include "ricochet/scene/beam_run.hpp"

#include <algorithm>

#include "ricochet/principle/strong.hpp"
#include "ricochet/scene/state_bytes.hpp"

namespace ricochet::scene {

BeamRunner::BeamRunner(const BeamModel& model) : body_(model.spec, model.group) {
  const auto gaps = static_cast<std::size_t>(body_.gaps());
  lowest_.assign(gaps, std::numeric_limits<double>::infinity());
  impulse_.assign(gaps, 0.0);
  hits_.assign(gaps, 0);
}

void BeamRunner::watch(const Node& x) { body_.lower(x, lowest_); }

void BeamRunner::sum(const Node& x, bool centre, std::vector<double>& out) const {
  const auto& chain = body_.chain();
  out.assign(3 * static_cast<std::size_t>(chain.beams()), 0.0);
  for (int b = 0; b < chain.beams(); ++b) {
    const auto& segment = chain.segment(b);
    Eigen::Vector3d total = Eigen::Vector3d::Zero();
    double weights = 0;
    for (auto a = segment.first; a <= segment.last; ++a) {
      const double w = segment.weight(a);
      weights += w;
      total += centre ? w * body_.position(x, a) : bodies::beams::eigen<double>(x.p(a));
    }
    if (centre) total /= weights;
    for (int k = 0; k < 3; ++k) out[static_cast<std::size_t>(3 * b + k)] = total[k];
  }
}

void BeamRunner::save_watch(ByteWriter& out) const {
  out.put(discrete_energy_);
  out.put(dissipated_);
  out.list(lowest_);
  out.list(impulse_);
  out.list(hits_);
  out.put<std::uint64_t>(accumulations_.size());
  for (const auto& a : accumulations_) out.put(a.gap), out.put(a.t), out.put(a.skipped);
  out.put(accumulations_left_off_);
}
void BeamRunner::restore_watch(ByteReader& in) {
  in.get(discrete_energy_);
  in.get(dissipated_);
  in.list(lowest_);
  in.list(impulse_);
  in.list(hits_);
  accumulations_.resize(in.size());
  for (auto& a : accumulations_) in.get(a.gap), in.get(a.t), in.get(a.skipped);
  in.get(accumulations_left_off_);
  for (const auto& a : accumulations_)
    if (a.gap < 0 || a.gap >= body_.gaps()) throw std::out_of_range("no such gap");
  const auto gaps = static_cast<std::size_t>(body_.gaps());
  if (lowest_.size() != gaps || impulse_.size() != gaps || hits_.size() != gaps) throw std::out_of_range("other");
}

namespace {

template <class Closure>
class Run final : public BeamRunner {
 public:
  using Strong = principle::Strong<Body, Closure>;

  Run(const BeamModel& model, double step)
      : BeamRunner(model), run_(body_, body_.start(), {}, laws(model.restitution), {.step = step}) {
    discrete_energy_ = body_.hamiltonian(run_.node());
    watch(run_.node());
  }

  void step(double h) override {
    events_.clear();
    run_.step(h, *this);
  }
  const Node& node() const override { return run_.node(); }
  std::int64_t steps() const override { return run_.steps(); }
  std::string closure() const override { return std::string(Closure::name()); }
  std::vector<std::pair<std::string, std::int64_t>> fallbacks() const override { return principle::fallbacks_of(run_); }

  void save(ByteWriter& out) const override {
    const auto s = run_.state();
    for (int k = 0; k < bodies::beams::columns; ++k)
      for (bodies::beams::Index a = 0; a < body_.nodes(); ++a) out.put(s.node.data[k][a]);
    for (const double x : {s.node.t, s.node.potential}) out.put(x);
    put_progress(out, s);
    save_watch(out);
  }
  void restore(ByteReader& in) override {
    auto s = run_.state();
    for (int k = 0; k < bodies::beams::columns; ++k)
      for (bodies::beams::Index a = 0; a < body_.nodes(); ++a) in.get(s.node.data[k][a]);
    for (double* x : {&s.node.t, &s.node.potential}) in.get(*x);
    get_progress(in, s, 0, body_.gaps());
    restore_watch(in);
    run_.restore(s);
  }

  // ---- what the principle tells

  void impact(const principle::ImpactEvent<Body>& event) {
    ContactEvent out;
    out.t = event.t, out.alpha = event.alpha;
    note_acting(event, out);
    for (std::size_t i = 0; i < out.gaps.size(); ++i) {
      const int gap = out.gaps[i];
      impulse_[index(gap)] += out.multipliers[i];
      ++hits_[index(gap)];
      double& lowest = lowest_[index(gap)];
      lowest = std::min(lowest, body_.gap(gap, event.before));
    }
    out.energy_before = body_.hamiltonian(event.before);
    out.energy_after = body_.hamiltonian(event.after);
    out.dissipated = event.dissipated;
    dissipated_ += event.dissipated;
    centres(event.before, out.q);
    momenta(event.before, out.p_minus);
    momenta(event.after, out.p_plus);
    events_.push_back(std::move(out));
  }
  void contact(int gap, double t, bool begins) {
    ContactEvent out;
    out.kind = begins ? ContactEvent::begins : ContactEvent::ends;
    out.t = t;
    out.gaps = {gap};
    events_.push_back(std::move(out));
  }
  void accumulation(const contact::Accumulation<double>& a) {
    if (accumulations_.size() < most_accumulations)
      accumulations_.push_back(a);
    else
      ++accumulations_left_off_;
  }
  void node(long long, const Node& x, const Body::Interval& interval) {
    discrete_energy_ = interval.energy;
    watch(x);
  }

 private:
  static principle::ImpactLaws<Body> laws(double e) {
    principle::ImpactLaws<Body> laws;
    if (e == 1) return laws;
    laws.law = mechanics::Law<double>::newton();
    laws.restitution = [e](int, const Node&) { return e; };
    return laws;
  }

  Strong run_;
};

}  // namespace

std::unique_ptr<BeamRunner> run_beams(const BeamModel& model, double step) {
  if (model.reflection) return std::make_unique<Run<closure::Reflection>>(model, step);
  return std::make_unique<Run<closure::Variational>>(model, step);
}

}  // namespace ricochet::scene
