// What a scene file says, read and checked for its form; expressions are still text.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ricochet/scene/table_reader.hpp"

namespace ricochet::scene {

struct Gap {
  std::string name;
  Expression expression;
  std::optional<std::string> law;
  std::optional<Expression> restitution;
  std::vector<Expression> tangent;     ///< slip coordinates: one in the plane, two in space
  std::optional<Expression> friction;  ///< Coulomb's μ
  Place place;
  std::vector<int> unions;  ///< pieces with a number in common are a union: only where all are negative it is left
};
struct Constraint {
  std::string name;
  Expression expression;
};
struct Force {
  std::string name;
  std::vector<Expression> components;
  Place place;
  std::optional<Given> given;  ///< all components by one function; there are no others then
};
struct Symmetry {
  std::string name;
  std::vector<Expression> generator;
  Place place;
};
/// How a body looks, for the viewer; the mechanics ignores it. Every number may be an expression of the coordinates.
struct Shape {
  std::string type, name, color;
  std::vector<Expression> position, from, to, size;
  std::optional<Expression> angle, radius;
  std::vector<std::vector<Expression>> vertices;
  Place place;
};

class Kind;       // kind.hpp
struct KindData;  // kind.hpp

struct Scene {
  const Kind* kind = nullptr;             ///< of the bodies that it describes
  std::string file;                       ///< as it was named
  std::string name;                       ///< without folder and ending
  std::string text;                       ///< as it was read, or as a program that built the tree writes it down
  std::shared_ptr<const Value> document;  ///< the text as a tree with the overrides in it
  std::vector<std::string> overrides;
  std::string title, description;
  bool derived = false;  ///< it has [derivatives], which scene/derivatives.cpp reads

  struct {
    Expression step;
    std::optional<Expression> end;
    std::optional<std::int64_t> impacts;
    Place impacts_place;
  } time;
  std::vector<std::pair<std::string, Expression>> parameters;
  std::vector<Place> parameter_places;  ///< of their names
  struct {
    std::vector<std::string> coordinates, units;
    std::vector<Place> coordinate_places;
    std::vector<std::vector<Expression>> mass;  ///< one row: the diagonal; n rows: the matrix; none: a Lagrangian
    bool full_mass = false;
    Place mass_place;
    std::optional<Expression> potential, lagrangian;
    std::vector<Expression> position, velocity;
    Place position_place, velocity_place;
    bool momentum = false;  ///< `velocity` holds momenta
  } system;
  std::vector<Gap> gaps;
  std::vector<Constraint> constraints;
  std::vector<Force> forces;
  struct {
    std::string law = "elastic";
    Place law_place;
    std::optional<Expression> restitution;
    bool balance = false;  ///< dissipation = "balance": sized by the discrete energy (errata F14)
    bool allow_energy_gain = false;
    bool perturbed = false;  ///< start = "perturbed": gaps closed and at rest open with the speed `perturbation`
    std::optional<Expression> perturbation;
    Place start_place;
  } impact;
  struct {
    std::string principle = "strong", rule = "trapezoid", closure = "auto";
    std::optional<Expression> gamma;
    std::optional<std::int64_t> order;
    Place place, rule_place, closure_place, order_place;
    std::string activation = "middle";  ///< of the weak principle: where a step looks for contacts
  } integrator;
  std::vector<Symmetry> symmetries;
  struct {
    std::int64_t every = 1;
    std::optional<Expression> stroboscope, section;
  } record;
  std::vector<Shape> shapes;
  std::shared_ptr<const KindData> part;  ///< what its kind reads in place of a [system]
};

/// Reads a scene; throws Error(bad_scene, "file:line:column: sentence").
/// `document` has the overrides in it.
Scene read_scene(std::shared_ptr<const Value> document, const std::string& file);
/// The same of a tree without them. `text` is what records keep of it.
Scene read_scene(Value document, const std::string& file, std::string_view text,
                 const std::vector<std::string>& overrides);
/// The same of a text.
Scene parse_scene(std::string_view text, const std::string& file, const std::vector<std::string>& overrides = {});
Scene load_scene(const std::string& path, const std::vector<std::string>& overrides = {});

}  // namespace ricochet::scene
