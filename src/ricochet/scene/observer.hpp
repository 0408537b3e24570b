// What a run of a scene watches: energies, gaps, momentum maps, contacts, and the states that are recorded.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/contact/delassus.hpp"
#include "ricochet/error.hpp"
#include "ricochet/numerics/symmetric.hpp"
#include "ricochet/observe/monitor.hpp"
#include "ricochet/principle/weak.hpp"
#include "ricochet/scene/contact_event.hpp"
#include "ricochet/scene/range_bytes.hpp"
#include "ricochet/scene/sign_change.hpp"
#include "ricochet/scene/simulation.hpp"

namespace ricochet::scene {

/// Run is Strong or Weak.
template <class Body, class Run>
class Observer {
 public:
  using Node = typename Body::Node;
  using Step = typename Body::Step;
  using Interval = typename Body::Interval;

  /// More contacts and accumulations than this are only counted: memory is constant in the length of a run.
  static constexpr std::size_t most_kept = 1000;

  Observer(const Model& model, const Body& body, const Run& run)
      : body_(body),
        run_(run),
        monitor_(body),
        generators_(model.generators),
        every_(model.scene.record.every),
        stroboscope_(model.stroboscope.value_or(0)),
        xi_(static_cast<std::size_t>(model.generators.outputs())),
        gaps_(static_cast<std::size_t>(body.gaps())),
        momentum_(model.scene.symmetries.size()),
        momentum_range_(model.scene.symmetries.size()) {
    if (model.section) section_ = *model.section;
    sampling_ = stroboscope_ > 0 || section_.outputs() > 0;
    has_unions_ = !model.unions.empty();
    for (int i = 0; i < body.gaps(); ++i) names_.push_back(model.scene.gaps[static_cast<std::size_t>(i)].name);
  }

  void listen(Sink* sink) { sink_ = sink; }

  void start(const Node& node) {
    monitor_.start(node);
    measure_momentum(node);
    note_momentum();
    discrete_energy_ = monitor_.energy.last;  // of an interval of length zero: H
    if (every_ > 0) record(0, node, monitor_.energy.last, Series::trajectory);
    if (stroboscope_ > 0) record(0, node, monitor_.energy.last, Series::stroboscope);
  }

  // ---- called by the run -------------------------------------------------------------------------------------------

  template <class GapAt>
  void flight(const Node& from, Step step, const Interval& interval, const typename Body::Trace& trace,
              const GapAt& gap_at) {
    monitor_.flight(from, step, interval, trace, gap_at);
    discrete_energy_ = interval.energy;  // samples of a step with impacts lie in one of several intervals
    if (!sampling_) return;
    from_ = from;
    piece_ = step;
  }
  void arrive(long long k, const Node& node) {
    if (sampling_) sample_piece(node, k + 1);  // of the step that has k before it, as at its end
    sink_->event();
  }
  void impact(const principle::ImpactEvent<Body>& event) {
    monitor_.impact(event);
    note_dependent(event);
    if (sampling_) sample_piece(event.before, event.step + 1);
    tell(event, body_.hamiltonian(event.before), monitor_.energy.last);
  }
  /// The node of the impact lies between two states; the energies are theirs.
  void impact(const principle::WeakImpactEvent<double, Node>& event) {
    work(event.dissipated, event.active.wall_power());
    tell(event, monitor_.energy.last, event.energy_after);
  }
  void step(const Node& from, double h, const Node& middle, const Node& end, const Interval& interval) {
    monitor_.step(middle, end, interval);
    discrete_energy_ = interval.energy;
    if (!sampling_) return;
    from_ = from;
    piece_ = {h, h};
  }
  void work(double dissipated, double wall) {
    monitor_.dissipated += dissipated;
    monitor_.wall_work -= wall;
  }
  void node(long long k, const Node& node, const Interval& interval) {
    monitor_.node(k, node, interval);
    require_finite(monitor_.energy.last, node, {});
    discrete_energy_ = interval.energy;
    if (!momentum_.empty()) {
      measure_momentum(node);
      note_momentum();
    }
    if (sampling_) sample_piece(node, k);
    recorded_ = every_ > 0 && k % every_ == 0;
    if (recorded_)
      record(k, node, monitor_.energy.last, Series::trajectory);
    else
      keep(k, node);
  }
  /// The last whole step, for a run that fails in the next one.
  void keep(long long k, const Node& node) {
    if (every_ <= 1) return;
    kept_step_ = k;
    kept_ = node;
  }
  void contact(int gap, double t, bool begins) {
    if (begins) {
      if (contacts_.size() < most_kept)
        contacts_.push_back({gap, t, open});
      else
        ++contacts_left_off_;
      return;
    }
    for (auto it = contacts_.rbegin(); it != contacts_.rend(); ++it)
      if (it->gap == gap && it->to == open) {
        it->to = t;
        return;
      }
  }
  void accumulation(const principle::Accumulation<double>& a) {
    if (accumulations_.size() < most_kept)
      accumulations_.push_back(a);
    else
      ++accumulations_left_off_;
  }

