// A run of beams as a scene drives it: principle/beam_run.hpp with impacts that have the states on both sides, and
// bytes for checkpoints.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ricochet/principle/beam_run.hpp"
#include "ricochet/principle/log.hpp"
#include "ricochet/scene/beam_model.hpp"
#include "ricochet/scene/bytes.hpp"
#include "ricochet/scene/contact_event.hpp"
#include "ricochet/scene/kept.hpp"

namespace ricochet::scene {

class BeamRunner final : private principle::Log<double> {
 public:
  using Run = principle::BeamRun;
  using Body = Run::Body;
  using Node = Run::Node;

  BeamRunner(const BeamModel& model, double step);
  BeamRunner(const BeamRunner&) = delete;
  BeamRunner& operator=(const BeamRunner&) = delete;

  /// One step; what happened in it is in events().
  void step(double h);

  const Body& body() const { return run_.body(); }
  const Node& node() const { return run_.node(); }
  std::int64_t steps() const { return run_.steps(); }
  std::vector<std::pair<std::string, std::int64_t>> fallbacks() const { return principle::fallbacks_of(run_); }
  std::string closure() const { return std::string(run_.closure()); }

  void save(ByteWriter& out) const;
  void restore(ByteReader& in);  ///< throws std::out_of_range where the bytes do not fit

  const std::vector<ContactEvent>& events() const { return events_; }
  double discrete_energy() const { return run_.discrete_energy(); }          ///< E_d of the last interval
  double lowest(int gap) const { return run_.sums().lowest[index(gap)]; }    ///< at all nodes and impacts so far
  double impulse(int gap) const { return run_.sums().impulse[index(gap)]; }  ///< of all impacts so far
  std::int64_t hits(int gap) const { return run_.sums().hits[index(gap)]; }  ///< their number
  double dissipated() const { return run_.sums().dissipated; }
  const Kept<contact::Accumulation<double>>& accumulations() const { return accumulations_; }

  /// Centres of mass and momenta of the beams.
  void centres(const Node& x, std::vector<double>& out) const { sum(x, true, out); }
  void momenta(const Node& x, std::vector<double>& out) const { sum(x, false, out); }

 private:
  using LogNode = motion::Node<double>;

  static std::size_t index(int gap) { return static_cast<std::size_t>(gap); }
  void sum(const Node& x, bool centre, std::vector<double>& out) const;

  // ---- what the run tells

  using principle::Log<double>::impact, principle::Log<double>::node;
  void impact(const principle::Impact<double, LogNode>& event) override;
  void contact(int gap, double t, bool begins) override;
  void accumulation(const contact::Accumulation<double>& a) override { accumulations_.add(a); }

  Run run_;
  std::vector<ContactEvent> events_;
  Kept<contact::Accumulation<double>> accumulations_;
};

}  // namespace ricochet::scene
