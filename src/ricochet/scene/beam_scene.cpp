#include "ricochet/scene/beam_scene.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "ricochet/expression/characters.hpp"
#include "ricochet/expression/function_table.hpp"

namespace ricochet::scene {
namespace {

/// A list of exactly so many entries; empty where the key is absent.
std::vector<Expression> list(TableReader& table, const char* key, std::size_t size, const char* what) {
  auto given = table.expressions(key);
  if (!given) return {};
  if (given->size() != size)
    fail(table.find(key)->place,
         fmt::format("{} of {} must have {} entries, {}, not {}", key, table.name(), size, what, given->size()));
  return *given;
}

/// Names of beams and obstacles stand in records; those of beams, with _x, _y and _z, are the coordinates of a run.
class BeamNames {
 public:
  explicit BeamNames(const Scene& scene) : scene_(scene) {}

  std::string next(TableReader& table, const std::string& kind, std::size_t number) {
    const std::string usual = number == 0 ? kind : fmt::format("{}_{}", kind, number + 1);
    std::string name = table.string("name").value_or(usual);
    const Place place = table.place_of("name");
    if (const std::string fault = kind == "beam" ? expression::name_fault(name) : label_fault(name); !fault.empty())
      fail(place, fmt::format("the {} name '{}' {}", kind, name.substr(0, 64), fault));
    if (!seen_.insert(name).second) fail(place, fmt::format("two beams or obstacles have the name '{}'", name));
    for (std::size_t i = 0; i < scene_.parameters.size(); ++i)
      for (const char* end : {"_x", "_y", "_z"})
        if (kind == "beam" && scene_.parameters[i].first == name + end)
          fail(scene_.parameter_places[i],
               fmt::format("the parameter '{}' has the name of a coordinate of the beam '{}'", name + end, name));
    return name;
  }

 private:
  /// Obstacles are in no expression, but they are joined with nodes and others in the names of gaps.
  static std::string label_fault(const std::string& name) {
    if (name.empty()) return "is empty";
    for (const char c : name)
      if (static_cast<unsigned char>(c) < 32 || std::string_view("+|[]\"\\").find(c) != std::string_view::npos)
        return "contains one of + | [ ] \" \\ or a control character";
    return expression::label_fault(name);
  }

