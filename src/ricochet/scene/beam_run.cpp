#include "ricochet/scene/beam_run.hpp"

#include "ricochet/scene/state_bytes.hpp"

namespace ricochet::scene {

BeamRunner::BeamRunner(const BeamModel& model, double step)
    : run_(Body(model.spec, model.group),
           {.step = step,
            .group = model.group,
            .closure = model.reflection ? principle::BeamClosure::reflection : principle::BeamClosure::variational,
            .restitution = model.restitution}) {
  run_.also_tell(this);
}

void BeamRunner::step(double h) {
  events_.clear();
  run_.step(h);
  run_.forget();
}

void BeamRunner::sum(const Node& x, bool centre, std::vector<double>& out) const {
  const auto& chain = body().chain();
  out.assign(3 * static_cast<std::size_t>(chain.beams()), 0.0);
  for (int b = 0; b < chain.beams(); ++b) {
    const auto& segment = chain.segment(b);
    Eigen::Vector3d total = Eigen::Vector3d::Zero();
    double weights = 0;
    for (auto a = segment.first; a <= segment.last; ++a) {
      const double w = segment.weight(a);
      weights += w;
      total += centre ? w * body().position(x, a) : bodies::beams::eigen<double>(x.p(a));
    }
    if (centre) total /= weights;
    for (int k = 0; k < 3; ++k) out[static_cast<std::size_t>(3 * b + k)] = total[k];
  }
}

// ---- what the run tells

void BeamRunner::impact(const principle::Impact<double, LogNode>& event) {
  const Node &before = event.before.as<Node>(), &after = event.after.as<Node>();
  ContactEvent out;
  out.t = event.t, out.alpha = event.alpha;
  note_acting(event, out);
  out.energy_before = body().hamiltonian(before);
  out.energy_after = body().hamiltonian(after);
  out.dissipated = event.dissipated;
  centres(before, out.q);
  momenta(before, out.p_minus);
  momenta(after, out.p_plus);
  events_.push_back(std::move(out));
}
void BeamRunner::contact(int gap, double t, bool begins) {
  ContactEvent out;
  out.kind = begins ? ContactEvent::begins : ContactEvent::ends;
  out.t = t;
  out.gaps = {gap};
  events_.push_back(std::move(out));
}

// ---- checkpoints

void BeamRunner::save(ByteWriter& out) const {
  const auto state = run_.state();
  const auto& s = *state;
  for (int k = 0; k < bodies::beams::columns; ++k)
    for (bodies::beams::Index a = 0; a < body().nodes(); ++a) out.put(s.node.data[k][a]);
  for (const double x : {s.node.t, s.node.potential}) out.put(x);
  put_progress(out, s);
  for (const double x : {s.sums.discrete_energy, s.sums.dissipated}) out.put(x);
  out.list(s.sums.lowest);
  out.list(s.sums.impulse);
  out.list(s.sums.hits);
  out.put<std::uint64_t>(accumulations_.list.size());
  for (const auto& a : accumulations_.list) out.put(a.gap), out.put(a.t), out.put(a.skipped);
  out.put(accumulations_.left_off);
}
void BeamRunner::restore(ByteReader& in) {
  auto s = *run_.state();
  const auto gaps = static_cast<std::size_t>(body().gaps());
  for (int k = 0; k < bodies::beams::columns; ++k)
    for (bodies::beams::Index a = 0; a < body().nodes(); ++a) in.get(s.node.data[k][a]);
  for (double* x : {&s.node.t, &s.node.potential}) in.get(*x);
  get_progress(in, s, 0, body().gaps());
  for (double* x : {&s.sums.discrete_energy, &s.sums.dissipated}) in.get(*x);
  in.list(s.sums.lowest);
  in.list(s.sums.impulse);
  in.list(s.sums.hits);
  accumulations_.list.resize(in.size());
  for (auto& a : accumulations_.list) {
    in.get(a.gap), in.get(a.t), in.get(a.skipped);
    if (a.gap < 0 || a.gap >= body().gaps()) throw std::out_of_range("no such gap");
  }
  in.get(accumulations_.left_off);
  for (const std::size_t size : {s.sums.lowest.size(), s.sums.impulse.size(), s.sums.hits.size()})
    if (size != gaps) throw std::out_of_range("other");
  run_.restore(s);
}

}  // namespace ricochet::scene
