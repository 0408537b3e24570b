#include "ricochet/scene/continuum_simulation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "ricochet/error.hpp"
#include "ricochet/scene/range_bytes.hpp"

namespace ricochet::scene {
ContinuumSimulation::ContinuumSimulation(std::shared_ptr<const Model> model, std::int64_t fields_every)
    : Simulation(std::move(model)),
      every_(model_->scene.record.every),
      fields_every_(fields_every),
      patience_(*model_) {
  if (model_->end) count_ = StepCount::of(*model_->end, model_->step);
}

// ---- the run
// ---------------------------------------------------------------------------------------------------------

bool ContinuumSimulation::done() const {
  if (model_->impacts && events_ >= *model_->impacts) return true;
  return model_->end && steps() >= count_.steps();
}

void ContinuumSimulation::begin(Sink& sink) {
  note();
  if (every_ > 0) record(sink);
  record_mesh(sink);
  if (fields_every_ > 0) {
    fields_recorded_ = steps();
    record_fields(sink);
  }
}

void ContinuumSimulation::advance(std::int64_t steps, Sink& sink) {
  while (steps > 0 && !done()) {
    const std::int64_t free = std::min(steps, before_next_look());
    const std::int64_t flown = free > 0 ? glide(model_->step, free) : 0;
    if (flown == 0) step(sink);
    patience_.note(this->steps(), events_);
    steps -= std::max<std::int64_t>(flown, 1);
  }
  look();
}

void ContinuumSimulation::conclude(Sink& sink) {
  refresh();
  note();
  if (every_ > 0 && recorded_ != steps()) record(sink);
  if (fields_every_ > 0 && fields_recorded_ != steps()) {
    fields_recorded_ = steps();
    record_fields(sink);
  }
}

/// Steps until the one whose end is looked at, exclusive.
std::int64_t ContinuumSimulation::before_next_look() const {
  const std::int64_t k = steps();
  std::int64_t free = model_->end ? count_.whole - k - 1 : patience_.left(k) - 1;
  for (const std::int64_t every : {every_, fields_every_, tested_every})
    if (every > 0) free = std::min(free, every - 1 - k % every);
  return free;
}

void ContinuumSimulation::step(Sink& sink) {
  const auto& events = fly(count_.length(steps(), model_->step));
  for (const ContactEvent& event : events) tell(event, sink);
  const std::int64_t k = steps();
  const bool frame = every_ > 0 && k % every_ == 0, fields = fields_every_ > 0 && k % fields_every_ == 0;
  if (!frame && !fields && events.empty()) {
    if (k % tested_every == 0) refresh();
    return;
  }
  refresh();
  note();
  if (frame) record(sink);
  if (fields) {
    fields_recorded_ = k;
    record_fields(sink);
  }
}

void ContinuumSimulation::refresh() {
  look();
  if (!std::isfinite(energy_))
    throw Error(ErrorKind::not_finite, fmt::format("the energy is no longer finite at t = {:.6g}", t()));
}

double ContinuumSimulation::min_gap() const {
  double least = min_gap_;
  for (const double gap : gaps_) least = std::min(least, gap);
  return least;
}

void ContinuumSimulation::note() {
  range_.add(energy_);
  discrete_.add(discrete_energy());
  largest_kinetic_ = std::max(largest_kinetic_, kinetic_);
  momentum_ranges_.resize(momentum_.size());  // there are none before the first note
  for (std::size_t i = 0; i < momentum_.size(); ++i) momentum_ranges_[i].add(momentum_[i]);
  min_gap_ = min_gap();
}

void ContinuumSimulation::record(Sink& sink) {
  recorded_ = steps();
  sink.sample({t(), recorded_, q_, p_, energy_, discrete_energy(), gaps_, momentum_}, Series::trajectory);
  record_row(sink);
}

void ContinuumSimulation::tell(const ContactEvent& event, Sink& sink) {
  const std::string& gap = gap_name(event.gaps.front());
  if (!std::isfinite(event.energy_before) || !std::isfinite(event.energy_after))
    throw Error(ErrorKind::not_finite,
                fmt::format("the energy is no longer finite at an impact with '{}' at t = {:.6g}", gap, event.t));
  min_gap_ = std::min(min_gap_, 0.0);  // whoever touches has no gap, whether or not the state is looked at
  if (event.kind == ContactEvent::begins) {
    contacts_.add({gap, event.t, std::nullopt});
  } else if (event.kind == ContactEvent::ends) {
    const auto open = std::find_if(contacts_.list.rbegin(), contacts_.list.rend(),
                                   [&](const Report::Contact& c) { return c.gap == gap && !c.to; });
    if (open != contacts_.list.rend()) open->to = event.t;
  }
  if (event.multipliers.empty()) return;  // a contact that the strong principle holds: no impulse, no line
  ++events_;
  acting_.clear();
  for (const int i : event.gaps) acting_.push_back(gap_name(i));
  range_.add(event.energy_after);
  sink.impact({events_, event.t, steps() - 1, event.alpha, acting_, event.multipliers, event.energy_before,
               event.energy_after, event.q, event.p_minus, event.p_plus});
}

// ---- checkpoints
// -----------------------------------------------------------------------------------------------------

std::string ContinuumSimulation::save() const {
  ByteWriter out;
  identify(out);
  save_run(out);
  for (const std::int64_t x : {events_, recorded_, fields_recorded_, contacts_.left_off}) out.put(x);
  put(out, range_), put(out, discrete_);
  out.put<std::uint64_t>(momentum_ranges_.size());
  for (const auto& r : momentum_ranges_) put(out, r);
  patience_.save(out);
  out.put(largest_kinetic_);
  out.put(min_gap_);
  out.put<std::uint64_t>(contacts_.list.size());
  for (const auto& c : contacts_.list) {
    const auto& gaps = model_->scene.gaps;
    const auto at = std::find_if(gaps.begin(), gaps.end(), [&](const Gap& gap) { return gap.name == c.gap; });
    out.put<std::uint64_t>(static_cast<std::uint64_t>(at - gaps.begin()));
    out.put(c.from);
    out.put(c.to.value_or(std::numeric_limits<double>::infinity()));
  }
  return out.take();
}

void ContinuumSimulation::restore(std::string_view bytes) {
  ByteWriter expected;
  identify(expected);
  const std::string identity = expected.take();
  try {
    if (!bytes.starts_with(identity)) throw std::out_of_range("other");
    ByteReader in(bytes.substr(identity.size()));
    restore_run(in);
    for (std::int64_t* x : {&events_, &recorded_, &fields_recorded_, &contacts_.left_off}) in.get(*x);
    get(in, range_), get(in, discrete_);
    momentum_ranges_.resize(in.size());
    for (auto& r : momentum_ranges_) get(in, r);
    if (!momentum_ranges_.empty() && momentum_ranges_.size() != momentum_.size()) throw std::out_of_range("other");
    patience_.restore(in, steps());
    in.get(largest_kinetic_);
    in.get(min_gap_);
    contacts_.list.resize(in.size());
    for (auto& c : contacts_.list) {
      c.gap = model_->scene.gaps.at(in.get<std::uint64_t>()).name;
      in.get(c.from);
      const auto to = in.get<double>();
      c.to = std::isfinite(to) ? std::optional<double>(to) : std::nullopt;
    }
    if (!in.empty()) throw std::out_of_range("longer");
  } catch (const std::out_of_range&) {
    throw Error(ErrorKind::bad_scene, "the checkpoint is not of a run of this scene and this version");
  }
  refresh();
}

// ---- telling
// ---------------------------------------------------------------------------------------------------------

Report ContinuumSimulation::books() const {
  Report report;
  report.steps = steps();
  report.impacts = events_;
  report.t = t();
  // The present state too: a run that was interrupted has not noted its last one, and must not, or the books would
  // depend on where it was.
  const auto extremes = [&](observe::Range<double> r, double present) {
    if (std::isfinite(present)) r.add(present);
    const double scale = std::max({std::abs(r.initial), largest_kinetic_, kinetic_});
    return Extremes{r.initial, r.last, r.min, r.max, scale > 0 ? r.max_error() / scale : 0, scale};
  };
  report.energy = extremes(range_, energy_);
  report.discrete_energy = extremes(discrete_, discrete_energy());
  for (std::size_t i = 0; i < momentum_ranges_.size(); ++i)
    report.momentum.push_back(
        {model_->scene.symmetries[i].name, momentum_ranges_[i].initial, momentum_ranges_[i].max_error()});
  report.contacts = contacts_.list;
  report.contacts_left_off = contacts_.left_off;
  return report;
}

void ContinuumSimulation::describe_plan(Description& d, double stable_step, std::size_t nodes) const {
  d.lines.emplace_back("limit", fmt::format("steps up to {:.6g} are stable; this one is {:.3g} of it", stable_step,
                                            model_->step / stable_step));
  d.lines.emplace_back("fields", fields_every_ == 0 ? std::string("not recorded")
                                                    : fmt::format("{} nodes, every {} steps", nodes, fields_every_));
}

}  // namespace ricochet::scene