  const Scene& scene_;
  std::set<std::string> seen_;
};

/// A list of rows, all as long as one of the allowed lengths.
std::vector<std::vector<Expression>> rows(TableReader& table, const char* key, std::size_t few, std::size_t many,
                                          const char* what) {
  std::vector<std::vector<Expression>> all;
  const Value* value = table.find(key);
  if (value == nullptr) return all;
  const auto* array = std::get_if<Array>(&value->data);
  if (array == nullptr || array->empty())
    fail(value->place, fmt::format("{} of {} must be a list with a row for every node: {}", key, table.name(), what));
  for (const Value& row : *array) {
    all.push_back(to_expressions(row, fmt::format("{}[{}]", key, all.size())));
    if (all.back().size() != few && all.back().size() != many)
      fail(row.place,
           fmt::format("a row of {} must have {} or {} entries, {}, not {}", key, few, many, what, all.back().size()));
  }
  return all;
}

std::vector<Expression> read_rotation(TableReader& table) {
  constexpr const char* kinds =
      "a rotation vector [a, b, c] (axis times angle), a quaternion [w, x, y, z] or three rows of a matrix";
  const Value* value = table.find("rotation");
  if (value == nullptr) return {};
  const auto* array = std::get_if<Array>(&value->data);
  std::vector<Expression> all;
  if (array != nullptr && array->size() == 3 && std::holds_alternative<Array>(array->front().data)) {
    for (const Value& row : *array)
      for (Expression& e : to_expressions(row, "a row of rotation")) all.push_back(std::move(e));
    if (all.size() == 9) return all;
  } else if (array != nullptr && (array->size() == 3 || array->size() == 4)) {
    return to_expressions(*value, "rotation");
  }
  fail(value->place, fmt::format("rotation of {} must be {}", table.name(), kinds));
}

BeamConfiguration read_configuration(TableReader& table) {
  BeamConfiguration c;
  c.strain = list(table, "strain", 6, "bending, twist, shear and stretch (Omega, Gamma)");
  c.origin = list(table, "origin", 3, "the position of the first node");
  c.rotation = read_rotation(table);
  c.nodes = rows(table, "nodes", 3, 7, "a position, or a position and a quaternion [x, y, z, qw, qx, qy, qz]");
  if (!c.nodes.empty())
    for (const char* key : {"strain", "origin"})
      if (table.find(key) != nullptr)
        fail(table.place_of(key), fmt::format("{} has nodes and a {}: give one of them", table.name(), key));
  c.place = table.place_of(!c.nodes.empty()    ? "nodes"
                           : !c.strain.empty() ? "strain"
                           : !c.origin.empty() ? "origin"
                                               : "rotation");
  return c;
}

void read_section(TableReader& beam, BeamTable& out) {
  const Value& value = beam.need("section");
  TableReader table(value, "section of [[beam]]", {"shape", "side", "width", "height", "radius", "A", "I1", "I2"});
  auto& section = out.section;
  section.place = value.place;
  section.shape = table.choice("shape", {"square", "rectangle", "circle"}, "moments");
  const auto read = [&](std::initializer_list<const char*> keys) {
    for (const char* key : keys) section.numbers.push_back(table.needed_expression(key));
  };
  if (section.shape == "square") read({"side"});
  if (section.shape == "rectangle") read({"width", "height"});
  if (section.shape == "circle") read({"radius"});
  if (section.shape == "moments") {
    if (table.find("A") == nullptr)
      fail(value.place,
           R"(a section needs a shape ("square", "rectangle" or "circle") or its area and moments A, I1, I2)");
    read({"A", "I1", "I2"});
  }
  table.refuse_unknown();
}

void read_motion(TableReader& table, BeamTable& beam) {
  beam.velocity = list(table, "velocity", 3, "expressions of s, x, y and z");
  beam.spin = list(table, "spin", 3, "expressions of s, x, y and z");
  beam.velocities = rows(table, "velocities", 3, 6, "a velocity, or a velocity and a spin");
  const Value* next = table.find("next");
  if (next != nullptr) {
    TableReader later(*next, "next of [[beam]]", {"time", "strain", "origin", "rotation", "nodes"});
    beam.time = later.needed_expression("time");
    beam.next = read_configuration(later);
    later.refuse_unknown();
  }
  const int ways = (!beam.velocity.empty() || !beam.spin.empty()) + !beam.velocities.empty() + (next != nullptr);
  if (ways > 1)
    fail(next != nullptr ? next->place : table.place_of("velocities"),
         "a beam has its velocity from a field (velocity, spin), from its nodes (velocities) or from a second "
         "configuration (next): give one of them");
}

BeamTable read_beam(TableReader& table, std::string name) {
  BeamTable beam;
  beam.name = std::move(name);
  beam.place = table.place();
  beam.length = table.needed_expression("length");
  beam.elements = table.needed_expression("elements");
  beam.density = table.needed_expression("density");
  beam.young = table.needed_expression("young");
  beam.poisson = table.expression("poisson").value_or(Expression{0.0, table.place(), {}});
  read_section(table, beam);
  beam.gravity = list(table, "gravity", 3, "an acceleration");
  beam.start = read_configuration(table);
  read_motion(table, beam);
  table.refuse_unknown();
  return beam;
}

void read_obstacles(TableReader& root, BeamNames& names, BeamScene& beams) {
  for (const char* kind : {"plane", "sphere"}) {
    std::size_t number = 0;
    for (const Value& entry : root.tables(kind)) {
      ObstacleTable obstacle;
      obstacle.sphere = std::string_view(kind) == "sphere";
      using Keys = std::vector<std::string>;
      TableReader table(entry, fmt::format("[[{}]]", kind),
                        obstacle.sphere ? Keys{"name", "centre", "radius"} : Keys{"name", "point", "normal"});
      obstacle.place = table.place();
      obstacle.name = names.next(table, kind, number++);
      if (obstacle.sphere) {
        table.need("centre");
        obstacle.point = list(table, "centre", 3, "a point");
        obstacle.radius = table.needed_expression("radius");
      } else {
        table.need("point");
        table.need("normal");
        obstacle.point = list(table, "point", 3, "a point of the plane");
        obstacle.normal = list(table, "normal", 3, "a vector to the side where beams may be");
      }
      table.refuse_unknown();
      beams.obstacles.push_back(std::move(obstacle));
    }
  }
}

void read_run(TableReader& root, Scene& scene, BeamScene& beams) {
  if (const Value* value = root.find("integrator")) {
    TableReader table(*value, "[integrator] of a scene of beams");
    beams.time_group = table.choice("time_group", {"SO3xR3", "SE3"}, beams.time_group);
    const std::string closure = table.choice("closure", {"auto", "variational", "reflection"}, "auto");
    if (closure != "auto") beams.closure = closure;
    scene.integrator.closure_place = table.place_of("closure");
    table.refuse_unknown();
  }
  scene.integrator.closure = beams.closure;
  if (const Value* value = root.find("impact")) {
    TableReader table(*value, "[impact] of a scene of beams");
    beams.restitution = table.expression("restitution");
    table.refuse_unknown();
  }
  if (const Value* value = root.find("record")) {
    TableReader table(*value, "[record]");
    const auto count = [&](const char* key, const char* why) {
      const auto given = table.integer(key);
      if (given && *given < 0)
        fail(table.place_of(key), fmt::format("{} of [record] must be {}, not {}", key, why, *given));
      return given;
    };
    scene.record.every = count("every", "0 (impacts only) or positive").value_or(1);
    beams.fields_every = count("fields_every", "0 (no fields) or positive");
    table.refuse_unknown();
  }
}

}  // namespace

void read_beams(TableReader& root, Scene& scene) {
  for (std::size_t i = 0; i < scene.parameters.size(); ++i)
    if (const std::string& name = scene.parameters[i].first; name == "s" || name == "x" || name == "y" || name == "z")
      fail(scene.parameter_places[i],
           fmt::format("the parameter name '{}' is {} of a beam", name,
                       name == "s" ? "the material coordinate" : "a coordinate of the nodes"));
  auto beams = std::make_shared<BeamScene>();
  beams->gravity = list(root, "gravity", 3, "an acceleration");
  BeamNames names(scene);
  for (const Value& value : root.tables("beam")) {
    TableReader table(value, "[[beam]]",
                      {"name", "length", "elements", "density", "young", "poisson", "section", "gravity", "strain",
                       "origin", "rotation", "nodes", "velocity", "spin", "velocities", "next"});
    std::string name = names.next(table, "beam", beams->beams.size());
    beams->beams.push_back(read_beam(table, std::move(name)));
  }
  if (beams->beams.empty()) fail(root.find("beam")->place, "there are no beams");
  read_obstacles(root, names, *beams);
  read_run(root, scene, *beams);
  scene.part = std::move(beams);
}

}  // namespace ricochet::scene
