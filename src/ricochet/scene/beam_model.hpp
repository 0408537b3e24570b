// A scene of beams compiled: numbers evaluated, configurations and velocities built, the shape of its records laid out.
#pragma once

#include "ricochet/bodies/beams/chain.hpp"
#include "ricochet/scene/beam_scene.hpp"
#include "ricochet/scene/model.hpp"

namespace ricochet::scene {

/// A momentum map that a scene of beams keeps: d·P, or d·(J − c × P) about the axis d through c.
struct BeamSymmetry {
  std::string name;
  bool rotation = false;
  Eigen::Vector3d d, c;
};

struct BeamModel : KindData {
  bodies::BeamsSpec<double> spec;
  bodies::TimeGroup group = bodies::TimeGroup::SO3xR3;
  bool reflection = false;  ///< the closure; otherwise the variational one
  double restitution = 1;
  std::int64_t fields_every = 0;
  std::size_t nodes = 0, elements = 0;  ///< of all beams
  std::vector<BeamSymmetry> symmetries;
};

inline const BeamModel& beams_of(const Model& model) { return static_cast<const BeamModel&>(*model.part); }

/// The datasets of a record of beams, by their number.
enum BeamDataset : std::size_t { beams_dataset, beam_mesh_dataset, beam_fields_dataset };

/// What of SE(3) leaves gravity and all obstacles as they are, as far as it is translations and rotations about axes.
std::vector<BeamSymmetry> beam_symmetries(const bodies::BeamsSpec<double>& spec);

/// Throws Error(bad_scene, "file:line:column: sentence").
std::shared_ptr<Model> compile_beams(Scene scene);

}  // namespace ricochet::scene