  /// Records the last state if it is not there yet.
  void conclude(long long k, const Node& node) {
    measure_momentum(node);  // a run that was restored at its end has not yet
    if (every_ > 0 && !recorded_) record(k, node, monitor_.energy.last, Series::trajectory);
    recorded_ = true;
  }
  void salvage() {
    if (!recorded_ && kept_step_ >= 0) conclude(kept_step_, kept_);
  }

  // ---- telling -----------------------------------------------------------------------------------------------------

  void report(const Scene& scene, Report& report) const {
    const auto extremes = [&](const observe::Range<double>& range) {
      return Extremes{range.initial,
                      range.last,
                      range.min,
                      range.max,
                      monitor_.relative(range.max_error(), range.initial),
                      monitor_.scale(range.initial)};
    };
    report.energy = extremes(monitor_.energy);
    report.discrete_energy = extremes(monitor_.discrete_energy);
    for (std::size_t i = 0; i < momentum_range_.size(); ++i)
      report.momentum.push_back({scene.symmetries[i].name, momentum_range_[i].initial, momentum_range_[i].max_error()});
    if (!names_.empty()) report.min_gap = monitor_.min_gap;
    report.penetration = penetration();
    if (dependent_ > 0)
      report.notes.push_back(fmt::format(
          "the gradients of gaps that acted together depended on each other at {} impact{} (Ballard's hypothesis I), "
          "first at t = {:.6g} ({}): their multipliers are not unique, those with the least sum of squares of the "
          "single impulses are given",
          dependent_, dependent_ == 1 ? "" : "s", dependent_from_, dependent_gaps_));
    report.supplied = monitor_.supplied;
    report.dissipated = monitor_.dissipated;
    report.wall_work = monitor_.wall_work;
    report.balance_error = monitor_.balance_error();
    for (const Span& c : contacts_)
      report.contacts.push_back(
          {names_[static_cast<std::size_t>(c.gap)], c.from, c.to == open ? std::nullopt : std::optional<double>(c.to)});
    for (const auto& a : accumulations_)
      report.accumulations.push_back({names_[static_cast<std::size_t>(a.gap)], a.t, a.skipped});
    report.contacts_left_off = contacts_left_off_;
    report.accumulations_left_off = accumulations_left_off_;
  }

  void save(ByteWriter& out) const {
    for (const auto* range : {&monitor_.energy, &monitor_.discrete_energy}) put(out, *range);
    out.put(monitor_.largest_kinetic);
    out.put(monitor_.min_gap);
    out.put(monitor_.min_gap_index);
    const auto& deepest = monitor_.deepest;
    out.put(deepest.ratio), out.put(deepest.value), out.put(deepest.t), out.put(deepest.gap);
    out.put(dependent_), out.put(dependent_from_), out.put<std::uint64_t>(dependent_gaps_.size());
    for (const char c : dependent_gaps_) out.put(c);
    for (const auto& range : momentum_range_) put(out, range);
    for (const double x : {monitor_.supplied, monitor_.dissipated, monitor_.wall_work}) out.put(x);
    out.put(discrete_energy_);
    out.put(recorded_);
    out.put(strobes_);
    out.put<std::uint64_t>(contacts_.size());
    for (const Span& c : contacts_) out.put(c.gap), out.put(c.from), out.put(c.to);
    out.put<std::uint64_t>(accumulations_.size());
    for (const auto& a : accumulations_) out.put(a.gap), out.put(a.t), out.put(a.skipped);
    out.put(contacts_left_off_);
    out.put(accumulations_left_off_);
  }
  void restore(ByteReader& in) {
    for (auto* range : {&monitor_.energy, &monitor_.discrete_energy}) get(in, *range);
    in.get(monitor_.largest_kinetic);
    in.get(monitor_.min_gap);
    in.get(monitor_.min_gap_index);
    auto& deepest = monitor_.deepest;
    in.get(deepest.ratio), in.get(deepest.value), in.get(deepest.t), in.get(deepest.gap);
    if (deepest.ratio > 0) require_gap(deepest.gap);
    in.get(dependent_), in.get(dependent_from_);
    dependent_gaps_.resize(in.size());
    for (char& c : dependent_gaps_) in.get(c);
    for (auto& range : momentum_range_) get(in, range);
    for (double* x : {&monitor_.supplied, &monitor_.dissipated, &monitor_.wall_work}) in.get(*x);
    in.get(discrete_energy_);
    in.get(recorded_);
    in.get(strobes_);
    contacts_.resize(in.size());
    for (Span& c : contacts_) in.get(c.gap), in.get(c.from), in.get(c.to), require_gap(c.gap);
    accumulations_.resize(in.size());
    for (auto& a : accumulations_) in.get(a.gap), in.get(a.t), in.get(a.skipped), require_gap(a.gap);
    in.get(contacts_left_off_);
    in.get(accumulations_left_off_);
  }

