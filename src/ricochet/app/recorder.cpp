#include "ricochet/app/recorder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>

#include "ricochet/app/failure.hpp"
#include "ricochet/app/summary.hpp"
#include "ricochet/error.hpp"
#include "ricochet/numerics/poll.hpp"
#include "ricochet/record/record_error.hpp"
#include "ricochet/record/xdmf.hpp"

namespace ricochet::app {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Out of the middle of a step that takes too long to wait for: what is left is what a kill would have left.
struct CutShort {};

/// Passes what a run finds on to the writer, and then to a guest.
class WriterSink final : public scene::Sink {
 public:
  explicit WriterSink(record::Writer& writer, const std::function<bool()>* stop = nullptr, scene::Sink* guest = nullptr)
      : writer_(writer), stop_(stop), guest_(guest) {
    for (const auto& table : writer.schema().frame_tables) {
      if (table == "stroboscope") stroboscope_ = writer.table(table);
      if (table == "section") section_ = writer.table(table);
    }
    first_dataset_ = 1 + writer.schema().frame_tables.size();
  }
  void sample(const scene::Sample& s, scene::Series series) override {
    const std::size_t table = series == scene::Series::trajectory ? 0
                              : series == scene::Series::section  ? section_
                                                                  : stroboscope_;
    writer_.frame({s.t, s.step, s.q, s.p, s.energy, s.discrete_energy, s.gaps, s.momentum, {}}, table);
    if (guest_ != nullptr) guest_->sample(s, series);
  }
  void row(std::size_t dataset, std::span<const double> values) override {
    writer_.row(first_dataset_ + dataset, values);
    if (guest_ != nullptr) guest_->row(dataset, values);
  }
  void impact(const motion::ImpactView& impact) override {
    writer_.impact(impact);
    if (guest_ != nullptr) guest_->impact(impact);
    heed_stop();
  }
  void event() override {
    writer_.tick();
    if (guest_ != nullptr) guest_->event();
    heed_stop();
  }
  /// From now on the writer alone is told.
  void dismiss_guest() { guest_ = nullptr; }
  /// Called within long steps: asks only now and then, for in Python the question is not cheap.
  void heed_stop_sometimes() {
    if (const double t = now(); t - looked_ > between_looks) looked_ = t, heed_stop();
  }

 private:
  void heed_stop() {
    if (stop_ == nullptr || !(*stop_)()) return;
    if (!asked_)
      asked_ = now();
    else if (now() - *asked_ > patience)
      throw CutShort{};
  }

  static constexpr double between_looks = 0.02;  ///< seconds
  static constexpr double patience = 0.25;       ///< seconds: most steps end sooner, and are waited for
  record::Writer& writer_;
  const std::function<bool()>* stop_;
  scene::Sink* guest_;
  std::optional<double> asked_;  ///< when an event or a flight first met the wish to stop
  double looked_ = 0;
  std::size_t stroboscope_ = 0, section_ = 0, first_dataset_ = 0;
};

constexpr double checkpoint_seconds = 0.25;

/// Closures that fly a shadow Lagrangian evaluate V a little outside of the gaps (docs/shadow.md); where it is not
/// defined there, their sentences speak of flights and enclosures. Those have other causes, too: hence the "if".
std::string advice(ErrorKind kind, const scene::Simulation& simulation) {
  const std::string closure = simulation.closure();
  const bool beyond = closure.starts_with("shadow") || closure.starts_with("interpolated");
  const auto& scene = simulation.model().scene;
  if (!beyond || scene.gaps.empty() || (!scene.system.potential && !scene.system.lagrangian)) return "";
  if (kind != ErrorKind::no_convergence && kind != ErrorKind::impact_not_found) return "";
  return fmt::format(
      "; if the potential is not defined behind the gaps, mind that the closure {} needs it a little beyond the gaps, "
      "too: "
      "variational does not",
      closure);
}

}  // namespace

record::Schema schema_of(const scene::Model& model) {
  const scene::Scene& scene = model.scene;
  record::Schema schema;
  schema.coordinates = scene.system.coordinates;
  for (const auto& gap : scene.gaps) schema.gaps.push_back(gap.name);
  for (const auto& symmetry : scene.symmetries) schema.symmetries.push_back(symmetry.name);
  if (!scene.system.units.empty()) {
    std::string units;
    for (const auto& unit : scene.system.units) units += (units.empty() ? "" : ", ") + unit;
    schema.units["q"] = units;
  }
  schema.scene_text = scene.text;
  schema.scene_name = scene.name;
  schema.version = RICOCHET_VERSION;
  schema.attributes["title"] = scene.title;
  schema.attributes["rule"] = scene.integrator.rule;
  schema.attributes["closure"] = scene.integrator.closure;  // the scene's word until the summary has the flown one
  // A resumed run reads its scene from the record: with the overrides, one per line (they hold no line breaks).
  std::string overrides;
  for (const auto& assignment : scene.overrides) overrides += assignment + "\n";
  schema.attributes["overrides"] = overrides;
  if (model.stroboscope) schema.frame_tables.push_back("stroboscope");
  if (model.section) schema.frame_tables.push_back("section");
  for (const auto& dataset : model.datasets) {
    record::Table table{dataset.name, {}};
    for (const auto& c : dataset.columns) table.columns.push_back({c.name, "", c.width, c.labels, c.scalar, c.integer});
    schema.datasets.push_back(std::move(table));
  }
  for (const auto& [name, text] : model.record_attributes) schema.attributes[name] = text;
  return schema;
}

