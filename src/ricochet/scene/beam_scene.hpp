// Beams as a scene file describes them: [[beam]], [[plane]], [[sphere]]. Read and checked for its form; expressions are
// still text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ricochet/scene/kind.hpp"
#include "ricochet/scene/scene.hpp"

namespace ricochet::scene {

/// Where the sections of a beam are: frames from strains, or node by node.
struct BeamConfiguration {
  std::vector<Expression> strain;    ///< (Ω, Γ), six expressions of s; none: straight and unstrained
  std::vector<Expression> origin;    ///< three; of the first node
  std::vector<Expression> rotation;  ///< none, a rotation vector (3), a quaternion (4) or a matrix by rows (9)
  std::vector<std::vector<Expression>> nodes;  ///< position (3), or position and quaternion (7)
  Place place;                                 ///< of what gives it its shape
};

struct BeamTable {
  std::string name;
  Expression length, elements, density, young, poisson;
  struct {
    std::string shape;  ///< "square", "rectangle", "circle", or "moments" for A, I1, I2
    std::vector<Expression> numbers;
    Place place;
  } section;
  std::vector<Expression> gravity;  ///< none: the scene's
  BeamConfiguration start;
  std::vector<Expression> velocity, spin;           ///< three expressions of s, x, y, z each, in space
  std::vector<std::vector<Expression>> velocities;  ///< of the nodes: linear (3), or linear and spin (6)
  std::optional<BeamConfiguration> next;            ///< a second configuration, `time` later (Demoures 2016 (5.14))
  Expression time;
  Place place;
};

struct ObstacleTable {
  std::string name;
  bool sphere = false;
  std::vector<Expression> point, normal;  ///< point of a plane or centre of a sphere
  std::optional<Expression> radius;
  Place place;
};

struct BeamScene : KindData {
  std::vector<BeamTable> beams;
  std::vector<ObstacleTable> obstacles;  ///< planes, then spheres
  std::vector<Expression> gravity;       ///< of beams without their own; none: no gravity
  std::string time_group = "SO3xR3";
  std::string closure = "variational";
  std::optional<Expression> restitution;
  std::optional<std::int64_t> fields_every;  ///< steps between two recorded fields; 0: none
};

inline const BeamScene& beams_of(const Scene& scene) { return static_cast<const BeamScene&>(*scene.part); }

/// Reads what a scene of beams has beside [time] and [parameters].
void read_beams(TableReader& root, Scene& scene);

}  // namespace ricochet::scene
