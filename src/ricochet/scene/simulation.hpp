// A run of a scene, whatever its dimension, its kind of Lagrangian and its closure: one interface, made by a factory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ricochet/motion/impact.hpp"
#include "ricochet/scene/derivatives.hpp"
#include "ricochet/scene/model.hpp"

namespace ricochet::scene {

/// A state worth recording.
struct Sample {
  double t = 0;
  std::int64_t step = 0;
  std::span<const double> q, p;
  double energy = 0, discrete_energy = 0;
  std::span<const double> gaps, momentum;
};

enum class Series { trajectory, stroboscope, section };

/// Where a run puts what it finds.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void sample(const Sample&, Series) {}
  virtual void impact(const motion::ImpactView&) {}
  /// Something else happened within a step, a touch-down or a release: there may be many of them before it ends.
  virtual void event() {}
  /// A row of the model's dataset of this number.
  virtual void row(std::size_t, std::span<const double>) {}
};

struct Extremes {
  double initial = 0, last = 0, min = 0, max = 0, max_relative_error = 0;
  double scale = 0;  ///< what errors are relative to: the larger of |initial| and the largest kinetic energy
};

/// What a run can say about itself at any moment.
struct Report {
  std::int64_t steps = 0, impacts = 0;
  double t = 0;
  Extremes energy, discrete_energy;
  struct Momentum {
    std::string symmetry;
    double initial = 0, max_error = 0;
  };
  std::vector<Momentum> momentum;
  std::optional<double> min_gap;
  std::string penetration;         ///< a sentence where a gap was violated by more than it may be: no good end
  std::vector<std::string> notes;  ///< further sentences that a reader of the results needs
  std::vector<std::pair<std::string, std::int64_t>> fallbacks;
  double supplied = 0;       ///< work of forces and of explicit time over all flights
  double dissipated = 0;     ///< by the impact laws
  double wall_work = 0;      ///< done by moving gaps at impacts
  double balance_error = 0;  ///< H less what the balance of work makes of its initial value
  struct Contact {
    std::string gap;
    double from = 0;
    std::optional<double> to;
  };
  struct Accumulation {
    std::string gap;
    double t = 0;
    std::int64_t skipped = 0;
  };
  std::vector<Contact> contacts;  ///< the first of them; more are only counted
  std::vector<Accumulation> accumulations;
  std::int64_t contacts_left_off = 0, accumulations_left_off = 0;
  /// What a kind of body has to say besides, as tables of the summary; a cell without a value is null there.
  using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;
  using Row = std::vector<std::pair<std::string, Cell>>;
  using Rows = std::vector<Row>;
  std::vector<std::pair<std::string, Rows>> tables;
};

/// What can be said before a run.
struct Description {
  double energy = 0, kinetic = 0;
  bool explicit_rule = false;
  struct GapState {
    std::string name;
    double value = 0, rate = 0;
    bool closed = false, approaching = false, moving = false;
  };
  std::vector<GapState> gaps;
  struct SymmetryState {
    std::string name;
    double momentum = 0;
    bool holds = false;
    std::string why_not;
  };
  std::vector<SymmetryState> symmetries;
  std::vector<std::pair<std::string, std::string>> lines;  ///< of its kind of body: a word and what there is to say
};

class Simulation {
 public:
  virtual ~Simulation() = default;

  const Model& model() const { return *model_; }
  std::shared_ptr<const Model> shared_model() const { return model_; }

  virtual std::int64_t steps() const = 0;
  virtual std::int64_t impacts() const = 0;
  virtual double t() const = 0;
  virtual std::span<const double> q() const = 0;
  virtual std::span<const double> p() const = 0;
  /// The closure that is flown: what "auto" became.
  virtual std::string closure() const = 0;
  /// The end of the scene was reached: its time or its number of impacts.
  virtual bool done() const = 0;

  /// Records the start; once, before the first step.
  virtual void begin(Sink& sink) = 0;
  /// At most `steps` steps, fewer at the end. Throws Error when the run fails.
  virtual void advance(std::int64_t steps, Sink& sink) = 0;
  /// Records the last state if `every` left it out.
  virtual void conclude(Sink& sink) = 0;
  /// Of a run that failed: records its last whole step if `every` left it out, where that is still known.
  virtual void salvage(Sink&) {}

  /// Everything the rest of the run depends on, and everything the report needs: bytes for a checkpoint.
  virtual std::string save() const = 0;
  /// Throws Error(bad_scene) if the bytes are not of a run of this scene.
  virtual void restore(std::string_view bytes) = 0;

  /// The derivative of this run from here on, before the first step: it follows once `listen` has its log. nullptr
  /// where only a run of its own (scene::differentiate) has one. Throws Error where there is none.
  virtual std::unique_ptr<Derivatives> derivatives(const DerivativesTable& table);
  /// From now on a reader is told of every step, where the run is one of the strong principle.
  virtual void listen(principle::Log<double>&) {}

  virtual Report report() const = 0;
  virtual Description describe() const = 0;

  /// The energy that free steps of this run keep (observe/shadow_energy.hpp) at (q,p). Throws Error(invalid_model) with
  /// the reason where there is none.
  virtual double shadow_energy(std::span<const double> q, std::span<const double> p) const;

 protected:
  explicit Simulation(std::shared_ptr<const Model> model) : model_(std::move(model)) {}
  std::shared_ptr<const Model> model_;
};

/// Throws Error(bad_scene) with a place if the scene cannot be run: inadmissible start, singular mass, a closure that
/// does not fit, …
std::unique_ptr<Simulation> simulate(std::shared_ptr<const Model> model);
std::unique_ptr<Simulation> simulate(Scene scene);

}  // namespace ricochet::scene