 private:
  struct Span {
    int gap;
    double from, to;
  };
  static constexpr double open = std::numeric_limits<double>::infinity();

  /// A checkpoint is bytes that anybody may have written.
  void require_gap(int gap) const {
    if (gap < 0 || gap >= body_.gaps()) throw std::out_of_range("no such gap");
  }

  template <class Vec>
  static std::span<const double> span(const Vec& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
  }

  /// Gaps whose gradients depend on each other acted together.
  template <class Event>
  void note_dependent(const Event& event) {
    const int k = event.active.size();
    if (k < 2) return;
    const auto seen = event.active.seen_by_law();
    if (contact::independent(seen.W, k)) return;
    if (dependent_++ > 0) return;
    dependent_from_ = event.t;
    for (int i = 0; i < k; ++i)
      dependent_gaps_.append(i > 0 ? ", " : "").append(names_[static_cast<std::size_t>(event.active.contact(i).gap)]);
  }

  /// A run that penetrated did not end well. What the weak principle counts as sunk explains itself.
  std::string penetration() const {
    constexpr bool strong = requires(const Run& run) { run.closure(); };
    const auto& deepest = monitor_.deepest;
    if (!(deepest.ratio > (strong ? contact::tolerances::penetrates : contact::tolerances::sinks))) return {};
    const std::string what = fmt::format("the gap \"{}\" was violated by {:.3g} at t = {:.6g}",
                                         names_[static_cast<std::size_t>(deepest.gap)], -deepest.value, deepest.t);
    if constexpr (strong) {
      return what + fmt::format(
                        ", {:.2g} times what counts as closed there: an impact was missed or not resolved; a "
                        "smaller step may find it",
                        deepest.ratio);
    } else {
      if (run_.fallbacks(principle::Fallback::sunk) > 0) return {};
      return what + fmt::format(", {:.2g} times the way of a step; a smaller step may resolve it", deepest.ratio);
    }
  }

  /// A potential may be undefined where its gradient is not: the state alone does not tell.
  void require_finite(double energy, const Node& node, std::string_view where) const {
    if (!std::isfinite(energy))
      throw Error(ErrorKind::not_finite, fmt::format("the energy is no longer finite at {}t = {:.6g}", where, node.t),
                  body_.state(node));
  }

  template <class Event>
  void tell(const Event& event, double energy_before, double energy_after) {
    acting_.clear();
    multipliers_.clear();
    const auto nothing = no_impulse(event.active);
    for (int i = 0; i < event.active.size(); ++i) {
      if (std::abs(event.active.lambda(i)) <= nothing) continue;
      acting_.push_back(names_[static_cast<std::size_t>(event.active.contact(i).gap)]);
      multipliers_.push_back(static_cast<double>(event.mu * event.active.lambda(i)));
    }
    if (!std::isfinite(energy_before) || !std::isfinite(energy_after)) {
      std::string gaps;
      for (const std::string_view gap : acting_) gaps.append(gaps.empty() ? "'" : ", '").append(gap).append("'");
      require_finite(std::isfinite(energy_after) ? energy_before : energy_after, event.before,
                     "an impact with " + gaps + " at ");
    }
    sink_->impact({event.number, event.t, event.step, event.alpha, acting_, multipliers_, energy_before, energy_after,
                   span(event.before.q), span(event.before.p), span(event.after.p)});
  }

  void measure_momentum(const Node& node) {
    if (momentum_.empty()) return;
    generators_.all(span(node.q), 0.0, xi_.data());
    const auto n = static_cast<std::size_t>(node.q.size());
    for (std::size_t s = 0; s < momentum_.size(); ++s) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += node.p[static_cast<Eigen::Index>(k)] * xi_[s * n + k];
      momentum_[s] = sum;
    }
  }
  void note_momentum() {
    for (std::size_t s = 0; s < momentum_.size(); ++s) momentum_range_[s].add(momentum_[s]);
  }

  /// momentum_ must be that of the node.
  void record(long long k, const Node& node, double energy, Series series) {
    if (!gaps_.empty()) body_.mechanics().system().gaps_at(span(node.q), node.t, std::span<double>(gaps_));
    for (int i = 0; has_unions_ && i < body_.gaps(); ++i)  // of a branch, the gap of its unions
      gaps_[static_cast<std::size_t>(i)] = body_.admissible(i, node);
    sink_->sample({node.t, k, span(node.q), span(node.p), energy, discrete_energy_, gaps_, momentum_}, series);
  }

