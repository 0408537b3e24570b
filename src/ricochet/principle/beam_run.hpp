// A run of beams under the strong principle, compiled once: what scenes, bindings and programs use.
//
//   bodies::BeamsSpec<double> spec;                    // bodies/beams/spec.hpp: beams, planes, spheres
//   bodies::BeamSpec<double> b;
//   b.length = 0.5; b.elements = 10; b.density = 1e3; b.section = bodies::BeamSection<double>::square(0.05);
//   b.young = 1e3; b.poisson = 0.35; b.gravity = {0, 0, -10};
//   b.nodes = bodies::poses_of_strain<double>({rotation, origin}, strain, b.length, b.elements);
//   b.velocities = bodies::velocities_between<double>(b.nodes, other_nodes, 4e-5);
//   spec.beams = {b};  spec.planes = {{"floor", point, normal}};
//   principle::BeamRun run(spec, {.step = 1e-5});
//   while (run.time() < 0.5) {
//     run.advance();                                   // one step; run.advance(100) for more
//     for (int a = 0; a < run.nodes(); ++a) …          // run.position(a), run.rotation(a), run.momentum(a)
//   }
//   for (const auto& i : run.impacts()) …              // i.t, i.beam, i.node, i.obstacle, i.impulse
//
// Nodes of all beams are numbered through: beam b has run.first_node(b) … run.first_node(b + 1) − 1.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "ricochet/bodies/beam.hpp"
#include "ricochet/principle/strong_state.hpp"

namespace ricochet::principle {

template <class R>
class Log;

enum class BeamClosure { variational, reflection };

struct BeamRunOptions {
  double step = 0;  ///< Δt; at most `stable_step` of the beams
  bodies::TimeGroup group = bodies::TimeGroup::SO3xR3;
  BeamClosure closure = BeamClosure::variational;
  double restitution = 1;  ///< of every node with every obstacle
};

/// One node meeting one obstacle. Nodes that close at the same instant are one event of the principle each with its own
/// impulse (errata D19).
struct BeamImpact {
  double t;
  long long step;   ///< the step it lies in, from 0
  long long event;  ///< equal for impacts at the same instant, from 1
  int beam, node;   ///< node within the beam, from 0
  int obstacle;     ///< planes in their order, then spheres
  double rate;      ///< φ̇ before, negative
  double impulse;   ///< along the normal, positive
};
/// A node begins or ends to rest on an obstacle.
struct BeamContact {
  double t;
  int beam, node, obstacle;
  bool begins;
};

/// What a run has added up, by the number of the gap.
struct BeamSums {
  double discrete_energy = 0, dissipated = 0;
  std::vector<double> lowest;      ///< at all nodes and impacts; infinite before the first
  std::vector<double> impulse;     ///< of all impacts
  std::vector<std::int64_t> hits;  ///< their number
};

class BeamRun {
 public:
  using Body = bodies::Beams<double>;
  using Node = Body::Node;
  using Vec = Eigen::Vector3d;

  /// Throws Error: invalid_model (section, material, step beyond the limit), inadmissible_start (a node below a plane).
  BeamRun(bodies::BeamsSpec<double> spec, BeamRunOptions options);
  /// A step beyond the limit is refused when it is flown.
  BeamRun(Body body, BeamRunOptions options);
  BeamRun(BeamRun&&) noexcept;
  BeamRun& operator=(BeamRun&&) noexcept;
  ~BeamRun();

  void advance(long long steps = 1);
  /// One step of another length, as the last one of a run may have.
  void step(double h);
  /// From now on this reader is told of everything too, with nodes that hold a Node; nullptr for none.
  void also_tell(Log<double>* reader);

  const Body& body() const;
  const Node& node() const;  ///< all columns of the state
  double time() const { return node().t; }
  long long steps() const;
  const BeamRunOptions& options() const;
  std::string_view closure() const;  ///< its name

  int beams() const { return body().chain().beams(); }
  int nodes() const { return static_cast<int>(body().nodes()); }
  int first_node(int beam) const {
    return beam < beams() ? static_cast<int>(body().chain().segment(beam).first) : nodes();
  }
  Vec position(int a) const { return body().position(node(), a); }
  Eigen::Quaterniond rotation(int a) const { return body().rotation(node(), a); }
  Vec momentum(int a) const { return bodies::beams::eigen(node().p(a)); }          ///< linear, in space
  Vec spin_momentum(int a) const { return bodies::beams::eigen(node().spin(a)); }  ///< in the frame of the section
  Vec velocity(int a) const { return body().velocity(node(), a); }
  double energy() const { return body().hamiltonian(node()); }
  double discrete_energy() const { return sums().discrete_energy; }  ///< E_d of the last interval
  double kinetic() const { return body().kinetic(node()); }
  double potential() const { return node().potential; }
  Vec linear_momentum() const { return body().linear_momentum(node()); }
  Vec angular_momentum() const { return body().angular_momentum(node()); }

  const std::vector<BeamImpact>& impacts() const;    ///< since the start or the last `forget`
  const std::vector<BeamContact>& contacts() const;  ///< the same for rests
  void forget();                                     ///< empties both lists
  long long impact_events() const;                   ///< instants with an impulse, since the start
  long long impact_count() const;                    ///< nodes that met an obstacle, since the start
  std::vector<double> impulse_per_node() const;
  const BeamSums& sums() const;
  std::vector<int> held() const;  ///< gap numbers, obstacle · nodes + node
  double lowest_gap() const;      ///< at all nodes and impacts of the run so far; infinite without obstacles
  long long fallbacks() const;    ///< impacts sized by the kinetic reflection for want of a balance (errata F7)
  long long fallbacks(Fallback fallback) const;

  /// All that the next step depends on, for a checkpoint: restored into a run of the same spec and options it goes on
  /// bit for bit. Lists of impacts and their number are not part of it.
  struct State : StrongState<double, Node> {
    BeamSums sums;
  };
  std::shared_ptr<const State> state() const;
  void restore(const State& state);

 private:
  struct Implementation;
  template <class Closure>
  struct With;
  std::unique_ptr<Implementation> run_;
};

}  // namespace ricochet::principle
