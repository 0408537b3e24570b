// A run of beams as a scene drives it: principle/beam_run.hpp with steps of any length, impacts with the states on both
// sides, and bytes for checkpoints.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ricochet/bodies/beam.hpp"
#include "ricochet/contact/accumulation.hpp"
#include "ricochet/scene/beam_model.hpp"
#include "ricochet/scene/bytes.hpp"
#include "ricochet/scene/contact_event.hpp"

namespace ricochet::scene {

class BeamRunner {
 public:
  using Body = bodies::Beams<double>;
  using Node = Body::Node;

  BeamRunner(const BeamModel& model);
  virtual ~BeamRunner() = default;

  /// One step; what happened in it is in events().
  virtual void step(double h) = 0;

  virtual const Node& node() const = 0;
  virtual std::int64_t steps() const = 0;
  virtual std::vector<std::pair<std::string, std::int64_t>> fallbacks() const = 0;
  virtual std::string closure() const = 0;

  virtual void save(ByteWriter& out) const = 0;
  virtual void restore(ByteReader& in) = 0;  ///< throws std::out_of_range where the bytes do not fit

  const Body& body() const { return body_; }
  const std::vector<ContactEvent>& events() const { return events_; }
  double discrete_energy() const { return discrete_energy_; }     ///< E_d of the last interval
  double lowest(int gap) const { return lowest_[index(gap)]; }    ///< at all nodes and impacts of the run so far
  double impulse(int gap) const { return impulse_[index(gap)]; }  ///< of all impacts so far
  std::int64_t hits(int gap) const { return hits_[index(gap)]; }  ///< their number
  double dissipated() const { return dissipated_; }
  static constexpr std::size_t most_accumulations = 1000;  ///< more are only counted
  const std::vector<contact::Accumulation<double>>& accumulations() const { return accumulations_; }
  std::int64_t accumulations_left_off() const { return accumulations_left_off_; }

  /// Centres of mass and momenta of the beams.
  void centres(const Node& x, std::vector<double>& out) const { sum(x, true, out); }
  void momenta(const Node& x, std::vector<double>& out) const { sum(x, false, out); }

 protected:
  static std::size_t index(int gap) { return static_cast<std::size_t>(gap); }
  void watch(const Node& x);
  void save_watch(ByteWriter& out) const;
  void restore_watch(ByteReader& in);

  Body body_;
  std::vector<ContactEvent> events_;
  double discrete_energy_ = 0, dissipated_ = 0;
  std::vector<double> lowest_, impulse_;
  std::vector<std::int64_t> hits_;
  std::vector<contact::Accumulation<double>> accumulations_;
  std::int64_t accumulations_left_off_ = 0;

 private:
  void sum(const Node& x, bool centre, std::vector<double>& out) const;
};

/// Throws Error where the model cannot be run.
std::unique_ptr<BeamRunner> run_beams(const BeamModel& model, double step);

}  // namespace ricochet::scene