  // ---- stroboscope and sections ------------------------------------------------------------------------------------

  void sample_piece(const Node& end, long long k) {
    const double h = piece_.h;
    if (stroboscope_ > 0)
      for (;;) {
        const double t = static_cast<double>(strobes_ + 1) * stroboscope_;
        if (t > end.t + 1e-9 * h) break;
        ++strobes_;
        record_at(t - from_.t, end, k, Series::stroboscope);
      }
    if (section_.outputs() > 0) {
      const auto f = [&](double s) {
        at(s, end, sampled_);
        return section(sampled_);
      };
      if (const auto s = sign_change(f, section(from_), piece_.s, section(end))) record_at(*s, end, k, Series::section);
    }
    if (!momentum_.empty()) measure_momentum(end);  // record() below speaks of the node again
  }
  double section(const Node& node) const {
    const auto v = body_.velocity(node);
    return section_(0, span(node.q), span(v), node.t);
  }
  void record_at(double s, const Node& end, long long k, Series series) {
    at(s, end, sampled_);
    measure_momentum(sampled_);
    if constexpr (requires { run_.closure(); })
      if (!gaps_.empty()) {
        body_.mechanics().system().gaps_at(span(sampled_.q), sampled_.t, std::span<double>(gaps_));
        monitor_.sample(gaps_);
      }
    record(k, sampled_, body_.hamiltonian(sampled_), series);
  }
  /// The state s after the start of the last piece: on the closure's own curve; between the ends of a held flight,
  /// whose reactions are not known here, and of a step of the weak principle, the cubic through both ends and their
  /// velocities, the former brought back to the gaps that are held.
  void at(double s, const Node& end, Node& out) {
    if (std::abs(s - piece_.s) <= 1e-9 * piece_.h) {
      out = end;
      return;
    }
    if constexpr (requires { run_.closure(); })
      if (run_.held().empty()) {
        run_.closure().fly(body_, from_, {s, piece_.h}, out, work_);
        return;
      }
    const double L = piece_.s, x = s / L;
    const auto v0 = body_.velocity(from_), v1 = body_.velocity(end);
    out = from_;
    out.t = from_.t + s;
    out.q += (3 - 2 * x) * x * x * (end.q - from_.q) + s * (1 - x) * ((1 - x) * v0 - x * v1);
    out.p += x * (end.p - from_.p);
    settle(out);
  }
  /// Takes what the cubic leaves of the gaps that are held, and of constraints, out of q: the shortest way in the
  /// kinetic metric.
  void settle(Node& x) {
    if constexpr (requires { run_.closure(); }) {
      const auto& held = run_.held();
      if (held.empty()) return;
      const auto k = held.size();
      normals_.resize(k);
      for (int pass = 0; pass < 3; ++pass) {
        left_.resize(k);
        numerics::Symmetric<double> W;
        W.resize(static_cast<int>(k));
        for (std::size_t i = 0; i < k; ++i) {
          left_[i] = -body_.contact(held[i], x, piece_.h, normals_[i], work_).value;
          for (std::size_t j = 0; j <= i; ++j)
            W(static_cast<int>(i), static_cast<int>(j)) = W(static_cast<int>(j), static_cast<int>(i)) =
                body_.couple(normals_[i], normals_[j]);
        }
        W.solve(left_);
        for (std::size_t i = 0; i < k; ++i) body_.nudge(x, normals_[i], left_[i]);
      }
    }
  }

  const Body& body_;
  const Run& run_;
  observe::Monitor<Body> monitor_;
  Function generators_, section_;
  Sink* sink_ = nullptr;
  long long every_;
  double stroboscope_;
  bool sampling_ = false, recorded_ = true, has_unions_ = false;
  long long kept_step_ = -1;
  Node kept_;
  std::vector<std::string> names_;
  std::vector<double> xi_, gaps_, momentum_, multipliers_;
  std::vector<observe::Range<double>> momentum_range_;
  std::vector<std::string_view> acting_;
  double discrete_energy_ = 0;
  long long strobes_ = 0;
  std::int64_t dependent_ = 0;  ///< impacts of gaps whose gradients depend on each other
  double dependent_from_ = 0;
  std::string dependent_gaps_;
  std::vector<typename Body::Normal> normals_;
  std::vector<double> left_;
  std::vector<Span> contacts_;
  std::vector<principle::Accumulation<double>> accumulations_;
  std::int64_t contacts_left_off_ = 0, accumulations_left_off_ = 0;
  Node from_, sampled_;
  Step piece_{};
  typename Body::Work work_;
};

}  // namespace ricochet::scene
