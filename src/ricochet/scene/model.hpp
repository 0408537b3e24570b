// A scene compiled: numbers evaluated, expressions on tapes, everything checked that can be checked before a run.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ricochet/mechanics/law.hpp"
#include "ricochet/scene/function.hpp"
#include "ricochet/scene/scene.hpp"

namespace ricochet::scene {

/// A wide table of a record: columns that grow together, one row of each at a time.
struct Dataset {
  struct Column {
    std::string name;
    std::size_t width = 1;
    std::vector<std::string> labels;  ///< of the entries of a row; may be empty
    bool scalar = false;              ///< plain numbers: shape (N) instead of (N, width)
    bool integer = false;             ///< a row then holds the bits of 64-bit integers
  };
  std::string name;
  std::vector<Column> columns;
};

struct Model {
  Scene scene;

  int n = 0;  ///< number of coordinates
  double step = 0;
  std::optional<double> end;
  std::optional<std::int64_t> impacts;
  Eigen::VectorXd q0, v0;  ///< v0 is a momentum if the scene gives one

  bool constant_mass = true;
  Eigen::MatrixXd mass;
  Function potential;           ///< V(q,t), with a constant mass
  Function lagrangian;          ///< L(q,v,t), otherwise
  bool less_potential = false;  ///< `potential` was given as a function, and `lagrangian` is the kinetic energy alone
  bool timed = false;           ///< V or L depends on time

  Function gaps;  ///< φ_i(q,t)
  std::vector<bool> moving;
  std::vector<std::vector<int>> unions;  ///< lists of gaps of which only the largest must not become negative
  Function constraints;                  ///< c_j(q)
  Function forces;  ///< component k of the f-th force by expressions is output f·n + k, in (q,v,t)
  std::vector<Given> given_forces;
  std::vector<std::string> laws;  ///< of each gap
  Function restitution;           ///< of each gap, in (q,v,t)
  bool constant_restitution = true;
  Function tangents;               ///< slip coordinates ψ(q,t) of all gaps, one after the other
  std::vector<int> first_tangent;  ///< of each gap, and their number at the end
  std::vector<double> friction;    ///< of each gap
  bool rough = false;              ///< the strong principle has friction to follow
  Function generators;             ///< component k of symmetry s is output s·n + k, in (q)
  std::optional<Function> section;
  std::optional<double> stroboscope;
  double gamma = 1;
  double perturbation = 0;

  std::vector<Given> given;  ///< everything that was given as a function: potential or lagrangian, gaps, constraints, …

  mechanics::UserLaw<double> user_law;  ///< instead of the scene's laws; set by programs only, no text can name it

  /// What a kind of body makes of its tables; where its gaps and energies are no functions of the coordinates, what is
  /// said of functions above is empty.
  std::shared_ptr<const KindData> part;
  std::vector<Dataset> datasets;                                       ///< recorded beside the trajectory
  std::vector<std::pair<std::string, std::string>> record_attributes;  ///< texts for readers of the record
};

/// Throws Error(bad_scene, "file:line:column: sentence").
std::shared_ptr<Model> compile(Scene scene);

}  // namespace ricochet::scene