scene::Scene scene_of(const record::Schema& schema) {
  std::vector<std::string> overrides;
  if (const auto it = schema.attributes.find("overrides"); it != schema.attributes.end()) {
    std::size_t begin = 0;
    for (std::size_t end; (end = it->second.find('\n', begin)) != std::string::npos; begin = end + 1)
      overrides.push_back(it->second.substr(begin, end - begin));
  }
  return scene::parse_scene(schema.scene_text, schema.scene_name + ".toml", overrides);
}

std::string given_in_python(const record::Schema& schema) {
  const auto it = schema.attributes.find("given_in_python");
  return it == schema.attributes.end() ? "" : it->second;
}

std::unique_ptr<scene::Sink> sink_of(record::Writer& writer) { return std::make_unique<WriterSink>(writer); }

namespace {
/// What the state in a checkpoint begins with, and the number of its format: up by one when a run's state changes. A
/// checkpoint lives as long as a run is interrupted, so old ones are not translated.
struct CheckpointHead {
  std::array<char, 6> word{'s', 't', 'a', 't', 'e', ' '};
  std::uint16_t format = 3;
  double seconds = 0;
};
}  // namespace

std::string pack(const scene::Simulation& simulation, double seconds) {
  CheckpointHead head;
  head.seconds = seconds;
  std::string state(sizeof head, '\0');
  std::memcpy(state.data(), &head, sizeof head);
  return state + simulation.save();
}

double unpack(const std::string& state, scene::Simulation& simulation) {
  const CheckpointHead ours;
  CheckpointHead head;
  if (state.size() < sizeof head) throw Error(ErrorKind::bad_scene, "the checkpoint is too short");
  std::memcpy(&head, state.data(), sizeof head);
  const int format = head.word == ours.word ? head.format : 1;  // the first one had no head
  if (format != ours.format)
    throw Error(ErrorKind::bad_scene,
                fmt::format("the checkpoint has format {}, and this version of ricochet reads format {} alone: run the "
                            "scene anew, or finish this run with the version that began it",
                            format, ours.format));
  simulation.restore(std::string_view(state).substr(sizeof head));
  return head.seconds;
}

RunResult carry_out(scene::Simulation& simulation, record::Writer& writer, bool begin, double seconds_before,
                    const std::function<bool()>& stop, const std::function<void(const scene::Simulation&)>& progress,
                    const Guest& guest) {
  const double start = now();
  WriterSink sink(writer, &stop, guest.sink);
  const auto heed = [&] { sink.heed_stop_sometimes(); };
  const numerics::Polled polled(heed);
  RunResult result;
  bool cut_short = false;
  const auto elapsed = [&] { return seconds_before + (now() - start); };
  double price = 0;  // of a checkpoint: a state of many megabytes is written down less often
  const auto checkpoint = [&] {
    const double before = now();
    writer.checkpoint({simulation.steps(), simulation.t(), pack(simulation, elapsed()), {}});
    price = now() - before;
  };
  try {
    if (begin) simulation.begin(sink);
    // Batches of about a millisecond: long enough to cost nothing, short enough for Ctrl-C. Of a large model 32 steps
    // even if they take a quarter of a second: long bars fly that many per sweep over memory.
    constexpr std::int64_t sweep = 32;
    std::int64_t batch = 1;
    while (!simulation.done() && !stop()) {
      const double before = now();
      simulation.advance(batch, sink);
      const double took = now() - before;
      if (batch < sweep ? took < 0.25 : took < 1e-3 && batch < 1 << 16)
        batch *= 2;
      else if (batch > sweep ? took > 4e-3 : took > 0.5 && batch > 1)
        batch /= 2;
      writer.tick();
      if (writer.seconds_since_checkpoint() > std::max(checkpoint_seconds, 20 * price)) checkpoint();
      progress(simulation);
    }
    if (simulation.done())
      simulation.conclude(sink);
    else
      result.outcome = Outcome::interrupted;
  } catch (const CutShort&) {
    result.outcome = Outcome::interrupted;
    cut_short = true;
  } catch (const Error& error) {
    result.outcome = Outcome::failed;
    result.error = sentence_at(error, simulation.t()) + advice(error.kind(), simulation);
    if (const std::string cause = guest.cause ? guest.cause() : ""; !cause.empty()) result.error += ": " + cause;
    result.bad_input = is_bad_input(error);
    sink.dismiss_guest();
    simulation.salvage(sink);
  } catch (...) {
    const auto ending = guest.explain ? guest.explain(std::current_exception()) : std::nullopt;
    if (!ending) throw;
    result.outcome = ending->first;
    result.error = ending->second;
    cut_short = true;
    sink.dismiss_guest();
    simulation.salvage(sink);
  }
  if (result.outcome == Outcome::interrupted && !cut_short) checkpoint();
  result.report = simulation.report();
  result.seconds = elapsed();
  // Before the summary: a run that says it is finished is never looked at again.
  writer.finish(summary_of(simulation, result), [&] {
    try {
      record::write_xdmf(writer.directory());
    } catch (const record::RecordError& error) {  // the record itself is whole
      result.missing = error.what();
    }
  });
  return result;
}

}  // namespace ricochet::app
